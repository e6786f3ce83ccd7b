// harness.mjs: what all browser tests share: counting, runs of the program, visits of its pages.
import { AsyncLocalStorage } from "node:async_hooks";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, open } from "./browser.mjs";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const holon = process.env.HOLON ?? join(root, "build/holon");
export const folder = join(root, "build/viewer");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

// ---- counting ----------------------------------------------------------------------------------

export const count = { passed: 0, failed: 0 };
export const about = new AsyncLocalStorage(); // the name of the test, of which several run at a time
export function check(good, what) {
  if (good) count.passed++;
  else {
    count.failed++;
    console.log(`failed: ${about.getStore()}: ${what}`);
  }
}
export const near = (a, b, tolerance, what) => check(Math.abs(a - b) <= tolerance, `${what}: ${a} and ${b} differ by more than ${tolerance}`);

// ---- runs --------------------------------------------------------------------------------------

export const model = (name) => join(root, "models", `${name}.yaml`);
export const read = (name) => readFileSync(join(folder, name), "utf8");
export const write = (name, text) => writeFileSync(join(folder, name), text);

/** runs the program in the folder; a failed audit is no failure here */
export function run(...words) {
  try {
    return execFileSync(holon, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    if (error.status === 3) return error.stdout;
    throw error;
  }
}

let fourBarIsThere = false;

/** the page and the numbers that several tests look at: four_bar.html and four_bar.csv */
export function fourBar() {
  if (!fourBarIsThere) run("run", model("four_bar"), "--html", "four_bar.html", "--out", "four_bar.csv", "-q");
  fourBarIsThere = true;
  return table("four_bar.csv");
}

/** what the program says to a model that is wrong */
export function holonSays(text) {
  writeFileSync(join(folder, "four_bar.yaml"), text);
  try {
    execFileSync(holon, ["check", "four_bar.yaml"], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    return error.stderr.trim();
  }
  return "";
}

/** what the program wrote as CSV: names and rows of numbers */
export function table(file) {
  const [head, ...lines] = readFileSync(join(folder, file), "utf8").trim().split("\n");
  const names = head.split(",").map((h) => h.replace(/ \[.*\]$/, ""));
  const rows = lines.map((line) => line.split(",").map(Number));
  const of = (name) => names.indexOf(name);
  return { names, rows, of, value: (row, name) => rows[row][of(name)], column: (name) => rows.map((r) => r[of(name)]) };
}

// ---- visits ------------------------------------------------------------------------------------

let browser = null;

/** the browser, started once */
export const started = async () => (browser ??= await launch());

/** opens a report, does something with it, takes a picture, closes it; nothing may go wrong meanwhile */
export async function visit(file, look, act, picture) {
  const { page, problems, close } = await open(await started(), join(folder, file), { width: 1200, height: 720, ...look });
  try {
    await act(page);
    if (picture) await page.screenshot({ path: join(folder, `${picture}.png`) });
  } finally {
    check(problems.length === 0, `the browser complains: ${problems.join("; ")}`);
    await close();
  }
}

export const still = { hash: "#still" };
export const seek = (page, t) => page.evaluate((time) => window.holon.seek(time), t);
export const pose = (page, name) => page.evaluate((n) => window.holon.bodyPose(n), name);
export const time = (page) => page.evaluate(() => window.holon.time());

/** poses read back from the scene are those recorded */
export async function comparePoses(page, recorded, bodies, tolerance) {
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
