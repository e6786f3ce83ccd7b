// run.mjs: the report page in a real browser. Pictures of what was tested go to build/viewer.
//
//   node test/run.mjs [TEST...]      HOLON names the program, default ../build/holon
import { AsyncLocalStorage } from "node:async_hooks";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { palettes } from "../src/theme.js";
import { browserPath, launch, open } from "./browser.mjs";
import { closest, contrast } from "./colours.mjs";
import { drawn as drawnTests } from "./drawn.mjs";
import { live as liveTests, timing as liveTiming } from "./live.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const holon = process.env.HOLON ?? join(root, "build/holon");
const folder = join(root, "build/viewer");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

// ---- counting ----------------------------------------------------------------------------------

let passed = 0;
let failed = 0;
const about = new AsyncLocalStorage(); // the name of the test, of which several run at a time
function check(good, what) {
  if (good) passed++;
  else {
    failed++;
    console.log(`failed: ${about.getStore()}: ${what}`);
  }
}
const near = (a, b, tolerance, what) => check(Math.abs(a - b) <= tolerance, `${what}: ${a} and ${b} differ by more than ${tolerance}`);

// ---- runs --------------------------------------------------------------------------------------

const model = (name) => join(root, "models", `${name}.yaml`);

/** runs the program in the folder; a failed audit is no failure here */
function run(...words) {
  try {
    return execFileSync(holon, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    if (error.status === 3) return error.stdout;
    throw error;
  }
}

/** what the program wrote as CSV: names and rows of numbers */
function table(file) {
  const [head, ...lines] = readFileSync(join(folder, file), "utf8").trim().split("\n");
  const names = head.split(",").map((h) => h.replace(/ \[.*\]$/, ""));
  const rows = lines.map((line) => line.split(",").map(Number));
  const of = (name) => names.indexOf(name);
  return { names, rows, of, value: (row, name) => rows[row][of(name)], column: (name) => rows.map((r) => r[of(name)]) };
}

let browser;

/** opens a report, does something with it, takes a picture, closes it; nothing may go wrong meanwhile */
async function visit(file, look, act, picture) {
  const { page, problems, close } = await open(browser, join(folder, file), { width: 1200, height: 720, ...look });
  try {
    await act(page);
    if (picture) await page.screenshot({ path: join(folder, `${picture}.png`) });
  } finally {
    check(problems.length === 0, `the browser complains: ${problems.join("; ")}`);
    await close();
  }
}

const still = { hash: "#still" };
const seek = (page, t) => page.evaluate((time) => window.holon.seek(time), t);
const pose = (page, name) => page.evaluate((n) => window.holon.bodyPose(n), name);
const time = (page) => page.evaluate(() => window.holon.time());

// ---- tests -------------------------------------------------------------------------------------

/** poses read back from the scene are those recorded */
async function comparePoses(page, recorded, bodies, tolerance) {
  const last = recorded.rows.length - 1;
  for (const row of [0, 1, Math.round(0.37 * last), Math.round(0.8 * last), last]) {
    await seek(page, recorded.value(row, "time"));
    for (const body of bodies) {
      const { position, orientation } = await pose(page, body);
      ["x", "y", "z"].forEach((axis, k) => {
        if (recorded.of(`${body}.${axis}`) >= 0) near(position[k], recorded.value(row, `${body}.${axis}`), tolerance, `row ${row}, ${body}.${axis}`);
      });
      if (recorded.of(`${body}.q0`) >= 0) {
        const wanted = [0, 1, 2, 3].map((k) => recorded.value(row, `${body}.q${k}`));
        const sign = wanted.reduce((s, q, k) => s + q * orientation[k], 0) < 0 ? -1 : 1;
        wanted.forEach((q, k) => near(sign * orientation[k], q, tolerance, `row ${row}, ${body}.q${k}`));
      } else if (recorded.of(`${body}.angle`) >= 0) {
        const angle = 2 * Math.atan2(orientation[3], orientation[0]);
        const turns = (angle - recorded.value(row, `${body}.angle`)) / (2 * Math.PI);
        near(turns, Math.round(turns), tolerance, `row ${row}, ${body}.angle`);
      }
    }
  }
}

async function planar() {
  run("run", model("four_bar"), "--html", "four_bar.html", "--out", "four_bar.csv", "-q");
  const recorded = table("four_bar.csv");
  check(statSync(join(folder, "four_bar.html")).size < 1.5e6, "the page is larger than 1.5 MB");
  await visit("four_bar.html", {}, async (page) => {
    const before = await time(page);
    await page.waitForFunction((t) => window.holon.time() > t + 0.2, before, { timeout: 15000 });
    check(await page.evaluate(() => window.holon.player.playing), "the motion plays by itself");
    await page.keyboard.press(" ");
    check(!(await page.evaluate(() => window.holon.player.playing)), "the space bar pauses");
  });
  await visit("four_bar.html", still, async (page) => {
    await comparePoses(page, recorded, ["crank", "coupler", "follower"], 2e-6);
    await charts(page, recorded);
    await chartModes(page, recorded);
    await keyboard(page, recorded);
  }, "four_bar");
}

/** charts hold the recorded numbers, bit by bit; clicks, search and exports work */
async function charts(page, recorded) {
  const count = await page.evaluate(() => window.holon.charts.list.length);
  const titles = await page.evaluate(() => window.holon.charts.list.map((c) => c.title));
  check(titles.join() === "motion,largest forces,energies", `charts at the start: ${titles}`);
  check(await page.evaluate(() => window.holon.charts.list.every((c) => !c.names.some((n) => /^residual|balance/.test(n)))), "residuals are shown at the start");
  for (let chart = 0; chart < count; chart++) {
    const list = await page.evaluate((k) => window.holon.series(k).map((s) => ({ ...s, time: [...s.time], values: [...s.values] })), chart);
    for (const s of list) {
      const column = recorded.column(s.name);
      // round-off is drawn as zero
      const most = Math.max(...recorded.names.filter((n) => n.endsWith(".fx") || n.endsWith(".fy")).flatMap((n) => recorded.column(n).map(Math.abs)));
      const same = s.values.length === column.length && s.values.every((x, i) => x === column[i] || (x === 0 && Math.abs(column[i]) < 1.0001e-10 * Math.max(most, 1)));
      check(same, `the chart of ${s.name} differs from what was recorded`);
      check(s.time.every((t, i) => t === recorded.rows[i][0]), `the times of ${s.name} differ`);
    }
  }
  // typed, found, drawn, with the value at the instant
  await page.fill("#query", "crank. rad/s");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  const names = await page.evaluate(() => window.holon.charts.active.names);
  check(names.includes("crank.omega"), `the search added ${names}`);
  const axes = await page.evaluate(() => window.holon.charts.active.plot.axes.length);
  check(axes === 3, "a second unit has no axis of its own");
  await seek(page, recorded.value(100, "time"));
  const shown = await page.locator(".chip b[data-name='A.angle']").textContent();
  near(Number(shown.replace("−", "-").replace(/[^-\d.].*$/, "")), recorded.value(100, "A.angle"), 1e-4, `the value shown for A.angle, "${shown}"`);
  // a click goes there
  const box = await page.locator(".u-over").first().boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  near(await time(page), 5, 0.05, "a click in the middle of a chart");
  // a drag zooms all charts, a double click takes it back
  await page.mouse.move(box.x + 0.2 * box.width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.4 * box.width, box.y + 60, { steps: 4 });
  await page.mouse.up();
  const zoomed = await page.evaluate(() => window.holon.charts.list.map((c) => [c.plot.scales.x.min, c.plot.scales.x.max]));
  for (const [low, high] of zoomed) check(Math.abs(low - 2) < 0.1 && Math.abs(high - 4) < 0.1, `zoomed to ${low} ... ${high}`);
  const [head, ...lines] = (await page.evaluate(() => window.holon.csv(0))).trim().split("\n");
  check(head === "time [s],A.angle [rad],B.angle [rad],C.angle [rad],D.angle [rad],crank.omega [rad/s]", `CSV begins with ${head}`);
  const first = lines[0].split(",").map(Number);
  const row = recorded.rows.findIndex((r) => r[0] === first[0]);
  check(first[1] === recorded.value(row, "A.angle") && first[5] === recorded.value(row, "crank.omega"), "CSV has other numbers");
  check(lines.length > 90 && lines.length < 110, `CSV of the part zoomed to has ${lines.length} lines`);
  const svg = await page.evaluate(() => new DOMParser().parseFromString(window.holon.svg(0), "image/svg+xml").querySelectorAll("path[stroke-width], g path").length);
  check(svg >= 4, "the SVG has no curves");
  writeFileSync(join(folder, "chart.svg"), await page.evaluate(() => window.holon.svg(0)));
  await page.mouse.dblclick(box.x + box.width / 2, box.y + 30);
  const whole = await page.evaluate(() => window.holon.charts.list.map((c) => c.plot.scales.x.max));
  check(whole.every((x) => x === 10), `a double click shows up to ${whole}`);
}

/** degrees, curves left out, one curve over another, cursors one above the other */
async function chartModes(page, recorded) {
  // without waiting for the scene, which takes its time without a graphics card
  const press = (selector, index = 0) => page.evaluate(([s, k]) => document.querySelectorAll(s)[k].click(), [selector, index]);
  await press("#degrees");
  const shown = await page.evaluate(() => window.holon.series(0).map((s) => ({ name: s.name, unit: s.unit, last: s.values.at(-1) })));
  check(shown[0].unit === "°", `angles are shown in ${shown[0].unit}`);
  near(shown[0].last, (recorded.column("A.angle").at(-1) * 180) / Math.PI, 1e-9, "an angle in degrees");
  near(shown.find((s) => s.name === "crank.omega").last, (recorded.column("crank.omega").at(-1) * 30) / Math.PI, 1e-9, "a speed in turns per minute");
  check(shown.find((s) => s.name === "crank.omega").unit === "rpm", "speeds are not in turns per minute");
  await press("#degrees");
  check((await page.evaluate(() => window.holon.series(0)[0].unit)) === "rad", "degrees cannot be left");
  const left = await page.evaluate(() => window.holon.charts.list.map((c) => [c.plot.bbox.left, c.plot.bbox.width].join()));
  check(new Set(left).size === 1, `charts are not aligned: ${left.join(" and ")}`);
  await press(".chart .chip .name", 1);
  check(!(await page.evaluate(() => window.holon.series(0).some((s) => s.name === "B.angle"))), "a curve cannot be left out");
  await press(".chart .chip .name", 1);
  await page.evaluate(() => {
    const chart = window.holon.charts.create(["coupler.x", "coupler.y"], false, "");
    chart.setMode("xy");
  });
  const path = await page.evaluate(() => {
    const { xyPlot, data } = window.holon.charts.list.at(-1);
    const k = 123;
    xyPlot.mark(k);
    const [x, y] = xyPlot.pairs[0].dot.getAttribute("transform").match(/[-\d.]+/g).map(Number);
    return { equal: xyPlot.equal && xyPlot.per[0] === xyPlot.per[1], off: Math.hypot(x - xyPlot.px(data[1][k]), y - xyPlot.py(data[2][k])) };
  });
  check(path.equal, "a path has two scales");
  check(path.off < 0.2, `the instant is marked ${path.off} pixels off`);
  const axis = await page.evaluate(() => window.holon.charts.list[0].plot.axes[0].label);
  check(/\[s\]/.test(axis), "the time axis has no unit");
}

async function keyboard(page, recorded) {
  await page.evaluate(() => document.activeElement?.blur?.());
  await seek(page, recorded.value(50, "time"));
  await page.keyboard.press("ArrowRight");
  near(await time(page), recorded.value(51, "time"), 1e-12, "one frame ahead");
  await page.keyboard.press("Shift+ArrowLeft");
  near(await time(page), recorded.value(41, "time"), 1e-12, "ten frames back");
  await page.keyboard.press("End");
  near(await time(page), 10, 1e-12, "the end");
  const dark = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await dark();
  await page.keyboard.press("d");
  check((await dark()) !== light, "D does not change the colours");
  await page.keyboard.press("d");
  await page.keyboard.press("?");
  check(await page.locator("dialog").isVisible(), "? shows no keys");
  await page.keyboard.press("Escape");
  await seek(page, 3);
}

/** forces with numbers, names apart, tools, and the state in the link */
async function tools() {
  run("run", model("excavator_arm"), "--html", "arm.html", "--out", "arm.csv", "-q");
  const recorded = table("arm.csv");
  let link = "";
  await visit("arm.html", still, async (page) => {
    const row = 200;
    await seek(page, recorded.value(row, "time"));
    const state = await page.evaluate(() => {
      const { viewer } = window.holon;
      viewer.toggleForces();
      viewer.show("names", true);
      viewer.draw();
      const boxes = viewer.labels.list.filter((l) => !l.node.hidden).map((l) => l.node.getBoundingClientRect());
      let overlaps = 0;
      boxes.forEach((a, i) => boxes.slice(0, i).forEach((b) => (overlaps += a.left < b.right && b.left < a.right && a.top < b.bottom - 1 && b.top < a.bottom - 1)));
      const { arrows } = viewer;
      const pivot = arrows.tracks.find((t) => t.element.name === "boom_pivot" && !t.turns);
      return {
        overlaps, shown: boxes.length, text: pivot.label.text,
        turning: arrows.tracks.some((t) => t.turns && t.label?.on),
        onTop: !arrows.material.reaction.depthTest,
        scale: document.querySelector("#arrowscale span").textContent, bar: parseFloat(document.querySelector("#arrowscale i").style.width),
      };
    });
    check(state.shown > 15 && state.overlaps === 0, `${state.overlaps} of ${state.shown} names and numbers lie upon others`);
    const wanted = Math.hypot(recorded.value(row, "boom_pivot.fx"), recorded.value(row, "boom_pivot.fy"));
    near(Number(state.text.split(" ")[0]), wanted, 0.006 * wanted, `the number at the boom's pivot, "${state.text}"`);
    check(state.turning, "torques are not shown");
    check(state.onTop, "bodies hide forces");
    check(/\d N$/.test(state.scale) && state.bar > 20 && state.bar < 200, `the scale of forces says "${state.scale}" at ${state.bar} px`);
    const measured = await page.evaluate(() => {
      const { viewer } = window.holon;
      viewer.pressTool("ruler");
      const body = (name) => viewer.report.model.bodies.findIndex((b) => b.name === name);
      viewer.use({ body: body("boom"), at: [0, 0, 0] });
      viewer.use({ body: body("bucket"), at: [0, 0, 0] });
      viewer.pose();
      const { distance } = viewer.ruler;
      viewer.pressTool("trail");
      viewer.use({ body: body("bucket"), name: "bucket", at: [0.15, -0.55, 0] });
      const trails = viewer.traces.list.length;
      viewer.stage.section(0, 0.5);
      const cut = viewer.stage.renderer.clippingPlanes.length;
      viewer.stage.section(-1, 0);
      viewer.show("strobe", true);
      const ghosts = viewer.strobe.filter((g) => g.group.visible).length;
      return { distance, trails, cut, ghosts };
    });
    near(measured.distance, Math.hypot(recorded.value(row, "boom.x") - recorded.value(row, "bucket.x"), recorded.value(row, "boom.y") - recorded.value(row, "bucket.y")), 1e-4, "the distance measured");
    check(measured.trails === 2 && measured.cut === 1 && measured.ghosts === 7, `trails, section, ghosts: ${JSON.stringify(measured)}`);
    // the projection changes, what is in the middle keeps its size
    const sizes = await page.evaluate(() => {
      const { stage } = window.holon.viewer;
      const apparent = () => {
        const a = stage.controls.target.clone();
        const b = a.clone();
        b.x += 0.1;
        stage.camera.updateMatrixWorld();
        return a.project(stage.camera).distanceTo(b.project(stage.camera).setZ(0).add({ x: 0, y: 0, z: a.z }));
      };
      const before = [stage.flat, apparent()];
      stage.project(false);
      const after = [stage.flat, apparent()];
      stage.project(true);
      return { before, after };
    });
    check(sizes.before[0] && !sizes.after[0], "the projection does not change");
    near(sizes.after[1] / sizes.before[1], 1, 0.02, "the size in the other projection");
    await page.evaluate(() => {
      const { charts, viewer } = window.holon;
      charts.setDegrees(true);
      viewer.stage.goTo([3, 1, 20, 2, 0.5, 0, 1.5]);
    });
    link = await page.evaluate(() => window.holon.link());
    await recording(page);
  }, "forces");
  await visit("arm.html", { hash: `#${link}` }, async (page) => {
    const state = await page.evaluate(() => {
      const { viewer, charts, player } = window.holon;
      viewer.draw();
      return { time: player.time, playing: player.playing, degrees: charts.degrees, names: viewer.shown.names, at: viewer.stage.controls.target.toArray(), flat: viewer.stage.flat, unit: window.holon.series(0)[0].unit };
    });
    near(state.time, recorded.value(200, "time"), 1e-6, "the time in the link");
    check(!state.playing && state.degrees && state.names && state.flat && state.unit === "°", `the link opens as ${JSON.stringify(state)}`);
    near(state.at[0], 2, 1e-6, "the view in the link");
  });
  // what others wrote into a link does no harm
  await visit("arm.html", { hash: "#t=x&charts=[{%22y%22:[%22<img src=x onerror=alert(1)>%22]}]&from=1,2&show=%E0&zoom=,&follow=nobody" }, async (page) => {
    check((await page.evaluate(() => window.holon.charts.list.length)) > 1, "a broken link breaks the page");
    check((await page.locator("img").count()) === 0, "a link puts elements into the page");
  });
}

/** pictures, films and frames made by the page */
async function recording(page) {
  const begin = (code, count) => page.evaluate(async ([c, n]) => {
    const blob = await new Function("holon", `return ${c}`)(window.holon);
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return { size: bytes.length, first: [...bytes.slice(0, 4)], last: [...bytes.slice(-n)] };
  }, [code, count]);
  const png = await begin("holon.picture()", 8);
  check(png.first.join() === "137,80,78,71" && png.size > 3000, `a picture of ${png.size} bytes begins with ${png.first}`);
  const zip = await begin("holon.frames(25, 3)", 22);
  check(zip.first.join() === "80,75,3,4" && zip.last[10] === 3, `an archive of ${zip.last[10]} frames begins with ${zip.first}`);
  if (await page.evaluate(() => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm"))) {
    const film = await begin("holon.film(1)", 4);
    check(film.first.join() === "26,69,223,163", `a film of ${film.size} bytes begins with ${film.first}`);
  }
}

/** results laid over each other, and modes of which one is picked */
async function variants() {
  run("run", model("four_bar"), "--out", "light.csv", "-q");
  run("run", model("four_bar"), "--option", "output_step=0.03", "--option", "duration=7", "--set", "coupler=4.2", "--out", "heavy.csv", "-q");
  run("view", "light.csv", "heavy.csv", "--model", model("four_bar"), "--html", "variants.html");
  await visit("variants.html", still, async (page) => {
    const state = await page.evaluate(() => {
      const { viewer, charts } = window.holon;
      window.holon.seek(3);
      charts.list[0].setMode("difference");
      const name = charts.list[0].names[0];
      return { ghosts: viewer.ghosts.length, runs: viewer.report.runs.map((r) => r.label), name, curves: window.holon.series(0).map((s) => ({ name: s.name, run: s.run, time: [...s.time], values: [...s.values] })) };
    });
    check(state.ghosts === 1 && state.runs.join() === "light,heavy", `ghosts of ${state.runs}`);
    const [light, heavy] = [table("light.csv"), table("heavy.csv")];
    const curve = state.curves.find((c) => c.name === state.name);
    check(state.curves.every((c) => c.run === "heavy"), "the first run has a difference from itself");
    // both have a row at 3 s
    const i = curve.time.findIndex((t) => Math.abs(t - 3) < 1e-9);
    const wanted = heavy.value(heavy.column("time").findIndex((t) => Math.abs(t - 3) < 1e-9), state.name) - light.value(light.column("time").findIndex((t) => Math.abs(t - 3) < 1e-9), state.name);
    near(curve.values[i], wanted, 1e-9, `the difference of ${state.name}`);
  }, "variants");
  run("modes", model("double_wishbone"), "--html", "modes.html");
  await visit("modes.html", still, async (page) => {
    const state = await page.evaluate(() => {
      const { report, player, viewer } = window.holon;
      const ends = [player.end];
      document.querySelectorAll("#legend .run")[1].click();
      ends.push(player.end);
      window.holon.seek(0.25 * player.end);
      return { kind: report.kind, count: report.runs.length, ends, frames: viewer.frames === report.runs[1].frames, pressed: document.querySelector("#legend .run[aria-pressed=true]").textContent, curves: window.holon.series(0).map((s) => s.run) };
    });
    check(state.kind === "pick" && state.count > 1 && state.frames, `modes: ${JSON.stringify(state)}`);
    check(/^mode 2: [\d.]+ Hz/.test(state.pressed) && state.curves.every((r) => r === state.pressed), `picked "${state.pressed}", curves of ${state.curves}`);
  }, "modes");
}

/** contrast of text, names of buttons, colours for people who see fewer of them */
async function accessible() {
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
    });
}

