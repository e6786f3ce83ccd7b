// summary.js: what a person needs to decide whether to trust the run.
import { element, plural, short, unitText } from "./format.js";

const card = (title, ...children) => element("section", { class: "card" }, title && element("h2", {}, title), ...children);

/** a table of names and values; rows without value are left out */
function facts(rows) {
  return element("dl", {}, rows.filter(([, value]) => value !== undefined && value !== null && value !== "")
    .flatMap(([name, value, hint]) => [element("dt", { title: hint }, name), element("dd", {}, value)]));
}

/** how a run ended, in a word and a sentence */
export function verdict(run, part) {
  if (part < 1) return { state: "none", word: `${Math.round(100 * part)} %`, sentence: "The run goes on; this is what is known so far." };
  if (part === 1) return { state: "none", word: "verifying", sentence: "The run is there; a companion finds out how far it may be off." };
  if (run.message) return { state: "bad", word: "stopped early", sentence: run.message };
  if (!run.summary) return { state: "none", word: "not audited", sentence: "A result file holds no audit; run the model for one." };
  return run.summary.pass
    ? { state: "good", word: "audit passed", sentence: "The run finished, and every audited quantity stayed within its limit." }
    : { state: "bad", word: "audit failed", sentence: "The run finished, but a quantity exceeded its limit: see below." };
}

export function badge(run, part) {
  const v = verdict(run, part);
  return element("span", { class: `badge ${v.state}`, title: v.sentence }, v.word);
}

/** worst value against its limit, on a logarithmic bar that ends at the limit */
function auditRow(item, player) {
  const decades = item.worst > 0 ? Math.log10(item.limit / item.worst) : 16;
  const fill = Math.max(2, Math.min(100, 100 * (1 - decades / 16)));
  return element("tr", { class: item.pass ? "" : "failed" },
    element("td", {}, item.name,
      element("div", { class: "meter", title: item.pass ? `${decades.toFixed(1)} decades below the limit` : "above the limit" },
        element("i", { class: item.pass ? "" : "over", style: `width:${fill.toFixed(0)}%` }))),
    element("td", { class: "number" }, short(item.worst, 3), element("small", {}, ` of ${short(item.limit)}`), element("small", { class: "unit" }, unitText(item.unit))),
    element("td", {},
      element("button", { class: "link", title: "Show this instant", onclick: () => player.seek(item.time) }, `${short(item.time, 4)} s`),
      item.where ? element("small", {}, item.where) : null),
    element("td", { class: "mark" }, item.pass ? "✓" : "✗"));
}

function tile(value, label, title) {
  return element("div", { class: "tile", title }, element("b", {}, value), element("span", {}, label));
}

function worst(summary, word) {
  return summary?.audit.find((item) => item.name.includes(word));
}

function audit(run, player) {
  if (!run.summary) return null;
  return card("Audit", element("table", { class: "audit" }, element("thead", {}, element("tr", {},
    element("th", {}, "quantity"), element("th", { class: "number" }, "worst, limit"), element("th", {}, "when, where"), element("th", {}))),
  element("tbody", {}, run.summary.audit.map((item) => auditRow(item, player)))));
}

function method(run) {
  const s = run.summary;
  if (!s) return null;
  const parts = [s.solver, s.correction, s.integrator].filter(Boolean).join(" + ");
  const ratio = s.wall > 0 ? s.time / s.wall : 0;
  return card("Method", facts([
    ["method", s.method],
    ["parts", parts, "solver + correction + integrator"],
    ["coordinates", s.coordinates],
    ["simulated", `${short(s.time, 5)} s in ${short(s.wall)} s${ratio ? `, ${short(ratio)} × real time` : ""}`],
    ["steps", `${s.steps.toLocaleString("en")}${s.rejected ? `, ${s.rejected.toLocaleString("en")} rejected` : ""}`],
    ["evaluations", s.evaluations.toLocaleString("en")],
    ["events", s.events ? plural(s.events, "instant") + " where a force switches" : null],
    ["singular", s.regularised ? `${s.regularised} evaluations met dependent rows and were solved through` : null],
    ["re-chosen", s.switches ? `independent coordinates ${s.switches} times` : null],
  ]));
}

const names = (list) => element("div", { class: "names" }, list.map((n) => element("code", {}, n)));

