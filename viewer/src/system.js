// system.js: what the library asks of an operating system, for where there is none: a clock, and files
// in memory that can be read. The names and numbers are those of WASI.

const good = 0;
const badFile = 8;
const noEntry = 44;
const notThere = 52;
const root = 3;

/** @param {Record<string, string | Uint8Array>} files by their names beside the model */
export class System {
  constructor(files = {}) {
    this.files = new Map(Object.entries(files).map(([name, text]) => [name, typeof text === "string" ? new TextEncoder().encode(text) : text]));
    this.open = new Map();
    this.next = root + 1;
    this.memory = null;
    this.live_part = (_part) => 1; // told that a part of an answer is there; 0: the rest is not wanted
  }

  get view() {
    return new DataView(this.memory.buffer);
  }

  /** all functions that a module wants; those not needed here say so */
  imports(module) {
    /** @type {WebAssembly.Imports} */
    const out = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      out[from] ??= {};
      out[from][name] = typeof this[name] === "function" ? (...words) => this[name](...words) : () => notThere;
    }
    return out;
  }

  clock_time_get(_id, _precision, at) {
    this.view.setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
    return good;
  }
  environ_sizes_get(count, size) {
    this.view.setUint32(count, 0, true);
    this.view.setUint32(size, 0, true);
    return good;
  }
  environ_get() {
    return good;
  }
  proc_exit(code) {
    throw new Error(`the library stopped (${code})`);
  }

  // ---- one folder ------------------------------------------------------------------------------

  fd_prestat_get(file, at) {
    if (file !== root) return badFile;
    this.view.setUint8(at, 0);
    this.view.setUint32(at + 4, 1, true);
    return good;
  }
  fd_prestat_dir_name(file, at) {
    if (file !== root) return badFile;
    this.view.setUint8(at, 47);
    return good;
  }
  fd_fdstat_get(file, at) {
    if (file !== root && !this.open.has(file)) return badFile;
    for (let i = 0; i < 24; i++) this.view.setUint8(at + i, 0);
    this.view.setUint8(at, file === root ? 3 : 4);
    this.view.setBigUint64(at + 8, ~0n & 0x1fffffffn, true);
    this.view.setBigUint64(at + 16, 0x1fffffffn, true);
    return good;
  }
  find(at, length) {
    const name = new TextDecoder().decode(new Uint8Array(this.memory.buffer, at, length)).replace(/^(\.?\/)+/, "");
    return this.files.get(name);
  }
  stat(at, size) {
    for (let i = 0; i < 64; i++) this.view.setUint8(at + i, 0);
    this.view.setUint8(at + 16, 4);
    this.view.setBigUint64(at + 32, BigInt(size), true);
    return good;
  }
  path_filestat_get(_folder, _flags, path, length, at) {
    const bytes = this.find(path, length);
    return bytes ? this.stat(at, bytes.length) : noEntry;
  }
  fd_filestat_get(file, at) {
    const open = this.open.get(file);
    return open ? this.stat(at, open.bytes.length) : badFile;
  }
  path_open(_folder, _flags, path, length, _open, _rights, _inherited, _more, at) {
    const bytes = this.find(path, length);
    if (!bytes) return noEntry;
    this.open.set(this.next, { bytes, at: 0 });
    this.view.setUint32(at, this.next++, true);
    return good;
  }
  fd_read(file, list, count, at) {
    const open = this.open.get(file);
    if (!open) return badFile;
    let done = 0;
    for (let i = 0; i < count; i++) {
      const to = this.view.getUint32(list + 8 * i, true);
      const room = this.view.getUint32(list + 8 * i + 4, true);
      const part = open.bytes.subarray(open.at, open.at + room);
      new Uint8Array(this.memory.buffer).set(part, to);
      open.at += part.length;
      done += part.length;
      if (part.length < room) break;
    }
    this.view.setUint32(at, done, true);
    return good;
  }
  fd_seek(file, offset, whence, at) {
    const open = this.open.get(file);
    if (!open) return badFile;
    open.at = Number(offset) + [0, open.at, open.bytes.length][whence];
    this.view.setBigUint64(at, BigInt(open.at), true);
    return good;
  }
  fd_close(file) {
    return this.open.delete(file) ? good : badFile;
  }
  /** what it would print is nobody's business */
  fd_write(_file, list, count, at) {
    let size = 0;
    for (let i = 0; i < count; i++) size += this.view.getUint32(list + 8 * i + 4, true);
    this.view.setUint32(at, size, true);
    return good;
  }
}
