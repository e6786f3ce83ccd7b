// panel.js: the tab that says what the scene shows.
import { element } from "./format.js";

const most = 200; // names in a list

function check(label, on, change, color) {
  const input = element("input", { type: "checkbox" });
  /** @type {HTMLInputElement} */ (input).checked = on;
  input.addEventListener("change", () => change(/** @type {HTMLInputElement} */ (input).checked));
  return element("label", { class: "check" }, input, color ? element("i", { style: `background:${color}` }) : null, label);
}

const card = (title, ...children) => element("section", { class: "card" }, element("h2", {}, title), ...children);

function shownCard(viewer) {
  const c = viewer.theme.colors;
  const kinds = [
    ["bodies", "bodies"],
    ["joints", "joints"],
    ["axes", "joint axes"],
    ["names", "names"],
    ["traces", "paths"],
    ["grid", "grid and shadows"],
    ["strobe", "ghosts of the motion"],
  ];
  if (viewer.ghosts.length) kinds.push(["ghosts", "ghosts of the other runs"]);
  const arrows = [
    ["reaction", "reactions of joints, on the second body", c.reaction],
    ["applied", "springs, motors and applied forces", c.applied],
  ].filter(([kind]) => viewer.arrows.kinds[kind]);
  return [
    card("Show", element("div", { class: "checks" }, kinds.map(([kind, label]) => check(label, viewer.shown[kind], (on) => viewer.show(kind, on))))),
    arrows.length ? card("Forces", element("div", { class: "checks one" }, arrows.map(([kind, label, color]) => check(label, viewer.shown[kind], (on) => viewer.show(kind, on), color))), arrowSize(viewer)) : null,
  ];
}

function arrowSize(viewer) {
  const input = /** @type {HTMLInputElement} */ (element("input", { type: "range", min: -1.5, max: 1.5, step: 0.05, value: Math.log10(viewer.arrows.factor), "aria-label": "Length of arrows" }));
  input.addEventListener("input", () => {
    viewer.arrows.factor = 10 ** Number(input.value);
    viewer.moved = true;
  });
  return element("label", { class: "slider" }, "length of arrows", input);
}

/** a cut through everything, across an axis */
function sectionCard(viewer) {
  const { cut } = viewer.stage;
  const select = /** @type {HTMLSelectElement} */ (element("select", { "aria-label": "Section plane" },
    element("option", { value: -1 }, "no section"), ["x", "y", "z"].map((name, i) => element("option", { value: i }, `across ${name}`))));
  select.value = String(cut?.axis ?? -1);
  const slider = /** @type {HTMLInputElement} */ (element("input", { type: "range", min: 0, max: 1, step: 0.005, value: cut?.part ?? 0.5, "aria-label": "Place of the section" }));
  const apply = () => viewer.stage.section(Number(select.value), Number(slider.value));
  select.addEventListener("change", apply);
  slider.addEventListener("input", apply);
  return card("Section", select, element("label", { class: "slider" }, "where", slider));
}

function followCard(viewer) {
  const { bodies } = viewer.report.model;
  const select = /** @type {HTMLSelectElement} */ (element("select", { "aria-label": "Follow a body" },
    element("option", { value: -1 }, "nothing: the camera stays"), bodies.map((b, i) => element("option", { value: i }, b.name))));
  select.value = String(viewer.follow);
  select.addEventListener("change", () => viewer.setFollow(Number(select.value)));
  return card("Follow", select);
}

function tracesCard(viewer, refresh) {
  const { traces } = viewer;
  const filter = /** @type {HTMLInputElement} */ (element("input", { type: "search", placeholder: "Find a body, frame or joint …", "aria-label": "Find a point" }));
  const list = element("div", { class: "checks scroll" });
  const fill = () => {
    const word = filter.value.toLowerCase();
    const chosen = (p) => traces.has(p.name);
    const found = traces.points.filter((p) => chosen(p) || p.name.toLowerCase().includes(word)).sort((p, q) => Number(chosen(q)) - Number(chosen(p)));
    list.replaceChildren(...found.slice(0, most).map((p) => check(element("span", {}, p.name, element("small", {}, ` ${p.kind}`)), chosen(p), () => {
      traces.toggle(p.name);
      traces.resize(viewer.stage.width, viewer.stage.height);
      viewer.moved = true;
      refresh();
    }, traces.list.find((t) => t.name === p.name)?.color)));
    if (found.length > most) list.append(element("small", {}, `${most} of ${found.length}: type to narrow it down`));
  };
  filter.addEventListener("input", fill);
  fill();
  return card("Paths of points", traces.points.length > 12 ? filter : null, list);
}

/** what the model says about its elements: for those who do not point at them, too */
function notesCard(viewer) {
  const { bodies, beams, flexibles, joints, forces } = viewer.report.model;
  const told = [...bodies, ...(beams ?? []), ...(flexibles ?? []), ...joints, ...forces].filter((e) => e.description);
  if (!told.length) return null;
  const list = element("dl", { class: "notes scroll" }, told.slice(0, most).flatMap((e) => [element("dt", {}, e.name), element("dd", {}, e.description)]));
  return card("Descriptions", list, told.length > most ? element("small", {}, `${most} of ${told.length}`) : null);
}

export function fillPanel(node, viewer) {
  const fill = () => fillPanel(node, viewer);
  const top = node.scrollTop;
  node.replaceChildren(...[...shownCard(viewer), followCard(viewer), sectionCard(viewer), tracesCard(viewer, fill), notesCard(viewer)].filter(Boolean));
  node.scrollTop = top;
}
