// live.mjs: the page that computes, in a browser and from disk.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Library } from "../src/library.js";

/** waits until the page has shown one answer more */
async function answered(page, act) {
  const before = await page.evaluate(() => window.holon.live.count);
  await act();
  await page.waitForFunction((n) => window.holon.live.count > n && !window.holon.live.busy && !window.holon.live.wanted, before);
}

const ready = (page) => page.waitForFunction(() => !window.holon.live.busy);

/** moves a slider as a finger does, without waiting for the scene to be drawn */
const slide = (page, name, value) => page.evaluate(([n, v]) => {
  const control = window.holon.live.list.find((c) => c.name === n);
  control.slider.value = String(v);
  control.slider.dispatchEvent(new Event("input"));
}, [name, value]);

const edit = (page, from, to) => page.evaluate(([a, b]) => {
  const { area } = window.holon.live;
  area.value = area.value.replace(a, b);
  area.dispatchEvent(new Event("input"));
}, [from, to]);

const last = (page, name) => page.evaluate((n) => window.holon.report.runs[0].columns.values(n).at(-1), name);

/** a slider, and what the program says to the same value */
async function sliders(page, { run, table, near, check, model }) {
  const names = await page.evaluate(() => window.holon.live.list.map((c) => c.name));
  check(names.join() === "crank,coupler,follower,base,start", `sliders for ${names}`);
  await answered(page, () => slide(page, "crank", 1.5));
  run("run", model("four_bar"), "--set", "crank=1.5", "--out", "shorter.csv", "-q");
  const wanted = table("shorter.csv");
  near(await last(page, "A.angle"), wanted.column("A.angle").at(-1), 1e-6, "the last angle after a slider");
  const drawn = await page.evaluate(() => [...window.holon.series(0).find((s) => s.name === "A.angle").values]);
  check(drawn.length === wanted.rows.length && Math.abs(drawn.at(-1) - wanted.column("A.angle").at(-1)) < 1e-6, "the chart did not follow");
  await page.evaluate(() => window.holon.seek(4));
  const { position } = await page.evaluate(() => window.holon.bodyPose("coupler"));
  near(position[0], wanted.value(200, "coupler.x"), 1e-5, "the scene did not follow");
  const summary = await page.evaluate(() => document.getElementById("summary").textContent);
  check(/audit passed/.test(summary), "the audit did not follow");
  // a linkage that cannot close says so, and the last good motion stays
  const before = await page.evaluate(() => window.holon.live.count);
  await slide(page, "crank", 9);
  await page.evaluate(() => {
    const control = window.holon.live.list.find((c) => c.name === "crank");
    const number = control.node.querySelector("input[type=text]");
    number.value = "9";
    number.dispatchEvent(new Event("change"));
  });
  await page.waitForFunction(() => !window.holon.live.busy && !window.holon.live.wanted && document.querySelector("#live .state.bad"));
  check((await page.evaluate(() => window.holon.live.count)) >= before, "answers were lost");
  await answered(page, () => page.evaluate(() => window.holon.live.reset()));
  check((await page.locator("#live .state.bad").count()) === 0, "reset does not take the failure back");
}

/** what a change does not touch is not made anew, what it does is, and nothing is left behind */
async function reuse(page, { check, near }) {
  const state = () => page.evaluate(() => {
    const { viewer } = window.holon;
    const crank = viewer.parts.list.find((p) => p.body === 0 && p.group === "bodies");
    const all = [...viewer.parts.geometries.values()];
    window.kept ??= new Set(all);
    const box = viewer.parts.geometries.get(crank.key);
    box.computeBoundingBox();
    return { made: all.filter((g) => !window.kept.has(g)).length, all: all.length, length: box.boundingBox.max.x - box.boundingBox.min.x, held: viewer.stage.renderer.info.memory.geometries, w: viewer.parts.w };
  });
  const before = await state();
  await answered(page, () => slide(page, "start", 0.9));
  const turned = await state();
  check(turned.made === 0, `${turned.made} of ${turned.all} shapes were made anew for a linkage that starts elsewhere`);
  await answered(page, () => slide(page, "crank", 1.9));
  const shorter = await state();
  check(shorter.made > 0 && shorter.made < shorter.all, `${shorter.made} of ${shorter.all} shapes were made anew for a shorter crank`);
  near(shorter.length - before.length, -0.1, 1e-4, "how much shorter the crank is drawn");
  check(shorter.w === before.w, "bars get thinner with a crank 5 % shorter");
  for (const x of [1.95, 1.9, 1.85, 2]) await answered(page, () => slide(page, "crank", x));
  await page.evaluate(() => window.holon.viewer.draw());
  const after = await state();
  check(after.held <= before.held, `${after.held} shapes are held by the graphics card, ${before.held} before`);
}

