// charts.js: curves of recorded quantities over time, with the instant of the scene marked.
import uPlot from "uplot";
import { saveCsv, saveSvg } from "./export.js";
import { element, plain, short, unitText } from "./format.js";
import { icon } from "./icons.js";

const height = 210;

/** curves of one quantity that never are negative and span many decades */
const logarithmic = (name) => name.startsWith("residual.");

class Chart {
  constructor(owner, names, log) {
    this.owner = owner;
    this.names = names;
    this.log = log;
    this.chips = element("div", { class: "chips" });
    this.plotArea = element("div", { class: "plot" });
    this.logButton = element("button", { class: "small", title: "Logarithmic axis", onclick: () => this.setLog(!this.log) }, "log");
    const button = (name, title, onclick) => element("button", { class: "small icon", title, "aria-label": title, onclick }, icon(name));
    this.node = element("article", { class: "chart", onpointerdown: () => owner.activate(this) },
      element("header", {}, this.chips,
        element("div", { class: "acts" }, this.logButton,
          button("unzoom", "Whole run (double click)", () => owner.unzoom()),
          element("button", { class: "small", title: "Save as picture", onclick: () => saveSvg(this) }, "SVG"),
          element("button", { class: "small", title: "Save numbers", onclick: () => saveCsv(this) }, "CSV"),
          button("close", "Remove this chart", () => owner.remove(this)))),
      this.plotArea);
  }

  setLog(log) {
    this.log = log;
    this.draw();
  }

  toggle(name) {
    const i = this.names.indexOf(name);
    if (i >= 0) this.names.splice(i, 1);
    else {
      if (!this.names.length) this.log = logarithmic(name);
      this.names.push(name);
    }
    if (this.names.length || !this.owner.forget(this)) this.draw();
  }

  /** one curve for each quantity of each run: {name, run, values, unit, color, dash} */
  curves() {
    const { runs, theme } = this.owner;
    const list = [];
    this.names.forEach((name, k) => {
      for (const run of runs) {
        const values = run.columns.values(name);
        if (!values || run.hidden) continue;
        const look = runs.length > 1
          ? { color: theme.series(run.index).color, dash: [[], [7, 4], [2, 3], [9, 3, 2, 3]][k % 4] }
          : theme.series(k);
        list.push({ name, run, values, unit: run.columns.unit(name), ...look });
      }
    });
    return list;
  }

  /** times and values on one common time axis */
  table(curves) {
    const shown = (values) => (this.log ? Array.from(values, (x) => (x === 0 || Number.isNaN(x) ? null : Math.abs(x))) : values);
    const times = [this.owner.runs[0], ...curves.map((c) => c.run)].map((run) => run.columns.time);
    const time = times.reduce((a, b) => (b.length > a.length ? b : a));
    this.aligned = curves.every((c) => beginsWith(time, c.run.columns.time));
    if (this.aligned) return [time, ...curves.map((c) => filled(shown(c.values), time.length))];
    return uPlot.join(curves.map((c) => [Array.from(c.run.columns.time), Array.from(shown(c.values))]));
  }

  draw() {
    this.plot?.destroy();
    this.list = this.curves();
    this.drawChips();
    this.logButton.setAttribute("aria-pressed", String(this.log));
    const width = this.plotArea.clientWidth || 480;
    this.plot = new uPlot(this.options(width), this.table(this.list), this.plotArea);
    this.marker = element("div", { class: "marker" });
    this.plot.over.append(this.marker);
    this.listenToClicks();
    this.owner.applyZoom(this);
    this.mark(this.owner.player.time);
  }

  /** @returns {uPlot.Options} */
  options(width) {
    const c = this.owner.theme.colors;
    const units = [...new Set(this.list.map((s) => s.unit))];
    const font = "11px system-ui, sans-serif";
    const axis = { stroke: c.muted, grid: { stroke: c.line, width: 1 }, ticks: { stroke: c.line, width: 1, size: 4 }, font, labelFont: font };
    /** @type {uPlot.Scales} */
    const scales = { x: { time: false } };
    /** @type {uPlot.Axis[]} */
    const axes = [{ ...axis, size: 30, values: (_, ticks) => ticks.map((t) => plain(t)) }];
    units.forEach((unit, k) => {
      // an axis for the second unit is on the right; further ones stand beside it
      scales[`y${k}`] = this.log ? { distr: 3, range: decades } : { range: padded };
      axes.push({
        ...axis,
        scale: `y${k}`,
        side: k === 0 ? 3 : 1,
        size: 58,
        label: unit ? unitText(unit) : undefined,
        labelSize: unit ? 15 : 0,
        labelGap: 0,
        grid: { ...axis.grid, show: k === 0 },
        values: (_, ticks) => ticks.map((t) => (this.log ? `1e${Math.round(Math.log10(t))}` : plain(t, 5))),
        // uPlot's own ticks of logarithmic axes end at 1e-24
        ...(this.log ? { splits: powers, filter: (_, ticks) => ticks } : {}),
      });
    });
    if (!units.length) axes.push({ ...axis, scale: "y", size: 58 });
    return {
      width,
      height,
      scales,
      axes,
      legend: { show: false },
      padding: [10, units.length > 1 ? 0 : 12, 0, 0],
      cursor: {
        sync: { key: "holon" },
        points: { size: 6 },
        drag: { x: true, y: false, setScale: true, dist: 6 },
      },
      series: [{}, ...this.list.map((s) => ({
        scale: `y${units.indexOf(s.unit)}`,
        stroke: s.color,
        dash: s.dash.length ? s.dash : undefined,
        width: 1.6,
        spanGaps: true,
        pxAlign: 0,
        points: { show: false },
      }))],
      hooks: {
        setCursor: [(u) => this.showValues(u.cursor.idx)],
        setScale: [(u, key) => {
          if (key === "x") this.owner.zoomed(this, u.scales.x.min, u.scales.x.max);
        }],
      },
    };
  }

