// looks.mjs: colours and contrast, phones, pages without graphics or without bodies.
import { join } from "node:path";
import { palettes } from "../src/theme.js";
import { launch, open } from "./browser.mjs";
import { closest, contrast } from "./colours.mjs";
import { check, folder, fourBar, model, run, seek, still, visit } from "./harness.mjs";

/** contrast of text, names of buttons, colours for people who see fewer of them */
export async function accessible() {
  for (const [name, palette] of Object.entries(palettes)) {
    // of the eight colours of curves the first four must be told apart at once, the others by care
    for (const { kind, pair, distance } of closest(palette.series.slice(0, 4)))
      check(distance > 12, `${name}: ${pair.join(" and ")} are alike in ${kind} (${distance.toFixed(1)})`);
    for (const { kind, pair, distance } of closest([palette.reaction, palette.applied]))
      check(distance > 25, `${name}: arrows ${pair.join(" and ")} are alike in ${kind} (${distance.toFixed(1)})`);
  }
  run("run", model("pendulum"), "--html", "plain.html", "-q");
  for (const dark of [false, true])
    await visit("plain.html", { ...still, dark, width: dark ? 390 : 1200, phone: dark, height: 800 }, async (page) => {
      const { colors, nameless } = await page.evaluate(() => {
        const style = getComputedStyle(document.documentElement);
        const value = (n) => style.getPropertyValue(`--${n}`).trim();
        const keys = ["back", "panel", "card", "text", "muted", "accent", "good", "good-soft", "bad", "bad-soft", "accent-soft"];
        const controls = [...document.querySelectorAll("button, input, select, canvas")];
        const named = (e) => e.getAttribute("aria-label") || e.getAttribute("title") || e.textContent.trim() || e.closest("label");
        return { colors: Object.fromEntries(keys.map((k) => [k, value(k)])), nameless: controls.filter((e) => !named(e)).map((e) => e.outerHTML.slice(0, 80)) };
      });
      check(nameless.length === 0, `nothing to read out: ${nameless}`);
      const least = (a, b, wanted) => check(contrast(colors[a], colors[b]) >= wanted, `${dark ? "dark" : "light"}: ${a} on ${b} has contrast ${contrast(colors[a], colors[b]).toFixed(2)}, less than ${wanted}`);
      for (const ground of ["back", "panel", "card"]) least("text", ground, 7), least("muted", ground, 4.5), least("accent", ground, 4.5);
      least("good", "good-soft", 4.5);
      least("bad", "bad-soft", 4.5);
      least("accent", "accent-soft", 4.5);
      for (const panel of ["charts", "summary", "scene"]) {
        await page.evaluate((name) => document.querySelector(`[data-panel=${name}]`).click(), panel);
        await readable(page, `${dark ? "dark" : "light"}, ${panel}`);
      }
    });
}

/** every text that is seen stands out from what is behind it: 4.5, large ones 3 (WCAG 2) */
async function readable(page, where) {
  const texts = await page.evaluate(() => {
    const numbers = (text) => text.match(/[\d.]+/g).map(Number);
    /** what is behind an element, layers of glass laid over each other */
    const ground = (element) => {
      const layers = [];
      for (let e = element; e; e = e.parentElement) {
        const [r, g, b, alpha = 1] = numbers(getComputedStyle(e).backgroundColor);
        if (alpha > 0) layers.push([r, g, b, alpha]);
        if (alpha === 1) break;
      }
      return layers.reverse().reduce((below, [r, g, b, a]) => [r, g, b].map((x, k) => a * x + (1 - a) * below[k]), [255, 255, 255]);
    };
    const found = new Map();
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const element = node.parentElement;
      if (!node.textContent.trim() || !element.checkVisibility({ visibilityProperty: true }) || element.closest("svg, script, style, noscript, #labels")) continue;
      const style = getComputedStyle(element);
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
      const key = `${style.color} ${ground(element)} ${large}`;
      if (!found.has(key)) found.set(key, { ink: style.color, ground: `rgb(${ground(element).map(Math.round)})`, large, text: node.textContent.trim().slice(0, 30), name: element.className || element.id || element.tagName });
    }
    return [...found.values()];
  });
  check(texts.length > 3, `${where}: only ${texts.length} kinds of text were seen`);
  for (const { ink, ground, large, text, name } of texts)
    check(contrast(ink, ground) >= (large ? 3 : 4.5), `${where}: "${text}" (${name}) has contrast ${contrast(ink, ground).toFixed(2)}: ${ink} on ${ground}`);
}