/** the same errors as the program's, at the same places */
async function errors(page, { holonSays, check }) {
  for (const [from, to] of [["mass: 2.25", "mas: 2.25"], ["type: revolute, b: crank", "type: revolut, b: crank"], ["gravity: [0, -9.81]", "gravity: [0, -9.81"], ["crank: 2\n", "crank: 2 kgg\n"]]) {
    await edit(page, from, to);
    await page.waitForFunction(() => !window.holon.live.trouble.hidden && !window.holon.live.busy);
    const said = await page.evaluate(() => window.holon.live.trouble.textContent);
    const text = await page.evaluate(() => window.holon.live.area.value);
    const wanted = holonSays(text);
    check(said === wanted, `the page says "${said}", the program "${wanted}"`);
    const line = await page.evaluate(() => document.querySelector("#source .wrong")?.textContent);
    check(line === wanted.split(":")[1], `line ${line} is marked for "${wanted}"`);
    await answered(page, () => edit(page, to, from));
    check(await page.evaluate(() => window.holon.live.trouble.hidden), "the error stays");
  }
}

/** the link opens the page with the text and the values in it */
async function link(page, visitAgain, check) {
  await answered(page, () => edit(page, "duration: 10", "duration: 3"));
  check((await page.evaluate(() => window.holon.player.end)) === 3, "the player does not know the new end");
  await answered(page, () => slide(page, "coupler", 4.4));
  const hash = await page.evaluate(() => window.holon.link());
  const wanted = await last(page, "D.angle");
  await visitAgain(`#${hash}`, async (other) => {
    await other.waitForFunction(() => window.holon.live.count > 0);
    check((await last(other, "D.angle")) === wanted, "the link shows another run");
    check(/duration: 3/.test(await other.evaluate(() => window.holon.live.area.value)), "the link has lost the text");
  });
}

/** what takes long is shown in parts, over the time it will have, and a new wish does not wait for its end */
async function parts(page, { check, near }) {
  await page.evaluate(() => {
    const { live, player, charts } = window.holon;
    const { show } = live;
    window.told = [];
    live.show = (report, how) => {
      const before = window.holon.bodyPose("crank").orientation;
      show(report, how);
      const said = { part: report.part, drawn: how.drawn, rows: report.runs[0].rows, until: report.runs[0].frames.end, end: player.end, axis: [], stays: window.holon.bodyPose("crank").orientation.every((x, i) => x === before[i]) };
      window.told.push(said);
      // the chart's axes follow when all that is to be changed was
      queueMicrotask(() => queueMicrotask(() => (said.axis = [charts.list[0].plot.scales.x.min, charts.list[0].plot.scales.x.max])));
    };
    window.holon.seek(8);
  });
  await answered(page, () => edit(page, "duration: 10", "duration: 400"));
  const told = await page.evaluate(() => window.told);
  const early = told.filter((a) => a.part < 1);
  check(early.length > 0, "nothing was shown before the run was complete");
  check(early.every((a) => a.end === 400 && a.axis[0] === 0 && a.axis[1] === 400), `of a part the time ends at ${early.map((a) => a.end)}, its axes ${early.map((a) => a.axis)}`);
  check(early.every((a) => a.until > 8 || a.stays), "an instant that is not computed yet shows another one");
  near(early[0].part, early[0].until / 400, 0.01, "the part that is done");
  const whole = told.filter((a) => a.part === 1);
  check(whole.length === 1 && whole[0].rows === 20001, `all rows, before they are verified: ${JSON.stringify(whole)}`);
  check(told.at(-1).part === undefined && told.at(-1).drawn, "what is drawn already is drawn again");
  check(/audit passed/.test(await page.locator("#badges").textContent()), "no verdict in the end");
  // overtaken: the run under way is given up, the last wish is answered
  const count = await page.evaluate(async () => {
    const { live } = window.holon;
    const before = live.count;
    const slide = (x) => {
      const { slider } = live.list.find((c) => c.name === "crank");
      slider.value = String(x);
      slider.dispatchEvent(new Event("input"));
    };
    // the next wish comes with the first part of an answer, before that is drawn: drawing may take
    // longer than the rest of the run
    await new Promise((done) => {
      const { show } = live;
      const wishes = [1.8, 1.7];
      live.show = (report, how) => {
        if (wishes.length) slide(wishes.shift());
        else {
          live.show = show;
          done();
        }
        show(report, how);
      };
      slide(1.9);
    });
    while (live.busy || live.wanted) await new Promise((done) => setTimeout(done, 20));
    return live.count - before;
  });
  check(count === 1, `${count} runs were finished, not the last alone`);
  check(JSON.stringify(await page.evaluate(() => window.holon.live.task().set)) === '[["crank","1.7"]]', "the last wish is not what was run");
}

