// xy.js: curves over a curve, with equal scales where both have one unit: paths, orbits, loops.
import { ticks } from "./export.js";
import { plain, unitText } from "./format.js";

const height = 300;
const margin = { left: 62, right: 14, top: 10, bottom: 42 };

function node(tag, attributes = {}, text = "") {
  const n = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) n.setAttribute(key, String(value));
  n.textContent = text;
  return n;
}

const extent = (values) => {
  let [low, high] = [Infinity, -Infinity];
  for (const x of values) if (Number.isFinite(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
  return low <= high ? [low, high] : [0, 1];
};

/** joints and forces in which a journal has play */
export function clearances(report) {
  const { joints = [], forces = [] } = report.model ?? {};
  return [...joints, ...forces].filter((e) => e.clearance > 0);
}

export class XyPlot {
  constructor(chart, parent, width) {
    this.width = width;
    this.chart = chart;
    this.pairs = this.findPairs();
    this.circle = this.findCircle();
    this.svg = node("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "xy", role: "img", "aria-label": this.pairs.map((p) => `${p.y.name} over ${p.x.name}`).join(", "), "font-size": 11 });
    this.fit();
    this.draw();
    parent.append(this.svg);
  }

  /** every later quantity over the first one of the same run */
  findPairs() {
    const { list, data } = this.chart;
    const pairs = [];
    list.forEach((y, k) => {
      const j = list.findIndex((c) => c.run === y.run);
      if (j !== k) pairs.push({ x: list[j], y, xs: data[j + 1], ys: data[k + 1] });
    });
    return pairs;
  }

  /** the clearance of a bearing whose journal's orbit this is; 0: it is something else */
  findCircle() {
    const [pair] = this.pairs;
    const owner = pair && clearances(this.chart.owner.report).find((e) => pair.x.name === `${e.name}.x` && pair.y.name === `${e.name}.y`);
    return owner ? owner.clearance : 0;
  }

  fit() {
    const inner = { w: this.width - margin.left - margin.right, h: height - margin.top - margin.bottom };
    const wall = this.circle ? [-this.circle, this.circle] : [];
    const [x, y] = [extent([...this.pairs.flatMap((p) => extent(p.xs)), ...wall]), extent([...this.pairs.flatMap((p) => extent(p.ys)), ...wall])];
    const per = [((x[1] - x[0]) || 1) * 1.08 / inner.w, ((y[1] - y[0]) || 1) * 1.08 / inner.h];
    this.equal = this.pairs.every((p) => p.x.unit === p.y.unit && p.x.unit !== "");
    if (this.equal) per.fill(Math.max(...per));
    this.per = per;
    this.low = [(x[0] + x[1] - per[0] * inner.w) / 2, (y[0] + y[1] - per[1] * inner.h) / 2];
    this.high = [this.low[0] + per[0] * inner.w, this.low[1] + per[1] * inner.h];
  }

  px(x) {
    return margin.left + (x - this.low[0]) / this.per[0];
  }
  py(y) {
    return height - margin.bottom - (y - this.low[1]) / this.per[1];
  }

  draw() {
    const c = this.chart.owner.theme.colors;
    const [right, bottom] = [this.width - margin.right, height - margin.bottom];
    const text = (x, y, anchor, s) => this.svg.append(node("text", { x, y, "text-anchor": anchor, fill: c.muted }, s));
    for (const t of ticks(this.low[0], this.high[0], 6)) {
      this.svg.append(node("path", { d: `M${this.px(t)} ${margin.top}V${bottom}`, stroke: c.line }));
      text(this.px(t), bottom + 15, "middle", plain(t));
    }
    for (const t of ticks(this.low[1], this.high[1], 6)) {
      this.svg.append(node("path", { d: `M${margin.left} ${this.py(t)}H${right}`, stroke: c.line }));
      text(margin.left - 6, this.py(t) + 4, "end", plain(t));
    }
    const named = (curve) => `${curve.name}${curve.unit ? ` [${unitText(curve.unit)}]` : ""}`;
    if (this.pairs[0]) text((margin.left + right) / 2, height - 8, "middle", named(this.pairs[0].x));
    if (this.circle) this.svg.append(node("circle", { class: "clearance", cx: this.px(0), cy: this.py(0), r: this.circle / this.per[0], fill: "none", stroke: c.muted, "stroke-width": 1.2, "stroke-dasharray": "5 3" }));
    for (const p of this.pairs) {
      let d = "";
      for (let i = 0; i < p.xs.length; i++)
        if (Number.isFinite(p.xs[i]) && Number.isFinite(p.ys[i])) d += `${d ? "L" : "M"}${this.px(p.xs[i]).toFixed(1)} ${this.py(p.ys[i]).toFixed(1)}`;
      this.svg.append(node("path", { d, fill: "none", stroke: p.y.color, "stroke-width": 1.6, "stroke-dasharray": p.y.dash.join(" ") }));
      p.dot = node("circle", { r: 4, fill: p.y.color, stroke: c.sky, "stroke-width": 1.5 });
      this.svg.append(p.dot);
    }
  }

  /** where the instant of the scene is */
  mark(index) {
    for (const p of this.pairs) {
      const [x, y] = [p.xs[index], p.ys[index]];
      const there = Number.isFinite(x) && Number.isFinite(y);
      p.dot.setAttribute("visibility", there ? "visible" : "hidden");
      if (there) p.dot.setAttribute("transform", `translate(${this.px(x).toFixed(1)} ${this.py(y).toFixed(1)})`);
    }
  }

  destroy() {
    this.svg.remove();
  }
}
