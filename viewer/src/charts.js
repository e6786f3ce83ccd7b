// charts.js: curves of recorded quantities over time, with the instant of the scene marked.
import uPlot from "uplot";
import { beginsWith, converted, dashesOf, decades, digits, filled, nearest, padded, powers, shownValues } from "./chart_math.js";
import { saveCsv, saveSvg } from "./export.js";
import { element, plain, short, unitText } from "./format.js";
import { icon } from "./icons.js";
import { clearances, XyPlot } from "./xy.js";

const height = 214;
const axisWidth = 58;
const labelWidth = 15;

/** curves of one quantity that never are negative and span many decades */
const logarithmic = (name) => name.startsWith("residual.");

/** the look of a swatch: a piece of the line as it is drawn */
function sample(color, dash = []) {
  if (!color || !dash.length) return `background:${color ?? "none"}`;
  const stops = [];
  let at = 0;
  for (const [k, length] of dash.entries()) {
    stops.push(`${k % 2 ? "transparent" : color} ${at}px ${at + length}px`);
    at += length;
  }
  return `width:28px;border-radius:0;background:repeating-linear-gradient(90deg,${stops.join()})`;
}

class Chart {
  constructor(owner, names, log, title = "") {
    this.owner = owner;
    this.names = names;
    this.log = log;
    this.title = title;
    this.off = new Set(); // names that are there but not drawn
    this.xy = false; // the later curves over the first one
    this.difference = false; // of the other runs from the first
    this.chips = element("div", { class: "chips" });
    this.plotArea = element("div", { class: "plot" });
    this.logButton = element("button", { class: "small", title: "Logarithmic axis", onclick: () => this.setLog(!this.log) }, "log");
    const mode = (key, text, title) => element("button", { class: "small", title, "aria-pressed": "false", onclick: () => this.setMode(key) }, text);
    this.xyButton = mode("xy", "x–y", "The later curves over the first one");
    this.differenceButton = mode("difference", "Δ", "Differences of the other runs from the first");
    const button = (name, title, onclick) => element("button", { class: "small icon", title, "aria-label": title, onclick }, icon(name));
    this.node = element("article", { class: "chart", onpointerdown: () => owner.activate(this) },
      element("header", {}, element("small", { class: "about" }, title),
        element("div", { class: "acts" }, owner.runs.length > 1 && owner.report.kind !== "pick" ? this.differenceButton : null, this.xyButton, this.logButton,
          button("unzoom", "Whole run (double click)", () => owner.unzoom()),
          element("button", { class: "small", title: "Save as picture", onclick: () => saveSvg(this) }, "SVG"),
          element("button", { class: "small", title: "Save numbers", onclick: () => saveCsv(this) }, "CSV"),
          button("close", "Remove this chart", () => owner.remove(this))),
        this.chips),
      this.plotArea);
  }

  setLog(log) {
    this.log = log;
    this.draw();
  }

  setMode(key) {
    this[key] = !this[key];
    this.draw();
    this.owner.changed();
  }

  /** draws a quantity or leaves it out, without forgetting it */
  show(name, on) {
    if (on) this.off.delete(name);
    else this.off.add(name);
    this.draw();
    this.owner.changed();
  }

  toggle(name) {
    const i = this.names.indexOf(name);
    this.off.delete(name);
    if (i >= 0) this.names.splice(i, 1);
    else {
      if (!this.names.length) this.log = logarithmic(name);
      this.names.push(name);
    }
    if (this.names.length || !this.owner.forget(this)) this.draw();
    this.owner.realign();
    this.owner.changed();
  }

  /** one curve for each quantity of each run: {name, run, values, unit, color, dash} */
  curves() {
    const { runs, theme, report } = this.owner;
    const list = [];
    this.names.forEach((name, k) => {
      for (const run of runs) {
        const values = run.columns.values(name);
        if (!values || run.hidden || this.off.has(name) || (this.difference && !run.index)) continue;
        const look = runs.length > 1 && report.kind !== "pick"
          ? { color: theme.series(run.index).color, dash: [[], [7, 4], [2, 3], [9, 3, 2, 3]][k % 4] }
          : theme.series(k);
        const [unit, factor] = converted(run.columns.unit(name), this.owner.degrees);
        list.push({ name, run, values, unit, factor, zero: this.log || this.difference ? 0 : run.columns.roundOff(name), ...look });
      }
    });
    return list;
  }