/** a run that is looked at on the way is the same to the last bit */
function undisturbed({ read, model, check }) {
  const packed = /id="holon-library">([^<]*)</.exec(read("live.html"))[1];
  const module = new WebAssembly.Module(gunzipSync(Buffer.from(packed, "base64")));
  for (const name of ["woodpecker", "newtons_cradle", "double_wishbone"]) {
    const told = [];
    const task = { name, text: readFileSync(model(name), "utf8") };
    const [alone, watched] = [undefined, { after: 1, tell: (part) => void told.push(part) }].map((parts) => new Library(module).run(task, parts));
    check(told.length > 1, `${name}: ${told.length} parts were told`);
    check(told.at(-1).part === 1 && watched.numbers === null, `${name}: numbers come twice`);
    check(Buffer.compare(Buffer.from(alone.numbers), Buffer.from(told.at(-1).numbers)) === 0, `${name}: numbers differ when parts are told`);
    // where the numbers are is said again, with what is known only now
    const places = ({ runs: [{ frames, columns }] }) => JSON.stringify([frames, columns]);
    check(places(JSON.parse(watched.json)) === places(JSON.parse(told.at(-1).json)), `${name}: the verified run has its numbers elsewhere`);
    check(JSON.parse(watched.json).runs[0].summary.audit.length > 5, `${name}: no audit`);
    // a companion in another thread, whose numbers come when the run is complete, says the same; one that does not come, too
    for (const there of [true, false]) {
      const run = new Library(module);
      check(run.run(task, undefined, true).waiting, `${name}: is not left to be verified`);
      const numbers = there ? new Library(module).companion(task, 10) : null;
      check(!there || numbers?.length > 100, `${name}: there is no companion`);
      const beside = run.verify(numbers);
      const bare = (json) => json.replace(/"wall":[^,]*,/, "");
      check(bare(beside.json) === bare(alone.json), `${name}: verified beside, ${there ? "with" : "without"} a companion, the run is another`);
      check(Buffer.compare(Buffer.from(beside.numbers), Buffer.from(alone.numbers)) === 0, `${name}: its numbers are others`);
    }
  }
  // what fails is said at once, and leaves nothing behind
  const run = new Library(module);
  const said = run.run({ name: "wrong", text: "bodies: {a: {mas: 1}}" }, undefined, true);
  check(!said.waiting && /unknown key/.test(said.message), `what is wrong is told so: ${said.message}`);
  check(run.companion({ name: "wrong", text: "bodies: {a: {mas: 1}}" }, 10) === null, "a companion of nothing");
}

/** two threads where there are two processors; one that is lost is done without */
async function second(page, check) {
  const seconds = () => page.evaluate(() => window.holon.live.seconds.has(window.holon.live.worker));
  check((await seconds()) === (await page.evaluate(() => navigator.hardwareConcurrency > 1)), "a second thread is missing");
  await answered(page, () => slide(page, "crank", 1.95));
  const wanted = await last(page, "D.angle");
  await page.evaluate(() => {
    const { live } = window.holon;
    live.seconds.get(live.worker)?.terminate();
    live.worker.postMessage({ port: null });
  });
  await answered(page, () => slide(page, "crank", 1.9));
  await answered(page, () => slide(page, "crank", 1.95));
  check((await last(page, "D.angle")) === wanted, "without a second thread the run is another");
  check(/audit passed/.test(await page.locator("#badges").textContent()), "without a second thread there is no verdict");
}