async function spatial() {
  run("run", model("iltis_suspension"), "--html", "iltis.html", "--out", "iltis.csv", "-q");
  const recorded = table("iltis.csv");
  await visit("iltis.html", { ...still, dark: true }, async (page) => {
    await comparePoses(page, recorded, ["arm", "wheel"], 2e-6);
    await page.keyboard.press("f");
    await page.click("[data-panel=scene]");
    await page.waitForTimeout(200);
    check(await page.evaluate(() => window.holon.viewer.shown.reaction), "F shows no forces");
  }, "iltis_dark");
  run("run", model("bricard"), "--html", "bricard.html", "-q");
  await visit("bricard.html", still, async (page) => {
    await page.click("[data-panel=summary]");
    const text = await page.locator("#summary").innerText();
    check(/audit passed/i.test(text) && /redundant rows/i.test(text), "the summary names no redundant rows");
    await seek(page, 3);
  }, "bricard_summary");
}

/** several shapes of a body are where they are and as large as they are; descriptions are texts */
async function described() {
  run("run", join(root, "tests/shapes/shapes.yaml"), "--html", "shapes.html", "--duration", "0.1", "-q");
  await visit("shapes.html", still, async (page) => {
    const found = await page.evaluate(() => {
      const { parts } = window.holon.viewer.mechanism;
      return parts.list.filter((p) => p.key.startsWith("solid")).map((p) => {
        const g = parts.geometries.get(p.key);
        g.computeBoundingBox();
        const { min, max } = g.boundingBox;
        return { kind: JSON.parse(p.key.slice(6)).kind, body: p.body, size: [max.x - min.x, max.y - min.y, max.z - min.z] };
      });
    });
    const wanted = [["tube", 0.3, 0.3, 0.04], ["extrusion", 0.25, 0.03, 0.02], ["cylinder", 0.02, 0.02, 0.2], ["extrusion", 0.4, 0.3, 0.05], ["cone", 0.16, 0.16, 0.2],
      ["cone", 0.08, 0.08, 0.1], ["revolution", 0.4, 0.4, 0.15], ["capsule", 0.06, 0.06, 0.26], ["sphere", 0.1, 0.1, 0.1], ["mesh", 0.29, 0.29, 0.04]];
    check(found.length === wanted.length, `${found.length} shapes`);
    wanted.forEach(([kind, ...size], i) => {
      check(found[i].kind === kind, `shape ${i} is a ${found[i].kind}`);
      size.forEach((s, k) => near(found[i].size[k], s, 0.03 * s, `${kind} ${i}, size ${k}`));
    });
    const colours = await page.evaluate(() => {
      const { mechanism } = window.holon.viewer;
      const { list } = mechanism.parts;
      return { gold: mechanism.color(list.find((p) => p.key.includes("holes") && p.body === 1)), plain: mechanism.color(list.filter((p) => p.body === 1 && p.group === "bodies").at(-1)), joint: mechanism.color(list.find((p) => p.element?.name === "J1")) };
    });
    check(colours.gold === "#d2a53a" && colours.plain === "#3f9b5b" && colours.joint === "#804020", `colours ${JSON.stringify(colours)}`);
    // the picture says what is under the pointer
    const at = await page.evaluate(() => {
      const { viewer } = window.holon;
      const canvas = document.getElementById("view").getBoundingClientRect();
      const p = viewer.mechanism.point(0, [0, -0.02, 0.135], viewer.size.centre.clone()).project(viewer.stage.camera);
      return [canvas.left + (0.5 + 0.5 * p.x) * canvas.width, canvas.top + (0.5 - 0.5 * p.y) * canvas.height];
    });
    await page.mouse.move(...at);
    check((await page.locator("#tip").textContent()) === "flywheelcast; <img src=x onerror=alert(1)> </script>", `the tip says ${await page.locator("#tip").textContent()}`);
    check((await page.locator("img").count()) === 0, "a description puts elements into the page");
  }, "shapes");
}

