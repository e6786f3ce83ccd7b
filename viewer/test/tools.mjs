// tools.mjs: forces, names, measuring, links, films; several runs and modes in one page.
import { check, model, near, run, seek, still, table, visit } from "./harness.mjs";

/** forces with numbers, names apart, tools, and the state in the link */
export async function tools() {
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
export async function variants() {
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
  // an equilibrium is one instant: numbers in place of curves, those that statics says
  const said = run("statics", model("excavator_arm"), "--html", "statics.html");
  await visit("statics.html", still, async (page) => {
    const state = await page.evaluate(() => ({
      plots: document.querySelectorAll(".u-wrap").length,
      play: document.getElementById("transport").getBoundingClientRect().height,
      titles: window.holon.charts.list.map((c) => c.title),
      force: document.querySelector("b[data-name='boom_pivot.fy']")?.textContent,
    }));
    check(state.plots === 0 && state.play === 0, `of one instant there are ${state.plots} plots and ${state.play} pixels of transport`);
    check(state.titles.join() === "coordinates,forces,torques", `of one instant are shown ${state.titles}`);
    const number = (text) => Number((text ?? "").replace("−", "-").replace(/[^-\d.].*$/, ""));
    const [, wanted] = /boom_pivot .* fy=(\S+)/.exec(said);
    near(number(state.force), Number(wanted), 1e-4 * Math.abs(wanted), `the force on the boom, "${state.force}"`);
  }, "statics");
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

export async function comparison() {
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