/** a page with several models, as the gallery of the site is: one is named in the link, another is chosen */
async function several({ visit, read, write, check, near }) {
  const texts = { falling: "name: falling <b>\ngravity: [0, -2]\nsimulation: {duration: 3, output_step: 0.1}\nbodies:\n  stone: {type: planar-point, mass: 1}\n", pushed: inputs };
  const models = JSON.stringify(texts).replaceAll("<", "\\u003c");
  write("several.html", read("live.html").replace('<script type="text/plain" id="holon-library">', (at) => `<script type="application/json" id="holon-models">${models}</script>\n${at}`));
  await visit("several.html", { hash: "#still&model=falling" }, async (page) => {
    await page.waitForFunction(() => window.holon.live.count > 0);
    near(await last(page, "stone.y"), -9, 1e-6, "what falls for 3 s at 2 m/s^2");
    check((await page.locator("#title").textContent()) === "falling <b>", "the title is that of another model");
    check((await page.evaluate(() => window.holon.player.end)) === 3, "the player has another model's end");
    check(await page.evaluate(() => window.holon.charts.list.every((c) => c.names.every((n) => window.holon.report.runs[0].columns.has(n)))), "charts of another model stay");
    await answered(page, () => page.evaluate(() => {
      const { chooser } = window.holon.live;
      chooser.value = "pushed";
      chooser.dispatchEvent(new Event("change"));
    }));
    near(await last(page, "sled.x"), 0.25, 1e-6, "the place of the other model");
    check(/model=pushed/.test(await page.evaluate(() => window.holon.link())), "the link does not name the model");
    check((await page.evaluate(() => window.holon.live.list.map((c) => c.name).join())) === "m,push", "sliders of another model stay");
    // charts are those of the whole run, also where its beginning was shown first and would have others
    await page.evaluate(() => {
      const { live } = window.holon;
      const { show } = live;
      const part = (rows, done) => {
        const report = { ...window.whole, part: done, charts: rows < 1e9 ? [{ title: "motion", unit: "m", names: ["sled.x"] }] : [{ title: "speed", unit: "m/s", names: ["sled.vx"] }] };
        show(report, { fresh: rows === 1 });
      };
      window.whole = { ...window.holon.report };
      part(1, 0.1);
      window.first = window.holon.charts.list.map((c) => c.names.join()).join(";");
      part(2, 0.4);
      part(1e9, 1);
    });
    const chosen = await page.evaluate(() => [window.first, window.holon.charts.list.map((c) => c.names.join()).join(";")].join(" then "));
    check(chosen === "sled.x then sled.vx", `charts are ${chosen}`);
    // but not those that somebody has chosen meanwhile
    await page.evaluate(() => {
      const { live, charts } = window.holon;
      live.show({ ...window.whole, part: 0.1, charts: [{ title: "motion", unit: "m", names: ["sled.x"] }] }, { fresh: true });
      charts.toggle("sled.y");
      live.show({ ...window.whole, part: 1, charts: [{ title: "speed", unit: "m/s", names: ["sled.vx"] }] }, {});
    });
    check((await page.evaluate(() => window.holon.charts.list[0].names.join())) === "sled.x,sled.y", "charts that were changed meanwhile are changed back");
  }, "live_several");
}

const inputs = `name: pushed
simulation: {duration: 1, output_step: 0.1}
parameters: {m: 2 kg}
signals:
  push: {input: 1, unit: N}
bodies:
  sled: {type: planar-point, mass: m}
forces:
  f: {type: force, b: sled, force: [push, 0]}
`;

/** small enough to be mailed, and nothing is lost on the way: the numbers it begins with are those of the program */
async function mailed({ run, visit, check, table, model, folder }) {
  // those of the platform are more than a page carries in full
  for (const [name, places] of [["double_wishbone", 0], ["stewart_platform", 1e-7]]) {
    run("view", "--live", model(name), "--html", `${name}.html`);
    const { size } = statSync(join(folder, `${name}.html`));
    check(size < 2.5e6, `the page of ${name} has ${size} bytes`);
    run("run", model(name), "--out", `${name}.csv`, "-q");
    const wanted = table(`${name}.csv`);
    await visit(`${name}.html`, { hash: "#still" }, async (page) => {
      const { names, columns, poses } = await page.evaluate(() => {
        const [{ columns, frames }] = window.holon.report.runs;
        const bodies = window.holon.report.model.bodies.map((b) => b.name);
        const at = frames.count - 1;
        return { names: columns.names, columns: columns.names.map((n) => [...columns.values(n)]), poses: bodies.map((name, i) => [name, [...frames.pose.subarray(7 * (at * frames.bodies + i), 7 * (at * frames.bodies + i) + 7)]]) };
      });
      const wrong = names.filter((n, i) => columns[i].length !== wanted.rows.length || columns[i].some((x, k) => !(Math.abs(x - wanted.column(n)[k]) <= places * Math.abs(x) + (places && 1e-37))));
      check(names.length > 50 && !wrong.length, `${name}: ${wrong.length} of ${names.length} columns are not the program's: ${wrong.slice(0, 3)}`);
      const off = poses.filter(([body, pose]) => ["x", "y", "z", "q0", "q1", "q2", "q3"].some((q, k) => !(Math.abs(pose[k] - wanted.column(`${body}.${q}`).at(-1)) <= 1e-7 * Math.max(1, Math.abs(pose[k])))));
      check(poses.length > 3 && !off.length, `${name}: bodies are not where they were: ${off.map(([body]) => body)}`);
    }, `live_${name}`);
  }
}

