// moving.mjs: a model in motion as one animated picture (WebP), drawn and packed by the browser.
//
//   node scripts/moving.mjs PROGRAM MODEL FILE.webp BEGIN END [FRAMES]
//
// From BEGIN to END [s], over and over; a whole period leaves no seam. Needs `npm ci` in viewer/ and a chromium.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { launch, open } from "../viewer/test/browser.mjs";

const [program, model, file, begin, end, count = "28"] = process.argv.slice(2);
const size = { width: 480, height: 320 };
const most = 290000; // [bytes]
const folder = mkdtempSync(join(tmpdir(), "holon-moving-"));

/** a chunk of a RIFF file: name, size, content, padded to an even length */
function chunk(name, ...parts) {
  const content = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.write(name, 0, "latin1");
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

/** the chunks of a picture that are the picture itself, without what is said about it */
function imageOf(still) {
  const parts = [];
  for (let at = 12; at + 8 <= still.length; ) {
    const length = still.readUInt32LE(at + 4);
    if (["VP8 ", "VP8L", "ALPH"].includes(still.toString("latin1", at, at + 4))) parts.push(still.subarray(at, at + 8 + length + (length % 2)));
    at += 8 + length + (length % 2);
  }
  return Buffer.concat(parts);
}

const number24 = (x) => Buffer.from([x & 255, (x >> 8) & 255, (x >> 16) & 255]);

/** still pictures (WebP files) as one that moves */
function animation(stills, pause) {
  const images = stills.map(imageOf);
  const frames = images.map((image) => chunk("ANMF", number24(0), number24(0), number24(size.width - 1), number24(size.height - 1), number24(pause), Buffer.from([2]), image));
  const body = Buffer.concat([
    Buffer.from("WEBP", "latin1"),
    chunk("VP8X", Buffer.from([2, 0, 0, 0]), number24(size.width - 1), number24(size.height - 1)),
    chunk("ANIM", Buffer.from([255, 255, 255, 255, 0, 0])),
    ...frames,
  ]);
  const head = Buffer.alloc(8);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

const page_file = join(folder, "page.html");
execFileSync(resolve(program), ["run", resolve(model), "--duration", end, "--html", page_file, "-q"]);
const browser = await launch();
const { page, problems, close } = await open(browser, page_file, { width: size.width, height: 700, hash: "#still" });
const stills = await page.evaluate(async ({ begin: from, end: to, count: n, width, height }) => {
  const { seek, viewer } = window.holon;
  Object.assign(document.getElementById("stage").style, { height: `${height}px`, minHeight: "0" });
  document.getElementById("transport").style.display = "none";
  await new Promise((done) => setTimeout(done, 50));
  viewer.stage.resize();
  viewer.stage.home();
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d");
  const list = [];
  for (let i = 0; i < n; i++) {
    seek(from + ((to - from) * i) / n);
    viewer.pose();
    viewer.stage.render();
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
    context.drawImage(viewer.stage.canvas, 0, 0, width, height);
    list.push([0.8, 0.65, 0.5, 0.35, 0.2].map((quality) => canvas.toDataURL("image/webp", quality).split(",")[1]));
  }
  return list;
}, { begin: Number(begin), end: Number(end), count: Number(count), ...size });
await close();
await browser.close();
rmSync(folder, { recursive: true });
const pause = Math.round((1000 * (Number(end) - Number(begin))) / Number(count));
const packed = [0, 1, 2, 3, 4].map((k) => animation(stills.map((s) => Buffer.from(s[k], "base64")), Math.max(pause, 30))).find((bytes) => bytes.length <= most);
if (!packed || problems.length) throw new Error(packed ? problems.join("; ") : "the picture is too large: fewer frames");
writeFileSync(file, packed);
console.log(`${file}: ${count} frames, ${packed.length} bytes`);