async function phone() {
  await visit("four_bar.html", { ...still, width: 390, height: 800, phone: true, scale: 2 }, async (page) => {
    await seek(page, 3);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    check(width <= 390, `the page is ${width} pixels wide on a phone of 390`);
    check(await page.locator("#play").isVisible(), "no play button");
    const overlaps = await page.evaluate(() => {
      const [a, b] = ["clock", "tools"].map((id) => document.getElementById(id).getBoundingClientRect());
      return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    });
    check(!overlaps, "the clock lies under the tools");
    const title = await page.evaluate(() => document.getElementById("title").getBoundingClientRect().width);
    check(title > 80, `the title has ${title} pixels`);
  }, "four_bar_phone");
}

async function comparison() {
  run("compare", model("four_bar"), "--methods", "standard,baumgarte,mass-projection", "--steps", "1e-2", "--html", "compare.html");
  await visit("compare.html", still, async (page) => {
    const state = await page.evaluate(() => ({
      ghosts: window.holon.viewer.ghosts.length,
      runs: window.holon.series(2).map((s) => s.run),
      drift: Math.max(...window.holon.series(2).find((s) => s.run === "standard").values.filter(Number.isFinite)),
    }));
    check(state.ghosts === 3, `${state.ghosts} ghosts, not 3`);
    check(state.runs.join() === "reference,standard,baumgarte,mass-projection", `curves of ${state.runs}`);
    check(state.drift > 1e-4, "without correction the violation grows: it does not here");
    await page.click("#legend .run:nth-child(2)");
    check((await page.evaluate(() => window.holon.series(2).length)) === 3, "a run cannot be hidden");
    await page.click("#legend .run:nth-child(2)");
    await seek(page, 9.9);
  }, "compare");
}

