// gallery.mjs: docs/gallery.md and its pictures, from the models and their report pages.
//
//   node scripts/gallery.mjs PROGRAM [NAME...]       all models, or some of them anew
//
// A model's caption is the first line of its file. Pictures are WebP of at most 25 kB, drawn and packed
// by the browser. Needs `npm ci` in viewer/ and a chromium (scripts/setup.sh test).
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, open } from "../viewer/test/browser.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const [program, ...chosen] = process.argv.slice(2);
const pictures = join(root, "docs/images/gallery");
const most = 25000; // [bytes] of a picture
const names = readdirSync(join(root, "models")).filter((f) => f.endsWith(".yaml")).map((f) => f.slice(0, -5)).sort();
const folder = mkdtempSync(join(tmpdir(), "holon-gallery-"));

/** the instant shown, as a part of the run, where the usual one tells little */
const instants = { cantilever_roll_up: 0.5, table: 0.1, torque_free: 0.11 };

/** how long a model is run, where its end would make the picture small */
const durations = { latch: 1.25, woodpecker: 0.3 };

/** models whose whole way is shown, not the body that the page follows */
const ways = ["bouncing_ball"];

function report(name) {
  const file = join(folder, `${name}.html`);
  try {
    execFileSync(resolve(program), ["run", join(root, "models", `${name}.yaml`), "--html", file, "-q", ...(durations[name] ? ["--duration", String(durations[name])] : [])], { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    if (error.status !== 3) throw error;
  }
  return file;
}

/** the scene, or the first chart of a model given by its equations, as good as the limit allows */
async function take(browser, name) {
  const { page, problems, close } = await open(browser, report(name), { width: 520, height: 700, hash: "#still" });
  const pictures64 = await page.evaluate(async ([part, way]) => {
    const { player, report: r, seek, viewer, charts } = window.holon;
    Object.assign(document.getElementById("stage").style, { height: "325px", minHeight: "0" });
    document.getElementById("transport").style.display = "none";
    await new Promise((done) => setTimeout(done, 50));
    viewer.stage.resize();
    if (way) viewer.setFollow(-1);
    if (viewer.follow < 0) viewer.stage.home();
    seek(player.start + part * (player.end - player.start));
    viewer.pose();
    viewer.stage.render();
    const from = r.model.bodies.length ? viewer.stage.canvas : charts.list[0].plot.ctx.canvas;
    const canvas = Object.assign(document.createElement("canvas"), { width: from.width, height: from.height });
    const context = canvas.getContext("2d");
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(from, 0, 0);
    return [0.85, 0.75, 0.6, 0.4].map((quality) => canvas.toDataURL("image/webp", quality).split(",")[1]);
  }, [instants[name] ?? 0.3, ways.includes(name)]);
  const packed = pictures64.map((text) => Buffer.from(text, "base64")).find((bytes) => bytes.length <= most);
  if (!packed || problems.length) throw new Error(`${name}: ${packed ? problems.join("; ") : "the picture is too large"}`);
  writeFileSync(join(pictures, `${name}.webp`), packed);
  await close();
}

/** name and words of the first line of a model */
function caption(name) {
  const [first] = readFileSync(join(root, "models", `${name}.yaml`), "utf8").split("\n");
  if (!first.startsWith("#")) return [name.replaceAll("_", " "), "see the file"];
  const text = first.replace(/^#\s*/, "").replace(/\.$/, "");
  const colon = text.indexOf(": ");
  return colon > 0 ? [text.slice(0, colon), text.slice(colon + 2)] : [name.replaceAll("_", " "), text];
}

function writePage() {
  const cell = (name) => {
    const [title, words] = caption(name);
    return { picture: `![${title}](images/gallery/${name}.webp)`, text: `**[${title}](../models/${name}.yaml)**: ${words}` };
  };
  const lines = [
    "# Gallery", "",
    "Every picture comes from a report page: `holon models NAME > NAME.yaml`, then",
    "`holon run NAME.yaml --html NAME.html`. The files say what is to be seen; all of them run, and pass their",
    "audit, in the tests. `holon view --live NAME.yaml` opens each as a page that [computes](report.md#a-page-that-computes). This page and its pictures are written by `scripts/gallery.sh`.", "",
    "| | | |", "|---|---|---|",
  ];
  const seen = names.filter((name) => existsSync(join(pictures, `${name}.webp`)));
  for (let i = 0; i < seen.length; i += 3) {
    const row = seen.slice(i, i + 3).map(cell);
    lines.push(`| ${row.map((c) => c.picture).join(" | ")} |`, `| ${row.map((c) => c.text).join(" | ")} |`);
  }
  writeFileSync(join(root, "docs/gallery.md"), lines.join("\n") + "\n");
}

mkdirSync(pictures, { recursive: true });
const browser = await launch();
for (const name of chosen.length ? chosen : names) await take(browser, name);
await browser.close();
rmSync(folder, { recursive: true });
for (const file of readdirSync(pictures)) if (!names.includes(file.replace(/\.webp$/, ""))) rmSync(join(pictures, file));
writePage();
