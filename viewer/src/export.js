// export.js: a chart as SVG for papers, and as CSV.
import { nice, unitText } from "./format.js";

/** offers a file for download */
export function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function fileName(chart, ending) {
  const title = chart.owner.report.title || "holon";
  const what = chart.names.length === 1 ? chart.names[0] : "chart";
  return `${title}-${what}`.replace(/[^\w.-]+/g, "_") + ending;
}

const label = (chart, curve) => (chart.owner.runs.length > 1 ? `${curve.name} (${curve.run.label})` : curve.name);

/** what is seen: the quantities over the time zoomed to */
export function csvText(chart) {
  const [time] = chart.data;
  const { min, max } = chart.plot?.scales.x ?? { min: -Infinity, max: Infinity };
  const head = ["time [s]", ...chart.list.map((c) => `${label(chart, c)}${c.unit ? ` [${c.unit}]` : ""}`)];
  const lines = [head.map((h) => (/[",]/.test(h) ? `"${h.replaceAll('"', '""')}"` : h)).join(",")];
  for (let i = 0; i < time.length; i++) {
    if (time[i] < min || time[i] > max) continue;
    // a logarithmic axis shows sizes; the file has the signs
    lines.push([time[i], ...chart.list.map((c, k) => (chart.aligned && c.factor === 1 && !chart.difference ? c.values[i] : chart.data[k + 1][i]) ?? "nan")].join(","));
  }
  return lines.join("\n") + "\n";
}

export function saveCsv(chart) {
  save(fileName(chart, ".csv"), new Blob([csvText(chart)], { type: "text/csv" }));
}

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** round numbers between low and high */
export function ticks(low, high, count) {
  const step = nice((high - low) / count);
  const list = [];
  // multiples of the step: sums of it would miss zero by round-off
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) list.push(Number((k * step).toPrecision(12)) + 0);
  return list;
}

function decades(low, high) {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first) / 6));
  const list = [];
  for (let p = first; p <= last; p += every) list.push(10 ** p);
  return list;
}

const tickText = (x, log) =>
  log ? `10<tspan dy="-5" font-size="9">${Math.round(Math.log10(x))}</tspan>` : String(x).replace("-", "\u2212");

export function svgText(chart) {
  if (chart.xyPlot) return new XMLSerializer().serializeToString(chart.xyPlot.svg);
  const width = 760;
  const rows = Math.ceil(chart.list.length / 3);
  const top = 18 + 20 * rows;
  const plotHeight = 320;
  const { min, max } = chart.plot.scales.x;
  const units = [...new Set(chart.list.map((c) => c.unit))];
  const left = 70;
  const right = width - (units.length > 1 ? 70 * (units.length - 1) : 20);
  const bottom = top + plotHeight;
  const x = (t) => left + ((t - min) / (max - min)) * (right - left);
  const scale = units.map((_, k) => {
    const s = chart.plot.scales[`y${k}`];
    const f = chart.log ? Math.log10 : (v) => v;
    return { ...s, y: (v) => bottom - ((f(v) - f(s.min)) / (f(s.max) - f(s.min))) * plotHeight };
  });
  const out = [];
  out.push(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${bottom + 50}" viewBox="0 0 ${width} ${bottom + 50}" font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#222">`);
  out.push(`<rect width="100%" height="100%" fill="#fff"/>`);
  for (const t of ticks(min, max, 8))
    out.push(`<path stroke="#e3e6ea" d="M${x(t).toFixed(1)} ${top}V${bottom}"/><text x="${x(t).toFixed(1)}" y="${bottom + 17}" text-anchor="middle">${tickText(t, false)}</text>`);
  scale.forEach((s, k) => {
    const at = k === 0 ? left : right + 70 * (k - 1);
    for (const v of chart.log ? decades(s.min, s.max) : ticks(s.min, s.max, 6)) {
      const y = s.y(v).toFixed(1);
      if (k === 0) out.push(`<path stroke="#e3e6ea" d="M${left} ${y}H${right}"/>`);
      out.push(`<text x="${k ? at + 6 : at - 6}" y="${Number(y) + 4}" text-anchor="${k ? "start" : "end"}">${tickText(v, chart.log)}</text>`);
    }
    if (units[k]) out.push(`<text transform="translate(${k ? at + 58 : 16} ${(top + bottom) / 2}) rotate(-90)" text-anchor="middle">${escape(unitText(units[k]))}</text>`);
  });
  out.push(`<clipPath id="c"><rect x="${left}" y="${top}" width="${right - left}" height="${plotHeight}"/></clipPath><g clip-path="url(#c)" fill="none" stroke-width="1.6" stroke-linejoin="round">`);
  chart.list.forEach((curve, k) => out.push(`<path stroke="${curve.color}"${curve.dash.length ? ` stroke-dasharray="${curve.dash}"` : ""} d="${path(chart, k, x, scale[units.indexOf(curve.unit)].y)}"/>`));
  out.push(`</g><rect x="${left}" y="${top}" width="${right - left}" height="${plotHeight}" fill="none" stroke="#444"/>`);
  chart.list.forEach((curve, k) => {
    const lx = left + (k % 3) * ((right - left) / 3);
    const ly = 20 + 20 * Math.floor(k / 3);
    out.push(`<path stroke="${curve.color}" stroke-width="2.4"${curve.dash.length ? ` stroke-dasharray="${curve.dash}"` : ""} d="M${lx} ${ly - 4}h24"/><text x="${lx + 30}" y="${ly}">${escape(label(chart, curve))}</text>`);
  });
  out.push(`<text x="${(left + right) / 2}" y="${bottom + 38}" text-anchor="middle">time in s</text></svg>`);
  return out.join("\n");
}

function path(chart, k, x, y) {
  const time = chart.plot.data[0];
  const values = chart.plot.data[k + 1];
  let text = "";
  let pen = false;
  for (let i = 0; i < time.length; i++) {
    const v = values[i];
    if (v === null || v === undefined || !Number.isFinite(v)) pen = false;
    else {
      text += `${pen ? "L" : "M"}${x(time[i]).toFixed(1)} ${y(v).toFixed(1)}`;
      pen = true;
    }
  }
  return text;
}

export function saveSvg(chart) {
  save(fileName(chart, ".svg"), new Blob([svgText(chart)], { type: "image/svg+xml" }));
}
