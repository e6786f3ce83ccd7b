// main.js: puts the page together.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { Charts } from "./charts.js";
import { csvText, svgText } from "./export.js";
import { libraryBytes, load } from "./data.js";
import { element, plain, timeText } from "./format.js";
import { Gizmo } from "./gizmo.js";
import { icon } from "./icons.js";
import { listenToKeys } from "./keys.js";
import { applyLink, readLink, writeLink } from "./link.js";
import { Live } from "./live.js";
import { fillPanel } from "./panel.js";
import { Player, speeds } from "./player.js";
import { film, frames, picture, saveFilm, savePicture } from "./record.js";
import { Search } from "./search.js";
import { badge, fillSummary, thinning } from "./summary.js";
import { Theme } from "./theme.js";
import { Viewer } from "./viewer.js";
import * as THREE from "three";

const $ = (id) => document.getElementById(id);

async function start() {
  let report = await load();
  const [run] = report.runs;
  const theme = new Theme();
  const last = Math.max(...report.runs.map((r) => r.frames.end));
  const player = new Player(run.frames.start, last, run.frames);

  describe(report, player);

  const charts = new Charts(report, player, theme, $("stack"));
  const search = new Search(charts, run.columns.names, run.columns);
  $("degrees").addEventListener("click", () => charts.setDegrees(!charts.degrees));
  const showDegrees = () => $("degrees").setAttribute("aria-pressed", String(charts.degrees));
  charts.changed = showDegrees;
  const viewer = makeViewer(report, player, theme);
  const panels = showPanels(charts, viewer);
  setUpTransport(player);
  setUpTheme(theme, viewer);
  setUpSplit();
  if (viewer) {
    setUpTools(viewer, player);
    setUpPointing(viewer, search, panels);
    setUpLegend(report, viewer, charts, theme);
  } else if (report.kind === "pick") setUpPicking(report, null, charts);
  listenToKeys({ player, theme, viewer, panels, charts });
  const live = report.live?.text !== undefined && libraryBytes() ? new Live(report, (next, how) => replace(next, how)) : null;
  const replace = (next, { drawn = false, fresh = false } = {}) => {
    report = Object.assign(exposed.report, { part: undefined }, next);
    describe(next, player);
    if (drawn) return;
    const [{ frames, columns }] = next.runs;
    // of a run that goes on the end is known
    const end = next.part < 1 ? frames.start + next.settings.find((s) => s.name === "duration").value : frames.end;
    const speed = end - frames.start === player.end - player.start ? player.speed : Player.comfortable(end - frames.start);
    Object.assign(player, { start: frames.start, end, frames, speed });
    Object.assign(search, { names: columns.names, columns });
    // an instant that is not computed yet shows what was there before
    if (fresh) player.time = frames.start;
    if (!(next.part < 1 && player.time > frames.end)) viewer?.replace(next, fresh);
    if (viewer) sayGrid(viewer);
    charts.replace(next, fresh);
    player.seek(player.time);
    panels.refresh();
    viewer?.draw();
  };
  setUpSaving(viewer, player, { player, viewer, charts, panel: panels.shown, live });
  const state = readLink(location.hash);
  if ("picture" in state) document.documentElement.classList.add("picture");
  applyLink(state, { player, viewer, charts, show: panels.show, live });
  animate(player, viewer, state);
  const exposed = exposeForTests({ report: { ...report }, player, viewer, charts, live });
}

/** title, verdict and summary */
function describe(report, player) {
  const [run] = report.runs;
  $("title").textContent = report.title;
  $("badges").replaceChildren(report.runs.length > 1 ? element("span", { class: "badge" }, report.kind === "pick" ? `${report.runs.length} modes` : `${report.runs.length} runs compared`) : badge(run, report.part));
  fillSummary($("summary"), report, player);
  sayBodiless(!report.model.bodies.length);
  document.body.classList.toggle("instant", report.runs.every((r) => r.columns.count < 2));
  $("thinned").textContent = thinning(run);
  $("thinned").hidden = !thinning(run);
}

/** where there are no bodies to draw charts have most of the page */
function sayBodiless(none) {
  if (document.body.classList.contains("bodiless") === none) return;
  document.body.classList.toggle("bodiless", none);
  $("blind")?.remove();
  if (none) $("stage").append(element("p", { id: "blind" }, "This model is given by its equations: there are no bodies to draw. Charts and summary show the run."));
}