/** 2 000 bodies: the scene must stay usable, even drawn by the processor. Prints when the browser painted first */
async function large() {
  writeFileSync(join(folder, "chain.yaml"), run("generate", "chain", "--n", "2000"));
  run("run", "chain.yaml", "--duration", "0.5", "--option", "output_step=0.01", "--html", "chain.html", "--out", "chain.csv", "-q");
  await visit("chain.html", { ...still, width: 900, height: 600 }, async (page) => {
    const result = await page.evaluate(async () => {
      const { viewer, player } = window.holon;
      const costs = [];
      for (let i = 0; i < 12; i++) {
        player.seek(player.start + (i / 12) * (player.end - player.start));
        const begin = performance.now();
        viewer.pose();
        costs.push(performance.now() - begin);
      }
      player.play(true);
      const begin = performance.now();
      let frames = 0;
      while (performance.now() - begin < 3000) {
        await new Promise((done) => requestAnimationFrame(done));
        frames++;
      }
      player.play(false);
      costs.sort((a, b) => a - b);
      return { bodies: viewer.report.model.bodies.length, pose: costs[6], rate: frames / 3 };
    });
    const paint = await page.evaluate(() => performance.getEntriesByType("paint").find((e) => e.name === "first-contentful-paint")?.startTime ?? NaN);
    const size = statSync(join(folder, "chain.html")).size;
    console.log(`2 000 bodies: painted first after ${paint.toFixed(0)} ms, ready after ${(await page.evaluate(() => window.holon.readyAfter)).toFixed(0)} ms (${(size / 1e6).toFixed(1)} MB), ${result.pose.toFixed(1)} ms to move them, ${result.rate.toFixed(1)} pictures a second without a graphics card`);
    check(result.bodies === 2000, `${result.bodies} bodies`);
    check(result.rate > 0, "nothing is drawn while it plays");
    const recorded = table("chain.csv");
    await comparePoses(page, recorded, ["bar0", "bar999", "bar1999"], 2e-4);
  }, "chain_2000");
}

