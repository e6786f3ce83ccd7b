// library.js: holon itself, compiled to WebAssembly (live/live.c of holon), called from JavaScript.
import { System } from "./system.js";

/** what a model file is to be run with */
/** @typedef {{name: string, text: string, set?: [string, string][], options?: string[], inputs?: [string, number][]}} Task */

export class Library {
  /** @param {WebAssembly.Module} module @param {Record<string, string | Uint8Array>} files that models include */
  constructor(module, files = {}) {
    this.system = new System(files);
    const instance = new WebAssembly.Instance(module, this.system.imports(module));
    /** @type {any} */
    this.call = instance.exports;
    this.system.memory = this.call.memory;
    this.call._initialize();
  }

  /** a text in the library's memory */
  write(text) {
    const bytes = new TextEncoder().encode(text);
    const at = this.call.live_take(bytes.length + 1);
    if (!at) throw new Error("out of memory");
    const memory = new Uint8Array(this.call.memory.buffer);
    memory.set(bytes, at);
    memory[at + bytes.length] = 0;
    return [at, bytes.length];
  }

  read(at) {
    const memory = new Uint8Array(this.call.memory.buffer);
    return at ? new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at))) : "";
  }

  put(function_, pairs) {
    for (const [name, value] of pairs) this.call[function_](this.write(name)[0], this.write(String(value))[0]);
  }

  /** what the library has answered; the numbers are a copy that can be given away, null: those of the part before */
  answer(began) {
    const json = this.read(this.call.live_json());
    const from = this.call.live_numbers();
    const numbers = from ? this.call.memory.buffer.slice(from, from + this.call.live_size()) : null;
    return { json, numbers, took: performance.now() - began };
  }

  /** @param {Task} task */
  set({ name, text, set = [], options = [], inputs = [] }) {
    this.call.live_begin();
    this.put("live_parameter", set);
    this.put("live_option", options.map((o) => [o.slice(0, o.indexOf("=")), o.slice(o.indexOf("=") + 1)]));
    this.put("live_input", inputs);
    const [at, length] = this.write(text);
    const [title] = this.write(name);
    return { at, length, title, done: () => [at, title].forEach((p) => this.call.live_free(p)) };
  }

  /**
   * runs a model: the report's data and numbers, or the message why there is none; and the time it took [ms]
   * @param {Task} task
   * @param {{after: number, tell: (answer: any) => void | boolean}} [parts] answers of a run that goes on are wanted too: `after`
   * so many ms, and ever more rarely; their `part` of the time is done. The run ends when it says false
   * @param {boolean} [later] it is left to be verified: {waiting: true} is all that is said when all parts were told
   */
  run(task, parts, later = false) {
    this.began = performance.now();
    this.call.live_later(later ? 1 : 0);
    this.call.live_parts((parts?.after ?? 0) / 1000);
    this.system.live_part = (part) => (parts?.tell({ ...this.answer(this.began), part }) === false ? 0 : 1);
    const { at, length, title, done } = this.set(task);
    const status = this.call.live_run(at, length, title);
    done();
    if (!status && this.call.live_waiting()) return { waiting: true, took: performance.now() - this.began };
    return this.concluded(status);
  }

  concluded(status) {
    const message = this.read(this.call.live_message());
    if (status) return { message, took: performance.now() - this.began };
    return { ...this.answer(this.began), message };
  }

  /** verifies the run that waits by what `companion` has said in another thread; null: nothing, it is found here */
  verify(numbers) {
    const at = numbers ? this.call.live_take(numbers.byteLength) : 0;
    if (at) new Float64Array(this.call.memory.buffer, at, numbers.length).set(numbers);
    const status = this.call.live_verify(at, at ? numbers.length : 0);
    if (at) this.call.live_free(at);
    return this.concluded(status);
  }

  /**
   * runs the companion of a run, in so many seconds at most; null: there is none
   * @param {Task} task
   */
  companion(task, seconds) {
    const { at, length, title, done } = this.set(task);
    this.call.live_companion(at, length, title, seconds);
    done();
    const from = this.call.live_companion_numbers();
    return from ? new Float64Array(this.call.memory.buffer.slice(from, from + 8 * this.call.live_companion_count())) : null;
  }
}