  drawChips() {
    this.chips.replaceChildren(...this.names.map((name) => {
      const first = this.list.find((s) => s.name === name);
      const swatch = element("i", { style: `background:${this.owner.runs.length > 1 ? "var(--muted)" : first?.color ?? "none"}` });
      const value = element("b", { "data-name": name });
      return element("span", { class: "chip", title: first ? "" : "not recorded" }, swatch, name, value,
        element("button", { title: `Remove ${name}`, "aria-label": `Remove ${name}`, onclick: () => this.toggle(name) }, "×"));
    }));
    if (!this.names.length) this.chips.append(element("span", { class: "hint" }, "search above to add a curve"));
  }

  /** values under the pointer, or else at the instant of the scene */
  showValues(index) {
    const hovering = index !== null && index !== undefined && this.plot?.cursor.left >= 0;
    const i = hovering ? index : this.indexNow();
    for (const node of this.chips.querySelectorAll("b")) {
      const k = this.list.findIndex((s) => s.name === node.dataset.name);
      if (k < 0) continue;
      const unit = this.list[k].unit ? `\u202f${unitText(this.list[k].unit)}` : "";
      const value = (m) => short(this.plot?.data[m + 1]?.[i], this.owner.runs.length > 1 ? 3 : 5);
      const same = this.list.map((s, m) => ({ s, m })).filter(({ s }) => s.name === node.dataset.name);
      if (this.owner.runs.length === 1) node.textContent = value(k) + unit;
      else if (same.length <= 6) node.replaceChildren(...same.map(({ s, m }) => element("span", { style: `color:${s.color}`, title: s.run.label }, `${value(m)} `)), unit);
    }
  }

  indexNow() {
    const time = this.plot?.data[0];
    return time ? nearest(time, this.owner.player.time) : 0;
  }

  mark(t) {
    if (!this.plot) return;
    const x = this.plot.valToPos(t, "x");
    const inside = x >= -1 && x <= this.plot.over.clientWidth + 1;
    this.marker.style.transform = `translateX(${x.toFixed(1)}px)`;
    this.marker.hidden = !inside;
    if (!(this.plot.cursor.left >= 0)) this.showValues(null);
  }

  /** a click that is no drag sends the scene there */
  listenToClicks() {
    const { over } = this.plot;
    let start = 0;
    over.addEventListener("pointerdown", (e) => (start = e.clientX));
    over.addEventListener("click", (e) => {
      if (Math.abs(e.clientX - start) > 4) return;
      const box = over.getBoundingClientRect();
      this.owner.player.seek(this.plot.posToVal(e.clientX - box.left, "x"));
    });
  }

  resize() {
    const width = this.plotArea.clientWidth;
    if (this.plot && width && width !== this.plot.width) {
      this.plot.setSize({ width, height });
      this.mark(this.owner.player.time);
    }
  }
}

export class Charts {
  constructor(report, player, theme, stack) {
    this.report = report;
    this.runs = report.runs;
    this.player = player;
    this.theme = theme;
    this.stack = stack;
    this.list = [];
    this.zoom = null; // [from, to] of all charts
    for (const { names, log } of defaults(report)) this.create(names, log);
    this.activate(this.list[0]);
    player.listen(() => this.mark());
    theme.listen(() => this.draw());
    new ResizeObserver(() => this.list.forEach((c) => c.resize())).observe(stack);
  }

  create(names, log) {
    const chart = new Chart(this, names, log);
    this.list.push(chart);
    this.stack.append(chart.node);
    chart.draw();
    return chart;
  }
  remove(chart) {
    chart.plot?.destroy();
    chart.node.remove();
    this.list = this.list.filter((c) => c !== chart);
    if (this.active === chart) this.activate(this.list.at(-1));
  }
  /** a chart without curves goes, unless it is the only one */
  forget(chart) {
    if (this.list.length < 2) return false;
    this.remove(chart);
    return true;
  }
  activate(chart) {
    this.active = chart;
    for (const c of this.list) c.node.classList.toggle("active", c === chart && this.list.length > 1);
  }
  /** adds a quantity to the chart used last, or takes it away */
  toggle(name) {
    if (!this.active) this.activate(this.create([], logarithmic(name)));
    this.active.toggle(name);
    this.active?.node.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }
  draw() {
    for (const c of this.list) c.draw();
  }
  mark() {
    for (const c of this.list) c.mark(this.player.time);
  }