/** 100 001 rows: thinned out, and said so; what is shown are recorded rows */
async function long() {
  run("run", model("four_bar"), "--option", "output_step=1e-4", "--html", "long.html", "--out", "long.csv", "-q");
  await visit("long.html", still, async (page) => {
    const said = await page.locator("#thinned").textContent();
    check(/smallest and largest/.test(said), `the page says "${said}"`);
    const state = await page.evaluate(() => ({ rows: window.holon.report.runs[0].rows, stride: window.holon.report.runs[0].frames.stride, most: Math.max(...window.holon.charts.list.flatMap((c, k) => window.holon.series(k)).find((s) => s.name === "energy.kinetic").values) }));
    check(state.rows === 100001 && state.stride > 1, `${state.rows} rows, every ${state.stride}th`);
    const recorded = table("long.csv");
    near(state.most, recorded.column("energy.kinetic").reduce((a, b) => Math.max(a, b)), 1e-5, "the largest kinetic energy");
    const row = state.stride * 1234;
    await seek(page, recorded.value(row, "time"));
    near((await pose(page, "coupler")).position[0], recorded.value(row, "coupler.x"), 2e-6, "coupler.x");
  });
}

async function others() {
  run("view", "four_bar.csv", "--html", "bare.html");
  await visit("bare.html", still, async (page) => {
    await comparePoses(page, table("four_bar.csv"), ["coupler"], 2e-6);
    check(/not audited/.test(await page.locator("#badges").textContent()), "a result alone has an audit");
  });
  run("run", model("four_bar"), "--option", "audit_energy=1e-15", "--html", "failed.html", "-q");
  await visit("failed.html", still, async (page) => {
    check(/audit failed/.test(await page.locator("#badges").textContent()), "a failed audit is not shown");
  });
  for (const [name, t] of [["rolling_disk", 1.2], ["spatial_slider_crank", 0.4]]) {
    run("run", model(name), "--html", `${name}.html`, "-q");
    await visit(`${name}.html`, still, (page) => seek(page, t), name);
  }
}