export async function phone() {
  fourBar();
  await visit("four_bar.html", { ...still, width: 390, height: 800, phone: true, scale: 2 }, async (page) => {
    await seek(page, 3);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    check(width <= 390, `the page is ${width} pixels wide on a phone of 390`);
    check(await page.locator("#play").isVisible(), "no play button");
    await apart(page);
    const placeholder = await page.evaluate(() => {
      const query = /** @type {HTMLInputElement} */ (document.getElementById("query"));
      query.value = query.placeholder;
      const cut = query.scrollWidth - query.clientWidth;
      query.value = "";
      return cut;
    });
    check(placeholder <= 0, `what to do with the search is cut by ${placeholder} pixels`);
    const cut = await page.evaluate(() => {
      const title = document.getElementById("title");
      return title.scrollWidth - title.clientWidth;
    });
    check(cut <= 0, `the title is cut by ${cut} pixels`);
  }, "four_bar_phone");
  // names of runs and of modes have their place beside clock and tools
  run("modes", model("double_wishbone"), "--html", "modes_phone.html");
  run("compare", model("four_bar"), "--methods", "standard,baumgarte", "--steps", "1e-2", "--html", "runs_phone.html");
  for (const name of ["modes_phone", "runs_phone"]) await visit(`${name}.html`, { ...still, width: 390, height: 800, phone: true, scale: 2 }, apart, name);
}

/** nothing that lies over the scene lies over another thing there */
async function apart(page) {
  const pairs = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll("#stage .glass")].map((e) => ({ id: e.id, box: e.getBoundingClientRect() })).filter((b) => b.box.width > 0);
    const over = ({ box: a }, { box: b }) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return { seen: boxes.length, over: boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => over(a, b)).map((b) => `${a.id} over ${b.id}`)) };
  });
  check(pairs.seen >= 2 && !pairs.over.length, `over the scene: ${pairs.over.join(", ") || "nothing"}`);
}

/** without WebGL charts and summary still work */
export async function blind() {
  fourBar();
  const other = await launch(["--disable-3d-apis"]);
  const { page, close } = await open(other, join(folder, "four_bar.html"));
  check(/no WebGL/.test(await page.locator("#blind").textContent()), "nothing is said about WebGL");
  check((await page.locator(".chart").count()) === 3, "no charts without WebGL");
  await close();
  await other.close();
}

/** a model of equations has nothing to draw: charts have the page, and it is said why */
export async function bodiless() {
  run("run", model("equations_slider_crank"), "--html", "equations.html", "-q");
  for (const width of [1200, 390])
    await visit("equations.html", { ...still, width, height: 800, phone: width < 500 }, async (page) => {
      const state = await page.evaluate(() => {
        const box = (id) => document.getElementById(id).getBoundingClientRect();
        const said = box("blind");
        const [top, bottom] = [box("clock").bottom, box("transport").top];
        return { view: getComputedStyle(document.getElementById("view")).visibility, charts: box("side").width / innerWidth, room: said.top >= top && said.bottom <= bottom, wide: document.documentElement.scrollWidth, speed: box("speed").right, stage: box("stage").right };
      });
      check(state.view === "hidden", "a grid is drawn without bodies");
      check(width < 500 ? state.charts > 0.99 : state.charts > 0.6, `charts have ${state.charts} of the page`);
      check(state.room, "what is said lies under the clock or the transport");
      check(state.wide <= width && state.speed <= state.stage, `the transport needs ${state.speed} of ${state.stage} pixels`);
    }, `equations_${width}`);
}
