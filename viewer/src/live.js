// live.js: a page that computes: sliders for parameters and inputs, the model's text, and the library that
// runs it anew whenever one of them changes.
import workerText from "worker:./live_worker.js";
import { libraryBytes, modelTexts, unpack } from "./data.js";
import { element, short, unitText } from "./format.js";

const $ = (id) => document.getElementById(id);

/** where a slider begins and ends, around a value */
export function range(value) {
  if (value === 0) return [-1, 1];
  return value > 0 ? [value / 4, value * 2] : [value * 2, value / 4];
}

/** line and column of a message "file.yaml:12:3: what is wrong"; null when it names no place in the file */
export function placeOf(message, name) {
  if (!message.startsWith(`${name}:`)) return null;
  const found = /^(\d+):(\d+): /.exec(message.slice(name.length + 1));
  return found ? { line: Number(found[1]), column: Number(found[2]), what: message.slice(name.length + 1 + found[0].length) } : null;
}

export class Live {
  /**
   * @param {(report: any, how?: {drawn?: boolean, fresh?: boolean}) => void} show takes a new report: all but the audit may be
   * drawn already; it may be of another machine
   */
  constructor(report, show) {
    this.source = report.live;
    this.url = URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));
    this.show = show;
    this.text = this.source.text;
    this.values = new Map(); // of parameters that were changed
    this.inputs = new Map();
    this.fixed = new Map(this.source.set); // set where the page was made
    this.busy = true;
    this.wanted = false;
    this.seen = false; // something of the run that is under way was shown
    this.drawn = 0; // rows of it, when that are all
    this.numbers = null; // of what was shown last
    this.compiled = null; // the library, for further threads
    this.spare = null; // one of these that waits
    this.seconds = new WeakMap(); // threads that run companions, by those they run them for
    this.chosen = ""; // which of several models
    this.count = 0; // answers so far
    this.controls = report.live;
    this.models = modelTexts();
    this.fresh = false; // another model was chosen, and nothing of it seen yet
    this.makePanel();
    this.makeEditor();
    this.fill(report.live);
    this.start();
  }

  // ---- the library -----------------------------------------------------------------------------

  /** a thread with the library in it */
  thread(what) {
    const worker = new Worker(this.url);
    worker.onerror = (error) => this.fail(worker, error.message ?? "no worker");
    worker.onmessage = ({ data }) => {
      if (data.failed) this.fail(worker, data.failed);
      else if (worker === this.worker) this.take(data);
    };
    worker.postMessage({ ...what, files: this.files });
    if (what.module) this.support(worker, what.module);
    return worker;
  }

  /** a second thread beside it, which runs the companions of its runs, where there is a processor for it */
  support(worker, module) {
    if (!(navigator.hardwareConcurrency > 1)) return;
    const { port1, port2 } = new MessageChannel();
    const second = new Worker(this.url);
    const lost = () => {
      second.terminate();
      worker.postMessage({ port: null });
    };
    second.onerror = lost;
    second.onmessage = ({ data }) => data.failed && lost();
    second.postMessage({ module, files: this.files, port: port2, beside: true }, [port2]);
    worker.postMessage({ port: port1 }, [port1]);
    this.seconds.set(worker, second);
  }

  end(worker) {
    worker.terminate();
    this.seconds.get(worker)?.terminate();
  }

  start() {
    this.files = Object.fromEntries(this.source.files.map((f) => [f.name, f.letters ? Uint8Array.from(f.letters, (c) => c.charCodeAt(0) & 255) : f.text]));
    this.busy = true;
    this.compiled = null;
    this.worker = this.thread({ library: libraryBytes(), trial: this.task() });
  }

  take(data) {
    if (data.part) return this.shown(data.part);
    // a spare thread that is ready has its task already
    if (data.ready && this.compiled) return undefined;
    this.busy = false;
    if (data.answer) this.answered(data.answer);
    if (data.ready) {
      this.compiled = data.ready;
      this.support(this.worker, data.ready);
      this.say(`ready: change a value and the run follows`, "");
    }
    if (this.wanted) this.run();
    return undefined;
  }

  /** the library is gone: a fresh one takes its place */
  fail(worker, reason) {
    this.end(worker);
    if (worker === this.spare) this.spare = null;
    if (worker !== this.worker) return;
    this.say(`the library stopped: ${reason}`, "bad");
    if (this.stopped) return;
    this.stopped = true; // once; twice would be for ever
    this.start();
  }

  /** what runs was overtaken by another wish: a thread that waited takes it on */
  overtake() {
    this.end(this.worker);
    this.worker = this.spare ?? this.thread({ module: this.compiled });
    this.spare = null;
    this.busy = false;
  }

  task() {
    const set = [...new Map([...this.fixed, ...this.values])].map(([name, value]) => [name, String(value)]);
    return { name: this.source.name, text: this.text, set, options: this.source.options, inputs: [...this.inputs] };
  }

  /** runs what is wanted now; of several wishes the last counts, and what was seen in part need not be finished */
  run() {
    this.wanted = true;
    if (this.busy && this.seen && this.compiled) this.overtake();
    if (this.busy) return;
    this.wanted = this.seen = false;
    this.busy = true;
    this.began = performance.now();
    this.worker.postMessage({ task: this.task() });
  }

  /** a part of an answer, or all of it before it was verified */
  shown({ json, numbers, part, took }) {
    this.numbers = numbers;
    const report = unpack(JSON.parse(json), numbers);
    report.part = part;
    if (!this.seen) this.waited = performance.now() - this.began;
    this.seen = true;
    this.fill(report.live);
    this.show(report, { fresh: this.fresh });
    this.fresh = false;
    this.drawn = part === 1 ? report.runs[0].rows : 0;
    // the next wish may come before this run ends
    this.spare ??= this.compiled ? this.thread({ module: this.compiled }) : null;
    this.say(part < 1 ? `${Math.round(100 * part)} % after ${short(took, 2)} ms …` : `computed in ${short(took, 2)} ms, verifying …`, "");
  }

  answered(answer) {
    this.stopped = false;
    this.took = answer.took;
    this.mark(answer.json ? "" : answer.message);
    if (!answer.json) return this.say(answer.message, "bad");
    // what was shown whole before it was verified has its numbers here already
    const report = unpack(JSON.parse(answer.json), answer.numbers ?? this.numbers);
    const [run] = report.runs;
    this.fill(report.live);
    this.show(report, { drawn: this.seen && this.drawn === run.rows, fresh: this.fresh });
    this.fresh = false;
    if (!this.seen) this.waited = performance.now() - this.began;
    this.count++;
    return this.say(`${run.message ? `stopped: ${run.message}; ` : run.summary.pass ? "" : "audit failed; "}shown after ${short(this.waited, 2)} ms, computed and verified in ${short(answer.took, 2)} ms`, run.message || !run.summary.pass ? "bad" : "");
  }

  // ---- what can be changed -----------------------------------------------------------------------

  makePanel() {
    this.rows = element("div", { class: "rows" });
    this.state = element("output", { class: "state" }, "unpacking the library …");
    this.resetButton = element("button", { class: "small", title: "All values as the model has them", onclick: () => this.reset() }, "reset");
    const fold = element("button", { class: "small", "aria-expanded": "true", title: "Show or hide the sliders" }, "▾");
    fold.addEventListener("click", () => {
      const open = this.rows.hidden;
      this.rows.hidden = !open;
      fold.setAttribute("aria-expanded", String(open));
      fold.textContent = open ? "▾" : "▸";
    });
    $("live").replaceChildren(element("header", {}, fold, element("b", {}, "live"), this.state, this.resetButton), this.rows);
    $("live").hidden = false;
  }

  say(text, state) {
    this.state.textContent = text;
    this.state.title = text;
    this.state.className = `state ${state}`;
  }

  /** a row for each parameter and input; those that are there stay, since one of them may be in the hand */
  fill(controls) {
    const list = [
      ...controls.parameters.map((p) => ({ ...p, kind: "parameter", changed: this.values, hint: p.about })),
      ...controls.inputs.map((p) => ({ ...p, kind: "input", changed: this.inputs, hint: "input signal" })),
    ];
    const key = (c) => `${c.kind} ${c.name}`;
    const same = this.list?.length === list.length && list.every((c, i) => key(c) === key(this.list[i]));
    if (same) {
      list.forEach((c, i) => {
        // the text may have given it another value
        if (!c.changed.has(c.name)) this.list[i].put(c.value);
      });
      return;
    }
    for (const map of [this.values, this.inputs]) for (const name of map.keys()) if (!list.some((c) => c.changed === map && c.name === name)) map.delete(name);
    this.list = list.map((c) => this.row(c));
    this.rows.replaceChildren(...this.list.map((c) => c.node));
    if (!list.length) this.rows.replaceChildren(element("p", { class: "note" }, "This model has no parameters; its text can be changed under Model."));
  }

  row(control) {
    const slider = /** @type {HTMLInputElement} */ (element("input", { type: "range", step: "any", "aria-label": control.name }));
    const number = /** @type {HTMLInputElement} */ (element("input", { type: "text", inputmode: "decimal", "aria-label": `${control.name}, value` }));
    const put = (value) => {
      const [low, high] = range(value);
      Object.assign(slider, { min: String(low), max: String(high), value: String(value) });
      number.value = String(Number(value.toPrecision(6)));
    };
    const change = (value) => {
      control.changed.set(control.name, value);
      this.run();
    };
    slider.addEventListener("input", () => {
      number.value = String(Number(Number(slider.value).toPrecision(4)));
      change(Number(number.value));
    });
    number.addEventListener("change", () => {
      const value = Number(number.value);
      if (number.value.trim() === "" || !Number.isFinite(value)) return;
      if (value < Number(slider.min) || value > Number(slider.max)) put(value);
      slider.value = String(value);
      change(value);
    });
    put(control.changed.get(control.name) ?? control.value);
    const label = element("span", { class: "name", title: [control.kind, control.hint].filter(Boolean).join(", ") }, control.name, control.unit ? element("small", {}, ` ${unitText(control.unit)}`) : null);
    return { ...control, put, slider, node: element("label", { class: "control" }, label, slider, number) };
  }

  reset() {
    this.values.clear();
    this.inputs.clear();
    this.list = null;
    this.run();
  }

  // ---- the text ----------------------------------------------------------------------------------

  makeEditor() {
    this.area = /** @type {HTMLTextAreaElement} */ (element("textarea", { spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-label": "Model text" }));
    this.area.value = this.text;
    this.gutter = element("pre", { "aria-hidden": "true" });
    this.trouble = element("button", { class: "trouble", hidden: "", title: "Go there" });
    this.trouble.addEventListener("click", () => this.goTo(this.place));
    let timer = 0;
    this.area.addEventListener("input", () => {
      this.number();
      clearTimeout(timer);
      timer = setTimeout(() => this.setText(this.area.value), 250);
    });
    this.area.addEventListener("scroll", () => (this.gutter.scrollTop = this.area.scrollTop));
    // a tab would indent, and YAML allows blanks only
    this.area.addEventListener("keydown", (e) => {
      e.stopPropagation();
      if (e.key !== "Tab" || e.shiftKey || e.ctrlKey) return;
      e.preventDefault();
      this.area.setRangeText("  ", this.area.selectionStart, this.area.selectionEnd, "end");
      this.area.dispatchEvent(new Event("input"));
    });
    this.chooser = this.models.size ? /** @type {HTMLSelectElement} */ (element("select", { "aria-label": "Model", title: "Another model" }, ...[...this.models.keys()].map((name) => element("option", { value: name }, name)))) : null;
    this.chooser?.addEventListener("change", () => this.choose(this.chooser.value) && this.run());
    this.title = element("b", {}, this.source.name);
    const bar = element("header", {}, this.chooser, this.title,
      element("button", { class: "small", title: "The text as it was", onclick: () => this.restore() }, "undo all"),
      element("button", { class: "small", title: "Save the text as a file", onclick: () => this.save() }, "save"));
    $("source").replaceChildren(bar, this.trouble, element("div", { class: "editor" }, this.gutter, this.area));
    /** @type {HTMLElement} */ (document.querySelector("#tabs [data-panel='source']")).hidden = false;
    this.number();
  }

  /** numbers of the lines, the wrong one marked */
  number() {
    const lines = this.area.value.split("\n").length;
    this.gutter.replaceChildren(...Array.from({ length: lines }, (_, i) => element("span", { class: this.place?.line === i + 1 ? "wrong" : "" }, String(i + 1))));
    this.gutter.scrollTop = this.area.scrollTop;
  }

  setText(text) {
    if (text === this.text) return;
    this.text = text;
    this.run();
  }

  /** another model of those the page has; false when it has none of that name */
  choose(name) {
    const text = this.models.get(name);
    if (text === undefined) return false;
    this.source = { ...this.source, name: `${name}.yaml`, text, files: [], set: [], options: [] };
    this.fixed.clear();
    this.values.clear();
    this.inputs.clear();
    this.chosen = name;
    this.fresh = true;
    this.list = null;
    this.chooser.value = name;
    this.title.textContent = this.source.name;
    this.text = this.area.value = text;
    this.number();
    return true;
  }

  restore() {
    this.area.value = this.source.text;
    this.number();
    this.setText(this.area.value);
  }

  save() {
    const link = element("a", { download: this.source.name, href: URL.createObjectURL(new Blob([this.text], { type: "text/yaml" })) });
    link.click();
  }

  /** shows what is wrong with the text, and where */
  mark(message) {
    this.place = message ? placeOf(message, this.source.name) : null;
    this.trouble.hidden = !message;
    this.trouble.textContent = message;
    this.area.setAttribute("aria-invalid", String(!!message));
    this.number();
  }

  goTo(place) {
    if (!place) return;
    const lines = this.area.value.split("\n");
    const at = lines.slice(0, place.line - 1).reduce((n, l) => n + l.length + 1, 0) + Math.min(place.column - 1, lines[place.line - 1]?.length ?? 0);
    this.area.focus();
    this.area.setSelectionRange(at, at);
    this.area.scrollTop = (place.line - 4) * (this.area.scrollHeight / lines.length);
  }

  // ---- the link ----------------------------------------------------------------------------------

  /** what differs from the page as it was made */
  changes() {
    return { ...(this.chosen && { model: this.chosen }), ...(this.text !== this.source.text && { text: this.text }), ...(this.values.size && { values: JSON.stringify([...this.values]) }), ...(this.inputs.size && { inputs: JSON.stringify([...this.inputs]) }) };
  }

  /** as a link says; what does not fit is passed over */
  apply(state) {
    const pairs = (text) => {
      try {
        const list = JSON.parse(text ?? "[]");
        return Array.isArray(list) ? list.filter((p) => Array.isArray(p) && typeof p[0] === "string" && Number.isFinite(p[1])) : [];
      } catch {
        return [];
      }
    };
    const chosen = typeof state.model === "string" && this.choose(state.model);
    for (const [name, value] of pairs(state.values)) this.values.set(name, value);
    for (const [name, value] of pairs(state.inputs)) this.inputs.set(name, value);
    if (typeof state.text === "string") this.text = this.area.value = state.text;
    if (!chosen && !this.values.size && !this.inputs.size && this.text === this.source.text) return;
    if (chosen) return this.run();
    this.list = null;
    this.fill(this.controls);
    this.number();
    return this.run();
  }
}