/** without WebGL charts and summary still work */
async function blind() {
  const other = await launch(["--disable-3d-apis"]);
  const { page, close } = await open(other, join(folder, "four_bar.html"));
  check(/no WebGL/.test(await page.locator("#blind").textContent()), "nothing is said about WebGL");
  check((await page.locator(".chart").count()) === 3, "no charts without WebGL");
  await close();
  await other.close();
}

/** the page of a study: pictures are drawn, a click chooses a run, its command repeats it */
async function study() {
  const words = ["study", join(root, "studies/four_bar.yaml"), "--out", "study.db", "--csv", "study.csv", "--html", "study.html", "-q"];
  run(...words);
  const rows = readFileSync(join(folder, "study.csv"), "utf8").trim().split("\n").map((line) => line.split(","));
  await visit("study.html", { height: 1500 }, async (page) => {
    check((await page.locator("#effects canvas").count()) === 5, "effects of every metric");
    check((await page.locator("#spread canvas").count()) === 6, "distributions of metrics and constraints");
    const drawn = await page.evaluate(() => [...document.querySelectorAll("canvas")].every((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((x) => x > 0)));
    check(drawn, "a picture is empty");
    // the point of run 5 in the cell of crank and coupler, by its place between the extremes
    const place = (name) => {
      const k = rows[0].indexOf(name);
      const list = rows.slice(1).map((r) => Number(r[k]));
      return (list[5] - Math.min(...list)) / (Math.max(...list) - Math.min(...list));
    };
    const box = await page.locator("#matrix canvas").boundingBox();
    const cell = box.width / 7;
    await page.mouse.click(box.x + cell + 5 + place("coupler") * (cell - 10), box.y + cell - 5 - place("crank") * (cell - 10));
    const said = await page.locator("#run").textContent();
    const number = Number(/run (\d+):/.exec(said)?.[1]);
    check(number === 5, `a click on run 5 says "${said.slice(0, 40)}"`);
    const command = await page.locator("#run pre").textContent();
    check(command === run("study", join(root, "studies/four_bar.yaml"), "--show", "5").trim().split("\n").pop(), command);
    run(...command.replace("holon ", "").split(" "), "-q");
    // a range on an axis hides the rest
    const axis = await page.locator("#parallel canvas").boundingBox();
    await page.mouse.move(axis.x + 40, axis.y + 100);
    await page.mouse.down();
    await page.mouse.move(axis.x + 40, axis.y + 200);
    await page.mouse.up();
    check((await page.evaluate(() => window.holonStudy.limits.size)) === 1, "dragging along an axis sets no range");
  }, "study");
}

/** what the program says to a model that is wrong */
function holonSays(text) {
  writeFileSync(join(folder, "four_bar.yaml"), text);
  try {
    execFileSync(holon, ["check", "four_bar.yaml"], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    return error.stderr.trim();
  }
  return "";
}

const harness = { run, visit, check, near, seek, table, model, folder, holonSays, read: (name) => readFileSync(join(folder, name), "utf8"), write: (name, text) => writeFileSync(join(folder, name), text) };

/** what is drawn is where it is */
async function drawn() {
  await drawnTests(harness);
}

/** a build without WebAssembly refuses in words, and there is nothing to look at */
async function live() {
  try {
    execFileSync(holon, ["view", "--live", model("pendulum"), "--html", join(folder, "can.html")], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    check(/has no pages that compute/.test(error.stderr), error.stderr);
    return;
  }
  await liveTests(harness);
}

/** only when asked for */
async function timing() {
  await liveTiming(harness);
}

// ---- all of them -------------------------------------------------------------------------------

if (!browserPath) {
  console.log("failed: no chromium was found (Debian: scripts/setup.sh test; HN_CHROMIUM names another)");
  console.log("0 passed, 1 failed");
  process.exit(1);
}
browser = await launch();
const only = process.argv.slice(2);

async function carryOut(test) {
  const begin = Date.now();
  try {
    await about.run(test.name, test);
  } catch (error) {
    about.run(test.name, () => check(false, String(error?.stack ?? error)));
  }
  console.log(`${test.name}: ${((Date.now() - begin) / 1000).toFixed(1)} s`);
}

const tests = [planar, live, drawn, tools, variants, large, spatial, accessible, described, phone, comparison, long, others, blind, study, timing]
  .filter((test) => (only.length ? only.includes(test.name) : test !== timing));
// others look at the page of the first one; a browser without a graphics card draws with one processor for each page
if (tests[0] === planar) await carryOut(tests.shift());
const lane = async () => {
  while (tests.length) await carryOut(tests.shift());
};
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane));
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