  // ---- one time axis for all charts ----------------------------------------------------------

  zoomed(source, min, max) {
    if (this.spreading || min === undefined || min === null) return;
    const time = source.plot?.data[0] ?? [];
    this.zoom = min > time[0] || max < time[time.length - 1] ? [min, max] : null;
    this.spread(source);
  }
  spread(source) {
    this.spreading = true;
    for (const c of this.list) if (c !== source) this.applyZoom(c);
    this.spreading = false;
    this.mark();
  }
  applyZoom(chart) {
    const time = chart.plot.data[0];
    const before = this.spreading;
    this.spreading = true;
    const [min, max] = this.zoom ?? [time[0], time[time.length - 1]];
    if (max > min) chart.plot.setScale("x", { min, max });
    this.spreading = before;
  }
  unzoom() {
    this.zoom = null;
    this.spread(null);
  }
}

/** what people look at first: a coordinate, the energies, the violations */
function defaults(report) {
  const { columns } = report.runs[0];
  const there = (names) => names.filter((n) => columns.has(n));
  const violation = there(["residual.position", "residual.velocity"]);
  const charts = [];
  const motion = coordinates(report, columns);
  if (report.runs.length > 1) {
    if (violation.length) charts.push({ names: violation.slice(0, 1), log: true });
    if (columns.has("energy.balance")) charts.push({ names: ["energy.balance"], log: false });
    if (motion.length) charts.push({ names: motion.slice(0, 1), log: false });
  } else {
    if (motion.length) charts.push({ names: motion, log: false });
    const energies = worthSeeing(columns, there(["energy.kinetic", "energy.potential", "energy.total"]));
    if (energies.length) charts.push({ names: energies, log: false });
    if (violation.length) charts.push({ names: violation, log: true });
  }
  if (!charts.length) charts.push({ names: columns.names.slice(0, 2), log: false });
  return charts;
}

/** energies whose changes drown in a large constant tell nothing: the kinetic one is left */
function worthSeeing(columns, names) {
  const largest = (name) => columns.values(name).reduce((m, x) => Math.max(m, Math.abs(x)), 0);
  const kinetic = names.includes("energy.kinetic") ? largest("energy.kinetic") : 0;
  return kinetic > 0 && names.some((n) => largest(n) > 30 * kinetic) ? ["energy.kinetic"] : names;
}

/** two or three coordinates of joints of one unit, or else of a body */
function coordinates(report, columns) {
  const joints = report.model.joints.flatMap((j) => [`${j.name}.angle`, `${j.name}.translation`]).filter((n) => columns.has(n));
  if (joints.length) return joints.filter((n) => columns.unit(n) === columns.unit(joints[0])).slice(0, 3);
  for (const body of report.model.bodies) {
    const names = ["x", "y", "z"].map((k) => `${body.name}.${k}`).filter((n) => columns.has(n));
    if (names.length) return names;
  }
  // a model given by equations: its first coordinates
  const own = columns.names.filter((n) => !/^(energy|residual)\.|_rate$/.test(n));
  return own.filter((n) => columns.unit(n) === columns.unit(own[0])).slice(0, 3);
}

function nearest(time, t) {
  let low = 0;
  let high = time.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle;
  }
  return t - time[low] <= time[high] - t ? low : high;
}

/** are the times of a run the first ones of another, but for rounding? It may have ended early */
function beginsWith(time, part) {
  if (time === part) return true;
  const tolerance = (1e-9 * Math.abs(time[time.length - 1] - time[0])) || 1e-12;
  for (let i = 0; i < part.length; i++) if (!(Math.abs(time[i] - part[i]) <= tolerance)) return false;
  return true;
}

/** values up to the given count; where there are none, nothing is drawn */
function filled(values, count) {
  if (values.length >= count) return values;
  return [...values, ...new Array(count - values.length).fill(null)];
}

/** a little room above and below; a constant gets an axis of its own size @returns {[number, number]} */
function padded(_, low, high) {
  if (low === null || low === undefined) return [0, 1];
  const span = high - low;
  const pad = span > 0 ? 0.06 * span : 0.1 * Math.abs(low) || 1;
  return [low - pad, high + pad];
}

/** whole decades around the data, a few at least, and none below what rounding can mean
 * @returns {[number, number]} */
function decades(_, low, high) {
  if (!(high > 0)) return [1e-16, 1];
  const top = Math.ceil(Math.log10(high) + 0.05);
  const bottom = Math.floor(Math.log10(low > 0 ? low : high) - 0.05);
  return [10 ** Math.max(bottom, top - 40), 10 ** Math.max(top, bottom + 2)];
}

/** powers of ten between two numbers, about six */
function powers(_, __, low, high) {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first) / 6));
  const list = [];
  for (let p = first; p <= last; p += every) list.push(10 ** p);
  return list;
}
