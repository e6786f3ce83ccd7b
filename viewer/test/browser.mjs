// browser.mjs: a headless browser for tests and pictures: Debian's chromium, driven by playwright.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const places = [process.env.HN_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** where the browser is, or undefined */
export const browserPath = places.find((path) => path && existsSync(path));

/** @param {string[]} [more] further options of the browser */
export function launch(more = []) {
  return chromium.launch({
    executablePath: browserPath,
    // drawn by the processor: there is no graphics card to rely on, and pictures are the same everywhere
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--hide-scrollbars", "--disable-gpu-vsync", ...more],
  });
}

/**
 * Opens a report and waits until it is ready; collects what goes wrong.
 * @param {{width?: number, height?: number, dark?: boolean, phone?: boolean}} look
 */
export async function open(browser, file, look = {}) {
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1440, height: look.height ?? 860 },
    colorScheme: look.dark ? "dark" : "light",
    deviceScaleFactor: look.scale ?? 1,
    hasTouch: !!look.phone,
    isMobile: !!look.phone,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(120000);
  const problems = [];
  page.on("console", (m) => {
    if (m.type() === "error" || m.type() === "warning") problems.push(m.text());
  });
  page.on("pageerror", (e) => problems.push(String(e)));
  page.on("request", (r) => {
    if (!/^(file|data|blob):/.test(r.url())) problems.push(`asked for ${r.url()}`);
  });
  await page.goto(`file://${file}${look.hash ?? ""}`, { timeout: 120000 });
  await page.waitForSelector("html[data-ready]", { timeout: 120000 });
  return { page, problems, close: () => context.close() };
}
