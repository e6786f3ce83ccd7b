// charts.mjs: the page of a planar mechanism: playing, poses, charts with all they can do, keys.
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, comparePoses, folder, fourBar, near, seek, still, time, visit } from "./harness.mjs";

export async function planar() {
  const recorded = fourBar();
  check(statSync(join(folder, "four_bar.html")).size < 1.5e6, "the page is larger than 1.5 MB");
  await visit("four_bar.html", {}, async (page) => {
    const before = await time(page);
    await page.waitForFunction((t) => window.holon.time() > t + 0.2, before);
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
  // a name, its value and the cross to remove it stand in one line
  const high = await page.evaluate(() => Math.max(...[...document.querySelectorAll(".chip")].map((c) => c.getBoundingClientRect().height)));
  check(high < 24, `a name in a legend takes ${high} pixels of height`);
  // numbers of ticks differ from each other, however small their steps
  const ticks = await page.evaluate(() => {
    const { axes } = window.holon.charts.list[0].plot;
    return [[4.0003, 4.00035, 4.0004], [1e6, 1e6 + 1e-3], [0, 0.5, 1], [-2e-7, 0, 2e-7]].map((list) => axes[1].values(null, list));
  });
  check(ticks.every((list) => new Set(list).size === list.length), `ticks are called ${JSON.stringify(ticks)}`);
  check(ticks[2].join() === "0,0.5,1", `plain ticks are called ${ticks[2]}`);
  // a curve that lies upon another lets it show through; others are drawn as they are, and so is the one when it is alone
  const dashed = await page.evaluate(() => {
    const chart = window.holon.charts.list[0];
    const kept = chart.names;
    const drawn = [["crank.omega", "A.angle_rate", "coupler.omega"], ["A.angle_rate", "coupler.omega"], ["crank.angle", "A.angle_rate"]].map((names) => {
      chart.names = names;
      chart.draw();
      // lines, and the samples of them beside the names
      return chart.plot.series.slice(1).map((x) => (x.dash ? "-" : "_")).join("") + [...chart.chips.querySelectorAll("i")].map((i) => (/repeating/.test(i.style.background) ? "-" : "_")).join("");
    });
    chart.names = kept;
    chart.draw();
    return drawn.join(" ");
  });
  check(dashed === "_-__-_ ____ ____", `dashes are ${dashed}`);
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
