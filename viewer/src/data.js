// data.js: the numbers that holon put into the page, as typed arrays.
//
// The script element `holon-data` is a JSON object, `holon-blob` all numbers in base64;
// src/io/report.h of holon describes both.
import { restored } from "./packed.js";

/** @param {string} text */
function decode(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

/** a block of the blob as an array */
function view(buffer, block) {
  return block.type === "f64"
    ? new Float64Array(buffer, block.at, block.count)
    : new Float32Array(buffer, block.at, block.count);
}

/** Poses and vectors at recorded instants; between two of them they are interpolated. */
export class Frames {
  constructor(buffer, json) {
    this.stride = json.stride;
    this.bodies = json.bodies;
    this.time = view(buffer, json.time);
    this.pose = view(buffer, json.pose);
    this.values = view(buffer, json.track);
    this.deformed = json.deformed ? view(buffer, json.deformed) : new Float32Array(0);
    this.count = this.time.length;
    this.tracks = [];
    this.width = 0;
    for (const track of json.tracks) {
      this.tracks.push({ ...track, at: this.width, size: track.names.length });
      this.width += track.names.length;
    }
    this.index = 0; // frame at or before the instant asked for last
    this.part = 0; // how far it is to the next one, 0 to 1
  }

  get start() {
    return this.time[0];
  }
  get end() {
    return this.time[this.count - 1];
  }

  /** index of the last frame at or before t */
  find(t) {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** go to an instant; what is asked for next is of that instant */
  seek(t) {
    const i = this.find(t);
    const next = Math.min(i + 1, this.count - 1);
    const gap = this.time[next] - this.time[i];
    this.index = i;
    this.part = gap > 0 ? Math.min(1, Math.max(0, (t - this.time[i]) / gap)) : 0;
  }

  /** was the body recorded? */
  has(body) {
    return body < this.bodies && !Number.isNaN(this.pose[7 * body]);
  }

  /** position (3 numbers) and quaternion x y z w (4 numbers) of a body, at the instant */
  read(body, out, frame = this.index, part = this.part) {
    const p = this.pose;
    let i = 7 * (frame * this.bodies + body);
    out[0] = p[i];
    out[1] = p[i + 1];
    out[2] = p[i + 2];
    out[6] = p[i + 3]; // recorded scalar first
    out[3] = p[i + 4];
    out[4] = p[i + 5];
    out[5] = p[i + 6];
    if (part === 0 || frame + 1 >= this.count) return out;
    i += 7 * this.bodies;
    const rest = 1 - part;
    for (let k = 0; k < 3; k++) out[k] = rest * out[k] + part * p[i + k];
    const dot = out[6] * p[i + 3] + out[3] * p[i + 4] + out[4] * p[i + 5] + out[5] * p[i + 6];
    const weight = dot < 0 ? -part : part;
    out[6] = rest * out[6] + weight * p[i + 3];
    out[3] = rest * out[3] + weight * p[i + 4];
    out[4] = rest * out[4] + weight * p[i + 5];
    out[5] = rest * out[5] + weight * p[i + 6];
    const scale = 1 / Math.hypot(out[3], out[4], out[5], out[6]);
    for (let k = 3; k < 7; k++) out[k] *= scale;
    return out;
  }

  /** the deformation of a flexible body at the instant; `at`: where its numbers begin in a frame */
  deformation(at, out, frame = this.index, part = this.part) {
    const width = this.deformed.length / this.count;
    const i = frame * width + at;
    const j = Math.min(frame + 1, this.count - 1) * width + at;
    for (let k = 0; k < out.length; k++) out[k] = (1 - part) * this.deformed[i + k] + part * this.deformed[j + k];
    return out;
  }

  /** the numbers of a track at the instant */
  track(track, out) {
    const i = this.index * this.width + track.at;
    const j = Math.min(this.index + 1, this.count - 1) * this.width + track.at;
    for (let k = 0; k < track.size; k++)
      out[k] = (1 - this.part) * this.values[i + k] + this.part * this.values[j + k];
    return out;
  }
}

/** Recorded columns: all rows, or pairs of smallest and largest value (perPair rows each). */
class Columns {
  constructor(buffer, json) {
    this.perPair = json.per_pair;
    this.time = view(buffer, json.time);
    this.names = json.names;
    this.units = json.units;
    this.zero = json.zero ?? [];
    this.data = view(buffer, json.data);
    this.index = new Map(json.names.map((name, i) => [name, i]));
  }
  get count() {
    return this.time.length;
  }
  has(name) {
    return this.index.has(name);
  }
  unit(name) {
    return this.units[this.index.get(name)] ?? "";
  }
  /** numbers of a column below this size are round-off of others of its unit */
  roundOff(name) {
    return this.zero[this.index.get(name)] ?? 0;
  }
  /** all values of a column; undefined when it was not recorded */
  values(name) {
    const i = this.index.get(name);
    return i === undefined ? undefined : this.data.subarray(i * this.count, (i + 1) * this.count);
  }
}

/** the report that stands in the page; a promise of it where its numbers are compressed */
export function load() {
  const json = JSON.parse(document.getElementById("holon-data").textContent);
  const blob = document.getElementById("holon-blob");
  const buffer = decode(blob.textContent);
  return blob.dataset.packed ? restored(buffer, json.runs).then((plain) => unpack(json, plain)) : unpack(json, buffer);
}

/** the bytes of the library, where the page has it */
export function libraryBytes() {
  const node = document.getElementById("holon-library");
  return node ? decode(node.textContent) : null;
}

/** further models that a page may have: their texts by their names (scripts/docs.py puts them in) */
export function modelTexts() {
  const node = document.getElementById("holon-models");
  return new Map(Object.entries(node ? JSON.parse(node.textContent) : {}));
}

/** a report from its two parts */
export function unpack(json, buffer) {
  const runs = json.runs.map((run, i) => ({
    ...run,
    index: i,
    frames: new Frames(buffer, run.frames),
    columns: new Columns(buffer, run.columns),
  }));
  // a limit stands where its coordinate is, which is known where the run begins
  for (const limit of json.model?.joints ?? []) {
    const of = limit.type === "limit" && ["angle", "translation"].find((c) => (limit.coordinate ?? c) === c && runs[0].columns.has(`${limit.joint_a}.${c}`));
    if (of) limit.start = runs[0].columns.values(`${limit.joint_a}.${of}`)[0];
  }
  return { ...json, model: json.model ?? bare(json.bodies ?? [], runs[0].columns), known: !!json.model, runs };
}

/** what there is to draw when only a result is known; bodies of the plane record no z */
function bare(names, columns) {
  const bodies = names.map((name) => ({
    name,
    kind: columns.has(`${name}.z`) ? "point" : "planar-point",
    mass: 1,
    inertia: [0, 0, 0, 0, 0, 0],
    com: [0, 0, 0],
    points: [],
  }));
  return { gravity: [0, 0, 0], bodies, ground: { points: [] }, joints: [], forces: [] };
}
