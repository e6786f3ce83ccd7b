// traces.js: the paths of chosen points: the whole path faintly, what is behind in full colour.
import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { short } from "./format.js";
import { sampleFrames, worldPoint } from "./measure.js";

const most = 4000; // points of a path

export class Traces {
  constructor(model, frames, theme, size, parts) {
    this.group = new THREE.Group();
    this.model = model;
    this.frames = frames;
    this.theme = theme;
    this.parts = parts;
    this.list = [];
    this.points = listPoints(model, frames);
    for (const point of defaults(model, frames, this.points, size)) this.toggle(point.name);
  }

  has(name) {
    return this.list.some((t) => t.name === name);
  }

  toggle(name) {
    const i = this.list.findIndex((t) => t.name === name);
    if (i >= 0) {
      const [trace] = this.list.splice(i, 1);
      this.group.remove(trace.whole, trace.past);
      for (const line of [trace.whole, trace.past]) line.geometry.dispose();
    } else {
      const point = this.points.find((p) => p.name === name);
      if (point) this.add(point);
    }
    this.paint();
  }

  /** any point of a body */
  addPoint({ name, body, at }) {
    const title = `${name} (${at.map((x) => short(x)).join(", ")})`;
    if (this.has(title)) return;
    this.points.push({ name: title, kind: "point", body, at });
    this.toggle(title);
  }

  /** the same points in another run */
  setFrames(frames) {
    const names = this.list.map((t) => t.name);
    this.frames = frames;
    for (const name of [...names, ...names]) this.toggle(name);
  }

  add(point) {
    const frames = sampleFrames(this.frames, most);
    const positions = new Float32Array(3 * frames.length);
    const p = new THREE.Vector3();
    const lift = this.parts.size.planar ? (this.parts.layers + 0.4) * 1.12 * this.parts.depth : 0;
    frames.forEach((frame, i) => {
      worldPoint(this.frames, point.body, point.at, frame, p);
      p.z += lift;
      p.toArray(positions, 3 * i);
    });
    const geometry = new LineGeometry().setPositions(positions);
    const line = (width, opacity) => {
      const l = new Line2(geometry.clone(), new LineMaterial({ linewidth: width, transparent: true, opacity, depthWrite: false }));
      l.frustumCulled = false;
      this.group.add(l);
      return l;
    };
    this.list.push({ name: point.name, frames, whole: line(1.2, 0.28), past: line(2.4, 0.9) });
  }

  paint() {
    this.list.forEach((trace, i) => {
      const colors = this.theme.colors.trace;
      trace.color = colors[i % colors.length];
      for (const line of [trace.whole, trace.past]) line.material.color.set(trace.color);
    });
  }

  resize(width, height) {
    for (const trace of this.list)
      for (const line of [trace.whole, trace.past]) line.material.resolution.set(width, height);
  }

  update(frames) {
    const now = frames.index + frames.part;
    for (const trace of this.list) {
      let low = 0;
      let high = trace.frames.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (trace.frames[middle] <= now) low = middle;
        else high = middle - 1;
      }
      trace.past.geometry.instanceCount = low;
      trace.past.visible = low > 0;
    }
  }
}

/** centres of bodies, their named frames, joints: what can leave a path */
function listPoints(model, frames) {
  const list = [];
  model.bodies.forEach((body, i) => {
    if (!frames.has(i)) return;
    list.push({ name: body.name, kind: "centre of mass", body: i, at: body.com });
    for (const p of body.points ?? []) list.push({ name: `${body.name}.${p.name}`, kind: "frame", body: i, at: p.at });
  });
  for (const j of model.joints) {
    const end = [j.b, j.a].find((e) => e && e.body >= 0 && frames.has(e.body));
    if (end) list.push({ name: j.name, kind: "joint", body: end.body, at: end.at });
  }
  return list;
}

/** one path that is worth seeing: of the body or joint, not held by the ground, that moves most */
function defaults(model, frames, points, size) {
  if (model.bodies.length > 300) return [];
  const p = new THREE.Vector3();
  const fixed = new Set();
  for (const j of model.joints) {
    if (j.a?.body < 0 && j.b) fixed.add(j.b.body);
    if (j.b?.body < 0 && j.a) fixed.add(j.a.body);
  }
  let best = null;
  for (const point of points) {
    if (point.kind === "frame") continue;
    let length = 0;
    let last = null;
    for (const frame of sampleFrames(frames, 120)) {
      worldPoint(frames, point.body, point.at, frame, p);
      if (last) length += last.distanceTo(p);
      last = p.clone();
    }
    // a free body says more than one that turns about a fixed pin
    if (!fixed.has(point.body) && point.kind !== "joint") length *= 2;
    if (length > 0.2 * size.radius && (!best || length > best.length)) best = { point, length };
  }
  return best ? [best.point] : [];
}