  /** where colours alone tell curves apart, those that would hide others let them show through */
  dash() {
    const { runs, report } = this.owner;
    if (runs.length > 1 && report.kind !== "pick") return;
    dashesOf(this.data.slice(1), this.list.map((c) => c.unit)).forEach((dash, k) => dash.length && (this.list[k].dash = dash));
  }

  /** times and values on one common time axis */
  table(curves) {
    const shown = (curve) => {
      const values = shownValues(this.difference ? this.less(curve) : curve.values, curve.zero, curve.factor);
      return this.log ? Array.from(values, (x) => (x === 0 || Number.isNaN(x) ? null : Math.abs(x))) : values;
    };
    const times = [this.owner.runs.find((run) => !run.hidden) ?? this.owner.runs[0], ...curves.map((c) => c.run)].map((run) => run.columns.time);
    const time = times.reduce((a, b) => (b.length > a.length ? b : a));
    this.aligned = curves.every((c) => beginsWith(time, c.run.columns.time));
    if (this.aligned) return [time, ...curves.map((c) => filled(shown(c), time.length))];
    return uPlot.join(curves.map((c) => [Array.from(c.run.columns.time), Array.from(shown(c))]));
  }

  /** a run's values less those of the first run at the same times */
  less({ name, run, values }) {
    const first = this.owner.runs[0].columns;
    const base = first.values(name);
    if (!base) return values;
    return Array.from(values, (x, i) => x - at(first.time, base, run.columns.time[i]));
  }

  draw() {
    this.plot?.destroy();
    this.xyPlot?.destroy();
    this.plot = this.xyPlot = null;
    this.list = this.curves();
    this.data = this.table(this.list);
    this.dash();
    this.drawChips();
    this.xyButton.setAttribute("aria-pressed", String(this.xy));
    this.differenceButton.setAttribute("aria-pressed", String(this.difference));
    this.logButton.setAttribute("aria-pressed", String(this.log));
    const width = this.plotArea.clientWidth || 480;
    if (this.xy && this.list.length > 1) {
      this.xyPlot = new XyPlot(this, this.plotArea, width);
      return this.mark(this.owner.player.time);
    }
    // of one instant the numbers beside the names tell all
    this.chips.classList.toggle("numbers", this.data[0].length < 2);
    if (this.data[0].length < 2) return this.showValues(null);
    this.plot = new uPlot(this.options(width), this.data, this.plotArea);
    const picture = this.plot.ctx.canvas;
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", `${this.list.map((s) => s.name).join(", ") || "nothing"} over time`);
    this.marker = element("div", { class: "marker" });
    this.plot.over.append(this.marker);
    this.listenToClicks();
    this.owner.applyZoom(this);
    return this.mark(this.owner.player.time);
  }

  /** other numbers of the same quantities need no other chart */
  update() {
    const old = this.list.map((c) => `${c.name} ${c.unit} ${c.run.index}`).join("\n");
    const list = this.curves();
    const dashes = () => this.list.map((c) => c.dash.join()).join(";");
    const before = dashes();
    if (!this.plot || list.map((c) => `${c.name} ${c.unit} ${c.run.index}`).join("\n") !== old) return this.draw();
    this.list = list;
    this.data = this.table(list);
    this.dash();
    if (dashes() !== before) return this.draw();
    this.plot.setData(this.data);
    this.owner.applyZoom(this);
    return this.mark(this.owner.player.time);
  }

  units() {
    return [...new Set(this.list.map((s) => s.unit))];
  }

