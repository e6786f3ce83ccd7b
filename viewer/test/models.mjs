// models.mjs: machines in space, shapes, large and long runs, results without a model.
import { statSync } from "node:fs";
import { join } from "node:path";
import { check, comparePoses, folder, fourBar, model, near, pose, root, run, seek, still, table, visit, write } from "./harness.mjs";

export async function spatial() {
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
export async function described() {
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

/** 2 000 bodies: the scene must stay usable, even drawn by the processor. Prints when the browser painted first */
export async function large() {
  write("chain.yaml", run("generate", "chain", "--n", "2000"));
  run("run", "chain.yaml", "--duration", "0.5", "--option", "output_step=0.01", "--html", "chain.html", "--out", "chain.csv", "-q");
  // how soon a browser paints anything at all
  const firstPaint = (page) => page.waitForFunction(() => performance.getEntriesByType("paint").find((e) => e.name === "first-contentful-paint")?.startTime).then((found) => found.jsonValue());
  write("empty.html", '<!doctype html><html data-ready="yes"><body>nothing</body></html>');
  let least = NaN;
  await visit("empty.html", { width: 900, height: 600 }, async (page) => void (least = await firstPaint(page)));
  await visit("chain.html", { ...still, width: 900, height: 600 }, async (page) => {
    const paint = await firstPaint(page);
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
    const ready = await page.evaluate(() => window.holon.readyAfter);
    const size = statSync(join(folder, "chain.html")).size;
    console.log(`2 000 bodies: painted first after ${paint.toFixed(0)} ms (a page with nothing in it ${least.toFixed(0)} ms), ready after ${ready.toFixed(0)} ms (${(size / 1e6).toFixed(1)} MB), ${result.pose.toFixed(1)} ms to move them, ${result.rate.toFixed(1)} pictures a second without a graphics card`);
    check(paint > 0 && ready > 0, `when the page was seen and ready is not known: ${paint} and ${ready} ms`);
    check(result.bodies === 2000, `${result.bodies} bodies`);
    check(result.rate > 0, "nothing is drawn while it plays");
    const recorded = table("chain.csv");
    await comparePoses(page, recorded, ["bar0", "bar999", "bar1999"], 2e-4);
  }, "chain_2000");
}

/** 100 001 rows: thinned out, and said so; what is shown are recorded rows */
export async function long() {
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

export async function others() {
  const recorded = fourBar();
  run("view", "four_bar.csv", "--html", "bare.html");
  await visit("bare.html", still, async (page) => {
    await comparePoses(page, recorded, ["coupler"], 2e-6);
    check(/not audited/.test(await page.locator("#badges").textContent()), "a result alone has an audit");
    check(await page.evaluate(() => window.holon.viewer.stage.size.planar), "what has no z is not seen as planar");
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