function mechanism(report) {
  const c = report.check;
  if (!c) return null;
  const redundant = c.rows - c.rank;
  return card("Mechanism",
    facts([
      ["degrees of freedom", String(c.dof) + (c.dof !== c.dof_counted ? `, though counting gives ${c.dof_counted}` : "")],
      ["made of", `${plural(c.bodies, "body", "bodies")}, ${plural(c.joints, "joint")}, ${plural(c.forces, "force")}`],
      ["constraint rows", redundant ? `${c.rows}, of which ${redundant} repeat others` : `${c.rows}, all independent`],
      ["assembly moved", c.moved > 0 ? `${short(c.moved)} m or rad at most` : null],
    ]),
    redundancy(c),
    undetermined(c));
}

function redundancy(c) {
  if (!c.redundant.length) return null;
  const said = c.dependencies?.length ? element("ul", {}, c.dependencies.map((text) => element("li", {}, text))) : null;
  return element("div", { class: "warn" }, element("b", {}, "Redundant rows"), " repeat what other joints impose already; the motion does not depend on them.", said, names(c.redundant));
}

function undetermined(c) {
  if (!c.undetermined?.length) return null;
  return element("div", { class: "warn" }, element("b", {}, "Reactions that are not determined"), " by the motion; how they are shared is a convention:", names(c.undetermined));
}

function settings(report) {
  if (!report.settings) return null;
  return card("Settings", facts(report.settings.filter((s) => s.value !== "").map((s) => [
    s.name,
    element("span", { class: s.chosen ? "chosen" : "" }, typeof s.value === "number" ? `${short(s.value, 4)}${s.unit ? "\u202f" + unitText(s.unit) : ""}` : s.value),
    s.help,
  ])), element("p", { class: "note" }, "In bold: what differs from the default."));
}

/** all runs of a comparison in one table */
function comparison(report) {
  if (report.runs.length < 2) return null;
  const rows = report.runs.map((run) => {
    const s = run.summary;
    return element("tr", {}, element("td", {}, run.label), element("td", {}, badge(run)),
      ...["position", "velocity"].map((k) => element("td", { class: "number" }, short(worst(s, k)?.worst))),
      element("td", { class: "number" }, short(s?.energy_drift)),
      element("td", { class: "number" }, s ? s.evaluations.toLocaleString("en") : "–"));
  });
  return card("Comparison", element("div", { class: "wide" }, element("table", {}, element("thead", {}, element("tr", {},
    ["method", "", "position violation", "velocity violation", "energy imbalance", "evaluations"].map((h) => element("th", {}, h)))),
  element("tbody", {}, rows))));
}

/** where the page shows less than was computed */
export function thinning(run) {
  const notes = [];
  if (run.frames.stride > 1) notes.push(`The scene has every ${run.frames.stride}th of ${run.rows.toLocaleString("en")} recorded rows.`);
  const n = run.columns.perPair;
  if (n) {
    const t = run.columns.time;
    const span = t.length > 4 ? t[4] - t[2] : 0;
    notes.push(`Charts show the smallest and largest value of every ${n} rows (${short(span)} s): no peak is lost, but its time is known to that interval only.`);
  }
  return notes.join(" ");
}

export function fillSummary(node, report, player) {
  const run = report.runs[0];
  const v = verdict(run, report.part);
  const s = run.summary;
  const heading = report.runs.length > 1 ? `${run.label}: ${v.word}` : v.word;
  node.replaceChildren(...[
    element("section", { class: `card verdict ${v.state}` }, element("h2", {}, heading), element("p", {}, v.sentence),
      element("div", { class: "tiles" },
        report.check ? tile(String(report.check.dof), plural(report.check.dof, "degree").replace(/^\S+ /, "") + " of freedom") : null,
        s ? tile(short(worst(s, "position")?.worst, 2), "worst position violation", "m or rad") : null,
        s ? tile(short(s.energy_drift, 2), "energy imbalance", "relative to the energy of the run") : null,
        tile(`${short(run.frames.end - run.frames.start, 4)} s`, "of motion"))),
    report.model.description ? card(null, element("p", { class: "description" }, report.model.description)) : null,
    comparison(report),
    audit(run, player),
    mechanism(report),
    method(run),
    settings(report),
    thinning(run) ? card("Data", element("p", {}, thinning(run))) : null,
    element("p", { class: "note" }, `Written by holon ${report.generator}. ${run.rows.toLocaleString("en")} rows of ${(run.columns.names.length + 1).toLocaleString("en")} columns were recorded.`),
  ].filter(Boolean));
}