/** without WebGL the charts and the summary still work */
function makeViewer(report, player, theme) {
  try {
    return new Viewer($("view"), report, player, theme);
  } catch (error) {
    $("stage").classList.add("blind");
    $("stage").append(element("p", { id: "blind" }, "This browser cannot draw in 3-D (no WebGL): ", String(error.message ?? error), ". Charts and summary work all the same."));
    return null;
  }
}

function showPanels(charts, viewer) {
  const tabs = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#tabs button"))];
  const show = (name) => {
    for (const tab of tabs) tab.setAttribute("aria-selected", String(tab.dataset.panel === name));
    for (const tab of tabs) $(tab.dataset.panel).hidden = tab.dataset.panel !== name;
    if (name === "charts") charts.list.forEach((c) => c.resize());
    if (name === "scene" && viewer) fillPanel($("scene"), viewer);
  };
  for (const tab of tabs) tab.addEventListener("click", () => show(tab.dataset.panel));
  const refresh = () => {
    if (viewer && !$("scene").hidden) fillPanel($("scene"), viewer);
  };
  const shown = () => tabs.find((tab) => tab.getAttribute("aria-selected") === "true")?.dataset.panel;
  return { show, refresh, shown };
}

/** pictures, films, and a link to what is shown */
function setUpSaving(viewer, player, page) {
  for (const [id, name] of [["share", "link"], ["shot", "camera"], ["film", "film"]]) $(id).append(icon(name));
  $("share").addEventListener("click", async () => {
    const address = `${location.href.replace(/#.*$/, "")}#${writeLink(page)}`;
    history.replaceState(null, "", `#${writeLink(page)}`);
    let copied = true;
    await navigator.clipboard?.writeText(address).catch(() => (copied = false));
    say(copied && navigator.clipboard ? "the link is in the clipboard" : "the link is in the address bar");
  });
  $("shot").hidden = $("film").hidden = !viewer;
  if (!viewer) return;
  $("shot").addEventListener("click", () => savePicture(viewer));
  $("film").addEventListener("click", async () => {
    $("film").classList.add("busy");
    await saveFilm(viewer, player);
    $("film").classList.remove("busy");
  });
}

/** a word at the lower edge, for a while */
function say(text) {
  const toast = $("toast");
  toast.textContent = text;
  toast.hidden = false;
  setTimeout(() => (toast.hidden = true), 2500);
}

function setUpTransport(player) {
  const scrub = /** @type {HTMLInputElement} */ ($("scrub"));
  const speed = /** @type {HTMLSelectElement} */ ($("speed"));
  const interval = () => (player.frames.end - player.frames.start) / Math.max(1, player.frames.count - 1);
  for (const name of ["first", "back", "ahead", "loop"]) $(name).append(icon(name));
  for (const s of [...new Set([...speeds, player.speed])].sort((a, b) => a - b)) speed.append(element("option", { value: s }, `${plain(s)}\u202f×`));
  $("play").addEventListener("click", () => player.play());
  $("first").addEventListener("click", () => player.seek(player.start));
  $("back").addEventListener("click", () => player.step(-1));
  $("ahead").addEventListener("click", () => player.step(1));
  $("loop").addEventListener("click", () => player.setLoop(!player.loop));
  scrub.addEventListener("input", () => player.seek(player.start + Number(scrub.value) * (player.end - player.start)));
  speed.addEventListener("change", () => player.setSpeed(Number(speed.value)));
  let playing = null;
  const update = () => {
    const part = player.end > player.start ? (player.time - player.start) / (player.end - player.start) : 0;
    scrub.value = String(part);
    scrub.style.setProperty("--part", `${(100 * part).toFixed(2)}%`);
    $("now").textContent = `${timeText(player.time, interval())} / ${plain(player.end, 4)} s`;
    $("clock").textContent = `t = ${timeText(player.time, interval())} s`;
    if (playing !== player.playing) $("play").replaceChildren(icon(player.playing ? "pause" : "play"));
    playing = player.playing;
    $("loop").setAttribute("aria-pressed", String(player.loop));
    speed.value = String(player.speed);
  };
  player.listen(update);
  update();
}

function setUpTheme(theme, viewer) {
  const paint = () => {
    $("theme").replaceChildren(icon(theme.dark ? "sun" : "moon"));
    if (viewer && !$("scene").hidden) fillPanel($("scene"), viewer);
  };
  $("theme").addEventListener("click", () => theme.toggle());
  theme.listen(paint);
  paint();
}

