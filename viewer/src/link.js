// link.js: what is shown, in the page's address: a link opens the page as its sender saw it.
//
// After the #: words (`still`) and name=value, joined by &. Numbers are checked, names are looked up;
// whatever does not fit is passed over.

const round = (x) => Number(x.toPrecision(5));

/** @returns {Record<string, string>} */
export function readLink(hash) {
  /** @type {Record<string, string>} */
  const out = {};
  for (const piece of hash.replace(/^#/, "").split("&")) {
    const [key, ...rest] = piece.split("=");
    try {
      if (key) out[decodeURIComponent(key)] = decodeURIComponent(rest.join("="));
    } catch {
      // not written by us
    }
  }
  return out;
}

/** the state of the page as text */
export function writeLink({ player, viewer, charts, panel, live }) {
  const out = [];
  const put = (key, value) => out.push(`${key}=${encodeURIComponent(value)}`);
  if (!player.playing) out.push("still");
  // the model itself, as far as it is not the one of the page
  for (const [key, value] of Object.entries(live?.changes() ?? {})) put(key, value);
  put("t", round(player.time));
  if (panel() !== "charts") put("panel", panel());
  if (charts.degrees) out.push("degrees");
  put("charts", JSON.stringify(charts.list.map((c) => ({ y: c.names, ...(c.log && { log: 1 }), ...(c.xy && { xy: 1 }), ...(c.difference && { d: 1 }) }))));
  if (charts.zoom) put("zoom", charts.zoom.map(round).join());
  if (viewer) {
    const { camera, controls, flat, orthographic, half } = viewer.stage;
    put("from", [...camera.position.toArray(), ...controls.target.toArray(), flat ? half / orthographic.zoom : 0].map(round).join());
    const on = Object.keys(viewer.shown).filter((k) => viewer.shown[k]);
    put("show", on.join());
    if (viewer.follow >= 0) put("follow", viewer.report.model.bodies[viewer.follow].name);
  }
  return out.join("&");
}

/** the page as the address says */
export function applyLink(state, { player, viewer, charts, show, live }) {
  const numbers = (text, count) => {
    const list = (text ?? "").split(",").map(Number);
    return text && list.length === count && list.every(Number.isFinite) ? list : null;
  };
  if ("degrees" in state) charts.degrees = true;
  applyCharts(state.charts, charts);
  const zoom = numbers(state.zoom, 2);
  if (zoom) charts.zoom = zoom;
  charts.draw();
  if (["summary", "scene", ...(live ? ["source"] : [])].includes(state.panel)) show(state.panel);
  live?.apply(state);
  if (viewer) applyView(state, viewer, numbers(state.from, 7));
  const time = numbers(state.t, 1);
  if (time) player.seek(time[0]);
}

function applyCharts(text, charts) {
  let wanted;
  try {
    wanted = JSON.parse(text ?? "null");
  } catch {
    return;
  }
  if (!Array.isArray(wanted)) return;
  const known = (names) => (Array.isArray(names) ? names.filter((n) => charts.runs[0].columns.has(n)) : []);
  const list = wanted.slice(0, 24).map((w) => ({ ...w, y: known(w?.y) })).filter((w) => w.y.length);
  if (!list.length) return;
  for (const chart of [...charts.list]) charts.remove(chart);
  for (const w of list) {
    const chart = charts.create(w.y, !!w.log, "");
    chart.xy = !!w.xy;
    chart.difference = !!w.d;
  }
  charts.activate(charts.list[0]);
}

function applyView(state, viewer, from) {
  if (state.show !== undefined) {
    const on = new Set(state.show.split(","));
    for (const kind of Object.keys(viewer.shown)) if (viewer.shown[kind] !== on.has(kind)) viewer.show(kind, on.has(kind));
  }
  const body = viewer.report.model.bodies.findIndex((b) => b.name === state.follow);
  viewer.asked = from;
  if (state.follow !== undefined && body >= 0) viewer.setFollow(body);
}