  /** @returns {uPlot.Options} */
  options(width) {
    const c = this.owner.theme.colors;
    const units = this.units();
    const font = "11px system-ui, sans-serif";
    const axis = { stroke: c.muted, grid: { stroke: c.line, width: 1 }, ticks: { stroke: c.line, width: 1, size: 4 }, font, labelFont: font };
    /** @type {uPlot.Scales} */
    const scales = { x: { time: false } };
    /** @type {uPlot.Axis[]} */
    const axes = [{ ...axis, size: 28, label: "time [s]", labelSize: 14, labelGap: -2, values: (_, ticks) => ticks.map((t) => plain(t)) }];
    units.forEach((unit, k) => {
      // an axis for the second unit is on the right; further ones stand beside it
      scales[`y${k}`] = this.log ? { distr: 3, range: decades } : { range: padded };
      axes.push({
        ...axis,
        scale: `y${k}`,
        side: k === 0 ? 3 : 1,
        size: axisWidth,
        label: unit ? `${this.difference ? "Δ " : ""}[${unitText(unit)}]` : " ",
        labelSize: labelWidth,
        labelGap: 0,
        grid: { ...axis.grid, show: k === 0 },
        values: (_, ticks) => ticks.map((t) => (this.log ? `1e${Math.round(Math.log10(t))}` : plain(t, digits(ticks)))),
        // uPlot's own ticks of logarithmic axes end at 1e-24
        ...(this.log ? { splits: powers, filter: (_, ticks) => ticks } : {}),
      });
    });
    if (!units.length) axes.push({ ...axis, scale: "y", size: axisWidth, label: " ", labelSize: labelWidth, labelGap: 0 });
    return {
      width,
      height,
      scales,
      axes,
      legend: { show: false },
      // all charts end at the same place, so that one time lies above the other
      padding: [10, 12 + (axisWidth + labelWidth) * (this.owner.rightAxes() - Math.max(0, units.length - 1)), 0, 0],
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
      const swatch = element("i", { style: sample(this.owner.several ? "var(--muted)" : first?.color, first?.dash) });
      const value = element("b", { "data-name": name });
      const off = this.off.has(name);
      const label = element("button", { class: "name", "aria-pressed": String(!off), title: off ? `Draw ${name}` : `Leave ${name} out`, onclick: () => this.show(name, off) }, swatch, name);
      return element("span", { class: `chip${off ? " off" : ""}`, title: first || off ? "" : "not recorded" }, label, value,
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
      const value = (m) => short(this.data[m + 1]?.[i], this.owner.several ? 3 : 5);
      const same = this.list.map((s, m) => ({ s, m })).filter(({ s }) => s.name === node.dataset.name);
      if (!this.owner.several) node.textContent = value(k) + unit;
      else if (same.length <= 6) node.replaceChildren(...same.map(({ s, m }) => element("span", { style: `color:${s.color}`, title: s.run.label }, `${value(m)} `)), unit);
    }
  }

  indexNow() {
    const [time] = this.data;
    return time?.length ? nearest(time, this.owner.player.time) : 0;
  }

  mark(t) {
    this.xyPlot?.mark(this.indexNow());
    if (this.xyPlot) this.showValues(null);
    if (!this.plot) return;
    const x = this.plot.valToPos(t, "x");
    // asked of the plot: the page would have to be laid out to say it
    const inside = x >= -1 && x <= this.plot.bbox.width / devicePixelRatio + 1;
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
    if (this.xyPlot && width && width !== this.xyPlot.width) this.draw();
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
    this.early = null; // what is charted, when that was chosen by a part of a run and nobody has changed it since
    this.degrees = false; // angles in degrees, speeds in turns per minute
    this.changed = () => {}; // told when what is shown changes
    for (const { names, log, title, xy } of defaults(report)) this.create(names, log, title, xy);
    this.aligned = this.rightAxes();
    this.activate(this.list[0]);
    player.listen(() => this.mark());
    theme.listen(() => this.draw());
    new ResizeObserver(() => this.list.forEach((c) => c.resize())).observe(stack);
  }

  /** another report; charts keep what they show as far as it is there, unless it is of another machine */
  replace(report, fresh = false) {
    this.report = report;
    this.runs = report.runs;
    const { columns } = report.runs[0];
    if (fresh) this.zoom = null;
    // what the beginning of a run has made one choose may not be what the whole of it does
    const chosen = fresh || this.early === nameList(this.list);
    const wanted = defaults(report);
    const stay = chosen ? !fresh && nameList(wanted) === this.early : this.list.some((c) => c.names.some((name) => columns.has(name)));
    if (stay) for (const c of this.list) c.update();
    else {
      for (const c of [...this.list]) this.remove(c);
      for (const { names, log, title, xy } of wanted) this.create(names, log, title, xy);
      this.activate(this.list[0]);
    }
    this.early = chosen && report.part < 1 ? nameList(this.list) : null;
    this.realign();
  }

  /** are curves of several runs in one chart? */
  get several() {
    return this.runs.length > 1 && this.report.kind !== "pick";
  }
  create(names, log, title, xy = false) {
    const chart = new Chart(this, names, log, title);
    chart.xy = xy;
    this.list.push(chart);
    this.stack.append(chart.node);
    chart.draw();
    return chart;
  }
  remove(chart) {
    chart.plot?.destroy();
    chart.xyPlot?.destroy();
    chart.node.remove();
    this.list = this.list.filter((c) => c !== chart);
    if (this.active === chart) this.activate(this.list.at(-1));
    this.realign();
    this.changed();
  }
  /** the most axes that any chart has on its right */
  rightAxes() {
    return Math.max(0, ...this.list.map((c) => (c.list && !c.xy ? c.units().length - 1 : 0)));
  }
  /** when the axes on the right become more or fewer, all charts make room for them */
  realign() {
    const count = this.rightAxes();
    if (count === this.aligned) return;
    this.aligned = count;
    this.draw();
  }
  setDegrees(on) {
    this.degrees = on;
    this.draw();
    this.changed();
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

  /** from the first to the last instant, also those that are not computed yet */
  whole() {
    return [this.player.start, this.player.end];
  }

  zoomed(source, min, max) {
    if (this.spreading || min === undefined || min === null) return;
    const [start, end] = this.whole();
    this.zoom = min > start || max < end ? [min, max] : null;
    this.spread(source);
    this.changed();
  }
  spread(source) {
    this.spreading = true;
    for (const c of this.list) if (c !== source) this.applyZoom(c);
    this.spreading = false;
    this.mark();
  }
  applyZoom(chart) {
    if (!chart.plot) return;
    const before = this.spreading;
    this.spreading = true;
    const [min, max] = this.zoom ?? this.whole();
    if (max > min) chart.plot.setScale("x", { min, max });
    this.spreading = before;
  }
  unzoom() {
    this.zoom = null;
    this.spread(null);
  }
}

/** what is looked at first is chosen where the report was written; methods compared also show their violations */
function defaults(report) {
  const { columns } = report.runs[0];
  if (report.runs.every((run) => run.columns.count < 2)) return instant(columns);
  // what stays as it is in every mode tells nothing of them
  const telling = ({ names }) => report.kind !== "pick" || names.some((name) => report.runs.some((run) => varies(run.columns.values(name))));
  const charts = (report.charts ?? []).filter(telling).map((c) => ({ ...c, log: false }));
  if (report.kind === "methods") {
    charts.splice(2);
    for (const name of ["residual.position", "energy.balance"]) if (columns.has(name)) charts.push({ names: [name], log: logarithmic(name), title: "what methods differ in" });
  }
  // orbits of journals in their bearings
  for (const { name } of clearances(report)) {
    const names = [`${name}.x`, `${name}.y`];
    if (names.every((n) => columns.has(n))) charts.push({ names, log: false, title: `orbit of ${name}`, xy: true });
  }
  if (!charts.length) charts.push({ names: columns.names.slice(0, 2), log: false, title: "" });
  return charts;
}

const nameList = (charts) => charts.map((c) => c.names.join()).join(";");

const varies = (values) => !!values && values.some((x) => Math.abs(x - values[0]) > 1e-6 * Math.abs(values[0]) + 1e-12);

/** what there is to say of one instant: where joints are, what acts */
function instant(columns) {
  // the same forces in the axes of a body are for who asks for them
  const told = columns.names.filter((n) => !n.includes(".local_"));
  const list = (title, wanted) => ({ names: told.filter(wanted).slice(0, 90), log: false, title });
  const kinds = [
    list("coordinates", (n) => columns.has(`${n}_rate`)),
    list("forces", (n) => columns.unit(n) === "N" && Math.abs(columns.values(n)[0]) > columns.roundOff(n)),
    list("torques", (n) => columns.unit(n) === "N m" && Math.abs(columns.values(n)[0]) > columns.roundOff(n)),
  ];
  return kinds.filter(({ names }) => names.length);
}

/** a value between recorded times */
function at(time, values, t) {
  const i = Math.max(1, Math.min(time.length - 1, upper(time, t)));
  if (t > time[time.length - 1] + 1e-9 * Math.abs(t)) return NaN;
  const part = (t - time[i - 1]) / (time[i] - time[i - 1] || 1);
  // recorded values stay what they are
  return part <= 0 ? values[i - 1] : part >= 1 ? values[i] : values[i - 1] + part * (values[i] - values[i - 1]);
}

/** index of the first time not before t */
function upper(time, t) {
  let low = 0;
  let high = time.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time[middle] < t) low = middle + 1;
    else high = middle;
  }
  return low;
}