export async function live({ run, visit, check, near, table, model, folder, read, write, holonSays }) {
  run("view", "--live", model("four_bar"), "--html", "live.html");
  const size = statSync(join(folder, "live.html")).size;
  check(size < 2.5e6, `the page has ${size} bytes`);
  await mailed({ run, visit, check, table, model, folder });
  const still = { hash: "#still" };
  await visit("live.html", still, async (page) => {
    await ready(page);
    await sliders(page, { run, table, near, check, model });
  }, "live");
  await visit("live.html", { hash: "#still&panel=source" }, async (page) => {
    await ready(page);
    await errors(page, { holonSays, check });
    await edit(page, "mass: 2.25", "mas: 2.25");
    await page.waitForFunction(() => !window.holon.live.trouble.hidden && !window.holon.live.busy);
    await page.evaluate(() => window.holon.live.goTo(window.holon.live.place));
  }, "live_error");
  await visit("live.html", still, async (page) => {
    await ready(page);
    await link(page, (hash, act) => visit("live.html", { hash: hash.replace("#", "#still&") }, act), check);
  });
  await visit("live.html", { ...still, width: 390, height: 844, phone: true }, async (page) => {
    await ready(page);
    await answered(page, () => slide(page, "base", 3.2));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= 390, `the page is ${wide} pixels wide on a phone`);
  }, "live_phone");
  await visit("live.html", still, async (page) => {
    await ready(page);
    check((await page.evaluate(() => window.holon.live.count)) === 0, "what was run for the library to get warm counts as an answer");
    await reuse(page, { check, near });
    await second(page, check);
    await answered(page, () => page.evaluate(() => window.holon.live.reset()));
    await parts(page, { check, near });
  });
  undisturbed({ read, model, check });
  await several({ visit, read, write, check, near });
  // a body pushed from rest moves by F t^2 / (2 m)
  write("pushed.yaml", inputs);
  run("run", "pushed.yaml", "--html", "pushed.html", "--live", "--option", "rtol=1e-9", "-q");
  await visit("pushed.html", { ...still, dark: true }, async (page) => {
    await ready(page);
    await answered(page, () => slide(page, "push", 1.6));
    near(await last(page, "sled.x"), 0.4, 1e-9, "the place after an input");
    await answered(page, () => slide(page, "m", 1));
    near(await last(page, "sled.x"), 0.8, 1e-9, "the place after a mass");
    const units = await page.evaluate(() => [...document.querySelectorAll("#live .name")].map((n) => n.textContent).join("; "));
    check(units === "m kg; push N", `what can be changed is called ${units}`);
    // the view follows what grows
    const part = await page.evaluate(() => window.holon.viewer.stage.half / window.holon.viewer.size.radius);
    check(part > 0.5, `only ${part} of the motion is in view`);
    check((await page.evaluate(() => window.holon.report.settings.find((s) => s.name === "rtol").value)) === 1e-9, "options beside the file are lost");
  }, "live_dark");
}

/** how long a change takes [ms]: until something of it is shown, and until all is computed and verified (docs/report.md) */
export async function timing({ run, visit, model }) {
  for (const [name, parameter, factor] of [["four_bar", "crank", 0.99], ["double_wishbone", null, 0.99], ["stewart_platform", "stroke", 0.99]]) {
    run("view", "--live", model(name), "--html", `timing_${name}.html`);
    await visit(`timing_${name}.html`, { hash: "#still" }, async (page) => {
      await ready(page);
      const first = await page.evaluate(() => window.holon.live.list[0]?.name);
      const word = parameter ?? first;
      if (!word) return console.log(`${name}: no parameters`);
      const took = [];
      const value = await page.evaluate((n) => window.holon.live.list.find((c) => c.name === n).value, word);
      for (let k = 0; k < 12; k++) {
        // what was answered before is drawn: without a graphics card that takes all processors
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done))));
        await new Promise((done) => setTimeout(done, 200));
        await answered(page, () => slide(page, word, value * factor ** k));
        took.push(await page.evaluate(() => [window.holon.live.took, window.holon.live.waited]));
      }
      const middle = (k) => took.slice(4).map((t) => t[k]).sort((a, b) => a - b)[4];
      return console.log(`${name}, ${word}: shown after ${middle(1).toFixed(1)} ms, computed and verified in ${middle(0).toFixed(1)} ms (medians of 8)`);
    });
  }
}