/** the line between scene and charts can be moved */
function setUpSplit() {
  const split = $("split");
  split.addEventListener("pointerdown", (e) => {
    split.setPointerCapture(e.pointerId);
    const move = (m) => $("main").style.setProperty("--left", `${Math.min(85, Math.max(20, (100 * m.clientX) / innerWidth)).toFixed(1)}%`);
    split.addEventListener("pointermove", move);
    split.addEventListener("pointerup", () => split.removeEventListener("pointermove", move), { once: true });
  });
}

const views = { front: [0, -1, 0], side: [1, 0, 0], top: [0, 0, 1] };

function setUpTools(viewer, player) {
  const button = (text, title, onclick) => element("button", { class: "small", title, onclick }, text);
  const look = (name) => viewer.stage.look(direction(viewer.size, name));
  const arrows = button("F", "Forces as arrows (F)", () => {
    const on = !(viewer.shown.reaction || viewer.shown.applied);
    viewer.show("reaction", on);
    viewer.show("applied", on);
    player.changed();
  });
  const flat = button("⊥", "Parallel or central projection (O)", () => {
    viewer.stage.project(!viewer.stage.flat);
    sayFlat();
  });
  const sayFlat = () => flat.setAttribute("aria-pressed", String(viewer.stage.flat));
  player.listen(sayFlat);
  sayFlat();
  const tools = [["ruler", "↔", "Measure: click two points (M)"], ["trail", "∿", "Trail of a point: click it (T)"]].map(([name, text, title]) => {
    const b = button(text, title, () => {
      viewer.setTool(viewer.tool === name ? "" : name);
      for (const other of tools) other.setAttribute("aria-pressed", String(other.dataset.tool === viewer.tool));
    });
    b.dataset.tool = name;
    return b;
  });
  for (const b of [flat, arrows, ...tools]) b.setAttribute("aria-label", b.title);
  $("tools").append(
    button("fit", "Everything in view (0)", () => viewer.stage.home()),
    button("front", "From the front (1)", () => look("front")),
    button("side", "From the side (2)", () => look("side")),
    button("top", "From above (3)", () => look("top")),
    viewer.arrows.tracks.length ? arrows : "",
    flat,
    ...tools,
  );
  viewer.look = look;
  viewer.toggleProjection = () => flat.click();
  viewer.pressTool = (name) => tools.find((b) => b.dataset.tool === name).click();
  viewer.toggleForces = () => arrows.click();
  player.listen(() => arrows.setAttribute("aria-pressed", String(viewer.shown.reaction || viewer.shown.applied)));
  sayGrid(viewer);
}

function sayGrid(viewer) {
  $("scale").textContent = `grid ${plain(viewer.stage.spacing)} m`;
}

/** front, side and top with respect to what is up; in the plane: front is face-on */
function direction(size, name) {
  if (size.planar) return new THREE.Vector3(...{ front: [0, 0, 1], side: [1, 0, 0.12], top: [0, 1, 0.12] }[name]).normalize();
  const v = new THREE.Vector3(...views[name]);
  const tilt = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), size.up);
  v.applyQuaternion(tilt);
  // straight from above the camera would not know its upper side
  if (name === "top") v.addScaledVector(new THREE.Vector3(0, -1, 0).applyQuaternion(tilt), 1e-3);
  return v.normalize();
}

/** a body under the pointer says its name; a click offers its quantities */
function setUpPointing(viewer, search, panels) {
  const canvas = $("view");
  const tip = $("tip");
  let down = null;
  const light = viewer.report.model.bodies.length <= 300;
  const hover = (e) => {
    if (e.buttons || e.pointerType === "touch" || !light) return (tip.hidden = true);
    const found = viewer.under(e.clientX, e.clientY);
    tip.hidden = !found || (found.body < 0 && !found.element);
    canvas.style.cursor = tip.hidden ? "" : "pointer";
    if (tip.hidden) return undefined;
    const box = canvas.getBoundingClientRect();
    const shown = found.element ?? viewer.report.model.bodies[found.body];
    tip.replaceChildren(shown.name, ...(shown.description ? [element("small", {}, shown.description)] : []));
    tip.style.transform = `translate(${e.clientX - box.left + 14}px, ${e.clientY - box.top + 14}px)`;
    return undefined;
  };
  canvas.addEventListener("pointermove", hover);
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));
  canvas.addEventListener("pointerdown", (e) => (down = [e.clientX, e.clientY]));
  canvas.addEventListener("pointerup", (e) => {
    if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4 || e.button !== 0) return;
    const found = viewer.under(e.clientX, e.clientY);
    if (!found || viewer.use(found) || found.body < 0) return;
    panels.show("charts");
    search.suggest(found.name);
  });
  canvas.addEventListener("dblclick", () => viewer.stage.home());
}

