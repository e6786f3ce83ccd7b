// run.mjs: the report page in a real browser. Pictures of what was tested go to build/viewer.
//
//   node test/run.mjs [TEST...]      HOLON names the program, default ../build/holon
//
// Each test stands alone; without names all run but `timing`, two at a time.
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { browserPath } from "./browser.mjs";
import { planar } from "./charts.mjs";
import { drawn } from "./drawn.mjs";
import * as harness from "./harness.mjs";
import { live as liveTests, timing } from "./live.mjs";
import { accessible, blind, bodiless, phone } from "./looks.mjs";
import { described, large, long, others, spatial } from "./models.mjs";
import { study } from "./study.mjs";
import { comparison, tools, variants } from "./tools.mjs";

const { about, check, count, folder, holon, model, started } = harness;

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

if (!browserPath) {
  console.log("failed: no chromium was found (Debian: scripts/setup.sh test; HN_CHROMIUM names another)");
  console.log("0 passed, 1 failed");
  process.exit(1);
}

async function carryOut(test) {
  const begin = Date.now();
  try {
    await about.run(test.name, () => test(harness));
  } catch (error) {
    about.run(test.name, () => check(false, String(error?.stack ?? error)));
  }
  console.log(`${test.name}: ${((Date.now() - begin) / 1000).toFixed(1)} s`);
}

// the longest first
const all = [live, drawn, planar, tools, variants, large, spatial, accessible, described, phone, bodiless, comparison, long, others, blind, study, timing];
const only = process.argv.slice(2);
const unknown = only.filter((name) => !all.some((test) => test.name === name));
if (unknown.length) {
  console.log(`failed: no test is named ${unknown.join(", ")}; there are ${all.map((test) => test.name).join(", ")}`);
  process.exit(2);
}
const tests = all.filter((test) => (only.length ? only.includes(test.name) : test !== timing));
// a browser without a graphics card draws with one processor for each page
const lane = async () => {
  while (tests.length) await carryOut(tests.shift());
};
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane));
await (await started()).close();
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exit(count.failed ? 1 : 0);
