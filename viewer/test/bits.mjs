// bits.mjs: the library in a page gives the bits of the library compiled for this machine.
//
//   node test/bits.mjs LIBRARY.wasm RUN_CSV [MODEL...]
//
// RUN_CSV is tests/program/run_csv.c on the ordinary build: elementary functions and small linear systems
// are the library's own in all builds, so every recorded number has to be the same to its last bit.
// (flyball_governor is stiff: the program chooses BDF by SUNDIALS, which pages do not have.)
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Library } from "../src/library.js";

const [library, program, ...only] = process.argv.slice(2);
const models = resolve(dirname(fileURLToPath(import.meta.url)), "../../models");
const folder = mkdtempSync(join(tmpdir(), "holon-bits-"));
const module = new WebAssembly.Module(readFileSync(library));
let passed = 0;
let failed = 0;

/** how the program ends and what it wrote */
function native(path) {
  const out = join(folder, "out.csv");
  rmSync(out, { force: true });
  let code = 0;
  let said = "";
  try {
    execFileSync(program, [path, out], { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    code = error.status;
    said = String(error.stderr).trim();
  }
  if (code === 2) return { code, said };
  const [head, ...lines] = readFileSync(out, "utf8").trim().split("\n");
  return { code, said, names: head.split(",").map((h) => h.replace(/ \[.*\]$/, "")), rows: lines.map((l) => l.split(",").map(Number)) };
}

/** the numbers of the page that differ from those of the program */
function compare(answer, wanted) {
  const { columns } = JSON.parse(answer.json).runs[0];
  if (columns.per_pair) return "rows were taken together";
  const array = (b) => new (b.type === "f64" ? Float64Array : Float32Array)(answer.numbers, b.at, b.count);
  const time = array(columns.time);
  const data = array(columns.data);
  if (time.length !== wanted.rows.length) return `${time.length} rows in place of ${wanted.rows.length}`;
  if (columns.names.join() !== wanted.names.slice(1).join()) return "other columns";
  const kept = columns.data.type === "f64" ? (x) => x : Math.fround;
  for (let i = 0; i < time.length; i++) {
    if (!Object.is(time[i], wanted.rows[i][0])) return `row ${i}: time ${time[i]} in place of ${wanted.rows[i][0]}`;
    for (let k = 0; k < columns.names.length; k++) {
      const [x, y] = [data[k * time.length + i], kept(wanted.rows[i][k + 1])];
      if (x !== y && !(Number.isNaN(x) && Number.isNaN(y))) return `row ${i}, ${columns.names[k]}: ${x} in place of ${y}`;
    }
  }
  return "";
}

for (const file of readdirSync(models).filter((f) => f.endsWith(".yaml")).sort()) {
  const name = basename(file, ".yaml");
  if (only.length ? !only.includes(name) : name === "flyball_governor") continue;
  const wanted = native(join(models, file));
  const answer = new Library(module).run({ name: file, text: readFileSync(join(models, file), "utf8") });
  let why;
  if (wanted.code === 2) why = answer.json ? `refused by the program alone: ${wanted.said}` : "";
  else why = answer.json ? compare(answer, wanted) : `refused by the page alone: ${answer.message}`;
  if (why) {
    failed++;
    console.log(`failed: ${name}: ${why}`);
  } else {
    passed++;
    console.log(`${name}: ${wanted.code === 2 ? "refused by both" : `${wanted.rows.length} rows of ${wanted.names.length} columns`}, ${answer.took.toFixed(0)} ms`);
  }
}
rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