/** the runs of a comparison, to be shown or hidden */
function setUpLegend(report, viewer, charts, theme) {
  if (report.runs.length < 2) return;
  if (report.kind === "pick") return setUpPicking(report, viewer, charts);
  const fill = () => {
    $("legend").replaceChildren(...report.runs.map((run) => element("button", {
      class: "run",
      "aria-pressed": String(!run.hidden),
      title: run.index ? "Show or hide" : "This run is drawn solid",
      onclick: () => {
        run.hidden = !run.hidden;
        charts.draw();
        viewer.show("ghosts", viewer.shown.ghosts);
        fill();
      },
    }, element("i", { style: `background:${theme.series(run.index).color}` }), run.label)));
  };
  theme.listen(fill);
  fill();
  $("legend").hidden = false;
}

/** alternatives, such as modes: one is seen, and played over its own time */
function setUpPicking(report, viewer, charts) {
  const { player } = charts;
  const buttons = report.runs.map((run) => element("button", { class: "run", onclick: () => pick(run) }, run.label));
  const pick = (chosen) => {
    for (const run of report.runs) run.hidden = run !== chosen;
    buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(report.runs[i] === chosen)));
    Object.assign(player, { start: chosen.frames.start, end: chosen.frames.end, frames: chosen.frames, speed: Player.comfortable(chosen.frames.end - chosen.frames.start) });
    viewer?.pick(chosen);
    charts.zoom = null;
    charts.draw();
    player.seek(player.start);
  };
  $("legend").classList.add("pick");
  $("legend").replaceChildren(...buttons);
  $("legend").hidden = false;
  pick(report.runs[0]);
}

function animate(player, viewer, state) {
  const gizmo = new Gizmo($("gizmo"));
  let before = performance.now();
  const frame = (now) => {
    // after a pause of the browser the motion goes on where it was
    player.advance(Math.min(0.1, (now - before) / 1000));
    before = now;
    viewer?.draw();
    // what was drawn at other times counts as well
    if (viewer?.rendered) gizmo.update(viewer.stage.camera);
    if (viewer) viewer.rendered = false;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  const reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!reduced && !("still" in state)) player.play(true);
}

/** window.holon: what tests and scripts may use (docs/report.md of holon) */
function exposeForTests({ report, player, viewer, charts, live }) {
  Object.assign(window, {
    holon: {
      report,
      player,
      viewer,
      charts,
      live,
      readyAfter: performance.now(), // [ms] since the page was opened
      time: () => player.time,
      seek: (t) => {
        player.play(false);
        player.seek(t);
        viewer?.draw();
      },
      bodyPose: (name) => viewer?.bodyPose(name),
      series: (chart) => charts.list[chart].list.map((c, k) => ({ name: c.name, run: c.run.label, unit: c.unit, time: charts.list[chart].data[0], values: charts.list[chart].data[k + 1] })),
      link: () => writeLink({ player, viewer, charts, panel: () => "charts", live }),
      picture: () => picture(viewer),
      film: (seconds) => film(viewer, player, seconds),
      frames: (rate, most) => frames(viewer, player, rate, most),
      csv: (chart) => csvText(charts.list[chart]),
      svg: (chart) => svgText(charts.list[chart]),
    },
  });
  document.documentElement.dataset.ready = "yes";
  return /** @type {any} */ (window).holon;
}

// The frame of the page is painted before the data is looked at, however much that is. (A browser paints before a script
// at the end of a page only when it happens to pause there.) A browser that has just been started may take its time for
// that; behind other windows nothing is painted at all.
let begun = false;
const begin = () => {
  if (begun) return;
  begun = true;
  start();
};
requestAnimationFrame(() => setTimeout(begin));
if (document.hidden) setTimeout(begin);
document.addEventListener("visibilitychange", begin, { once: true });
setTimeout(begin, 2000);
