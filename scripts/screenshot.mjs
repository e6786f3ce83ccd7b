// screenshot.mjs: pictures of a report page, without a screen.
//
//   node scripts/screenshot.mjs REPORT.html PICTURE.png [--time T] [--width W] [--height H] [--dark]
//        [--phone] [--scale S] [--scene] [--forces] [--panel charts|summary|scene] [--run CODE]
//
// --scene takes the mechanism alone; --run runs JavaScript in the page first (window.holon is
// described in docs/report.md). Needs `npm ci` in viewer/ and a chromium (scripts/setup.sh test).
import { resolve } from "node:path";
import { launch, open } from "../viewer/test/browser.mjs";

const words = process.argv.slice(2);
const flag = (name) => words.includes(`--${name}`);
const value = (name, fallback) => (flag(name) ? words[words.indexOf(`--${name}`) + 1] : fallback);
const [report, picture] = words;
if (!report || !picture) {
  console.error("usage: node scripts/screenshot.mjs REPORT.html PICTURE.png [OPTIONS]");
  process.exit(2);
}

const browser = await launch();
const phone = flag("phone");
const { page, problems } = await open(browser, resolve(report), {
  width: Number(value("width", phone ? 400 : 1440)),
  height: Number(value("height", phone ? 860 : 860)),
  dark: flag("dark"),
  phone,
  scale: Number(value("scale", phone ? 2 : 1)),
  hash: "#still",
});
await page.evaluate(({ time, forces, panel, code }) => {
  const holon = /** @type {any} */ (window).holon;
  if (panel) document.querySelector(`[data-panel=${panel}]`).click();
  if (forces) holon.viewer.toggleForces();
  if (code) new Function("holon", code)(holon);
  holon.seek(time ?? holon.player.start + 0.3 * (holon.player.end - holon.player.start));
}, { time: flag("time") ? Number(value("time")) : undefined, forces: flag("forces"), panel: value("panel"), code: value("run") });
await page.waitForTimeout(700);
const target = flag("scene") ? page.locator("#view") : page;
await target.screenshot({ path: picture });
if (problems.length) console.error(problems.join("\n"));
await browser.close();
process.exit(problems.length ? 1 : 0);
