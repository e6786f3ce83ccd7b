// keys.js: the keyboard, and the list of keys.
import { element } from "./format.js";

export function listenToKeys({ player, theme, viewer, panels, charts }) {
  const toggle = (kind) => {
    viewer?.show(kind, !viewer.shown[kind]);
    panels.refresh();
  };
  /** keys, how they are called, what they do @type {[string[], string, string, (e: KeyboardEvent) => void][]} */
  const table = [
    [[" ", "k"], "space", "play or pause", () => player.play()],
    [["ArrowLeft"], "← →", "one frame back, ahead (with shift: ten)", (e) => player.step(e.shiftKey ? -10 : -1)],
    [["ArrowRight"], "", "", (e) => player.step(e.shiftKey ? 10 : 1)],
    [["Home"], "Home End", "to the start, to the end", () => player.seek(player.start)],
    [["End"], "", "", () => player.seek(player.end)],
    [["+", "="], "+ −", "faster, slower", () => player.faster(1)],
    [["-"], "", "", () => player.faster(-1)],
    [["l"], "L", "loop", () => player.setLoop(!player.loop)],
    [["0"], "0", "everything in view", () => viewer?.stage.home()],
    [["1"], "1 2 3", "from the front, the side, above", () => viewer?.look("front")],
    [["2"], "", "", () => viewer?.look("side")],
    [["3"], "", "", () => viewer?.look("top")],
    [["f"], "F", "forces as arrows", () => viewer?.toggleForces()],
    [["n"], "N", "names", () => toggle("names")],
    [["a"], "A", "joint axes", () => toggle("axes")],
    [["p"], "P", "paths", () => toggle("traces")],
    [["g"], "G", "grid", () => toggle("grid")],
    [["o"], "O", "parallel or central projection", () => viewer?.toggleProjection()],
    [["m"], "M", "measure: click two points", () => viewer?.pressTool("ruler")],
    [["t"], "T", "trail of a point: click it", () => viewer?.pressTool("trail")],
    [["s"], "S", "save the picture", () => document.getElementById("shot").click()],
    [["u"], "U", "degrees and turns per minute, or rad and rad/s", () => charts.setDegrees(!charts.degrees)],
    [["d"], "D", "light or dark", () => theme.toggle()],
    [["/"], "/", "search for a quantity", () => { panels.show("charts"); document.getElementById("query").focus(); }],
    [["?"], "?", "this list", () => help()],
  ];
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("keys"));
  dialog.append(element("h2", {}, "Keys"), element("dl", {}, table.filter((row) => row[1]).flatMap((row) => [
    element("dt", {}, String(row[1]).split(" ").map((k) => element("kbd", {}, k))), element("dd", {}, row[2])])),
  element("p", { class: "note" }, "Scene: drag to turn, right drag (or two fingers) to move, wheel to zoom, click a body for its quantities. Charts: click to go to an instant, drag to zoom, double click for the whole run."),
  element("form", { method: "dialog" }, element("button", {}, "Close")));
  dialog.addEventListener("click", (e) => e.target === dialog && dialog.close());
  const help = () => (dialog.open ? dialog.close() : dialog.showModal());
  document.getElementById("help").addEventListener("click", help);

  document.addEventListener("keydown", (e) => {
    const target = /** @type {HTMLElement} */ (e.target);
    if (e.ctrlKey || e.metaKey || e.altKey || (dialog.open && e.key !== "?")) return;
    // fields and sliders keep the keys they know
    if (target.matches?.("input:not([type=range]), select, textarea")) return;
    if (target.matches?.("input[type=range]:not(#scrub)")) return;
    if (e.key === " " && target.matches?.("button")) return;
    const row = table.find((r) => r[0].includes(e.key.length === 1 ? e.key.toLowerCase() : e.key));
    if (!row) return;
    e.preventDefault();
    row[3](e);
  });
}
