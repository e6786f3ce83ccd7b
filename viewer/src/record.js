// record.js: pictures and films of the scene, made by the browser itself.
import { archive } from "./archive.js";
import { save } from "./export.js";

/** the scene with what is written over it */
function compose(viewer, target) {
  const { canvas } = viewer.stage;
  viewer.stage.render();
  target.width = canvas.width;
  target.height = canvas.height;
  const context = target.getContext("2d");
  context.drawImage(canvas, 0, 0);
  const ratio = canvas.width / (canvas.clientWidth || canvas.width);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = "600 12px system-ui, sans-serif";
  context.textBaseline = "top";
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeStyle = viewer.theme.colors.sky;
  const write = (text, x, y, color) => {
    context.strokeText(text, x, y);
    context.fillStyle = color;
    context.fillText(text, x, y);
  };
  for (const { node, text } of viewer.labels.list) {
    if (node.hidden) continue;
    const [, x, y] = /translate\(([-\d.]+)px, ([-\d.]+)px\)/.exec(node.style.transform) ?? [];
    if (x !== undefined) write(text, Number(x), Number(y), getComputedStyle(node).color);
  }
  write(document.getElementById("clock").textContent, 14, 14, viewer.theme.colors.text);
  context.setTransform(1, 0, 0, 1, 0, 0);
  return target;
}

const blob = (canvas, type) => new Promise((done) => canvas.toBlob(done, type));
const named = (viewer, ending) => `${viewer.report.title || "holon"}`.replace(/[^\w.-]+/g, "_") + ending;

/** the picture that is seen, as PNG */
export async function picture(viewer) {
  viewer.draw();
  return blob(compose(viewer, document.createElement("canvas")), "image/png");
}

export async function savePicture(viewer) {
  save(named(viewer, ".png"), await picture(viewer));
}

/** can this browser record films? */
export const films = () => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");

/** the run once, at the speed chosen, as WebM; `seconds` bounds it */
export async function film(viewer, player, seconds = 120) {
  const target = compose(viewer, document.createElement("canvas"));
  const recorder = new MediaRecorder(target.captureStream(30), { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
  const pieces = [];
  recorder.ondataavailable = (e) => pieces.push(e.data);
  const ended = new Promise((done) => (recorder.onstop = done));
  const loop = player.loop;
  player.setLoop(false);
  player.seek(player.start);
  recorder.start();
  player.play(true);
  const begin = performance.now();
  while (player.playing && performance.now() - begin < 1000 * seconds) {
    await new Promise((done) => requestAnimationFrame(done));
    compose(viewer, target);
  }
  await new Promise((done) => setTimeout(done, 120));
  recorder.stop();
  await ended;
  player.setLoop(loop);
  return new Blob(pieces, { type: "video/webm" });
}

/** the run as numbered PNG pictures in an archive, `rate` for each second of the film */
export async function frames(viewer, player, rate = 25, most = 600) {
  const target = document.createElement("canvas");
  const seconds = (player.end - player.start) / player.speed;
  const count = Math.max(2, Math.min(most, Math.round(rate * seconds)));
  /** @type {[string, Uint8Array][]} */
  const files = [];
  for (let i = 0; i < count; i++) {
    player.seek(player.start + (i / (count - 1)) * (player.end - player.start));
    viewer.draw();
    const png = await blob(compose(viewer, target), "image/png");
    files.push([`frame${String(i).padStart(5, "0")}.png`, new Uint8Array(await png.arrayBuffer())]);
  }
  return archive(files);
}

export async function saveFilm(viewer, player) {
  if (films()) save(named(viewer, ".webm"), await film(viewer, player));
  else save(named(viewer, "-frames.zip"), await frames(viewer, player));
}
