// limits.js: where coordinates of joints end: posts that a turning body would meet, plates at the ends of a slide.
//
// A limit is told by the value of its coordinate. What that looks like follows from the first recorded instant, whose
// value and poses are known: the body is turned or moved from there to the limit, and the stop stands beside it.
import * as THREE from "three";
import { worldPoint } from "./measure.js";
import { mountMatrix, parallel, sliding, vector } from "./mounts.js";
import * as shapes from "./shapes.js";

const turning = new Set(["revolute", "cylindrical"]);

/** half of what a body measures along a direction of its own, as far as its shape tells */
function halfAlong(body, direction, fallback) {
  const s = body?.shape;
  if (s?.kind === "box") return 0.5 * (Math.abs(direction.x) * s.size[0] + Math.abs(direction.y) * s.size[1] + Math.abs(direction.z) * s.size[2]);
  if (s?.kind === "cylinder") return parallel(vector(s.axis), direction) ? 0.5 * s.length : s.radius;
  return fallback;
}

/** the limits of a model: {joint, kind, value, side: -1 lower, 1 upper, start: value at the first instant} */
export function limitsOf(model) {
  const list = [];
  for (const limit of model.joints) {
    if (limit.type !== "limit" || !Number.isFinite(limit.start)) continue;
    const joint = model.joints.find((j) => j.name === limit.joint_a);
    if (!joint?.a || !joint.b) continue;
    const kind = limit.coordinate ?? (sliding.has(joint.type) ? "translation" : "angle");
    const drawn = kind === "angle" ? turning.has(joint.type) : kind === "translation" && sliding.has(joint.type) && joint.type !== "revolute-prismatic";
    if (!drawn) continue;
    for (const [side, value] of [[-1, limit.lower], [1, limit.upper]]) if (value !== undefined) list.push({ limit, joint, kind, value, side, start: limit.start });
  }
  return list;
}

/** a point or direction of b at the first instant, in the axes of a's mount */
function seenFrom(frames, a, body, at) {
  const place = mountMatrix(a);
  const toWorld = (m) => {
    if (a.body < 0) return m;
    const origin = worldPoint(frames, a.body, [0, 0, 0], 0, new THREE.Vector3());
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((e) => worldPoint(frames, a.body, e, 0, new THREE.Vector3()).sub(origin));
    return m.premultiply(new THREE.Matrix4().makeBasis(axes[0], axes[1], axes[2]).setPosition(origin));
  };
  return worldPoint(frames, body, at, 0, new THREE.Vector3()).applyMatrix4(toWorld(place).invert());
}

/** where the plates of a slide stand along its rail, the ground of a's mount: in front of the face that comes there */
export function plates(parts, joint) {
  const { frames, w, model } = parts;
  return limitsOf(model).filter((l) => l.joint === joint && l.kind === "translation" && model.bodies[joint.b.body]).map((l) => {
    const { a, b } = joint;
    const body = model.bodies[b.body];
    const axis = new THREE.Vector3(b.axes[2], b.axes[5], b.axes[8]);
    const middle = seenFrom(frames, a, b.body, body.shape ? body.com : b.at).z;
    return { ...l, at: middle + l.value - l.start + l.side * (halfAlong(body, axis, 1.5 * w) + 0.2 * w) };
  });
}

export class LimitParts {
  constructor(parts) {
    this.parts = parts;
    const { model } = parts;
    for (const limit of limitsOf(model).filter((l) => l.kind === "angle")) this.own(limit, () => this.addPost(limit));
    for (const joint of model.joints) if (sliding.has(joint.type)) for (const plate of plates(parts, joint)) this.own(plate, () => this.addPlate(plate));
  }

  /** what is added meanwhile belongs to that limit */
  own({ limit }, add) {
    const first = this.parts.list.length;
    add();
    for (const part of this.parts.list.slice(first)) part.element = limit;
  }

  color(end) {
    return end.body < 0 ? "ground" : "metal";
  }

  /** how far in front of a's plane b lies */
  lift(b) {
    return this.parts.flat(b.body) ? this.parts.level(b.body) : 0;
  }

  /** beside where the body is at its limit, a bar's half width and its own radius away */
  addPost({ joint: { a, b }, value, side, start }) {
    const { frames, w, depth, model } = this.parts;
    const body = model.bodies[b.body];
    if (!body) return;
    const centre = seenFrom(frames, a, b.body, body.com);
    const far = Math.hypot(centre.x, centre.y);
    const radius = far > 2.5 * w ? far : 4 * w;
    const tip = far > 2.5 * w ? centre : seenFrom(frames, a, b.body, [b.at[0] + b.axes[0], b.at[1] + b.axes[3], b.at[2] + b.axes[6]]);
    const post = 0.4 * w;
    const half = body.shape?.radius > 0 && body.shape.kind !== "sphere" ? body.shape.radius : 0.5 * w;
    const beside = Math.asin(Math.min(1, (half + post) / radius));
    const angle = Math.atan2(tip.y, tip.x) + value - start + side * beside;
    const flat = this.parts.flat(b.body);
    const length = flat ? (this.parts.layers + 2) * 1.12 * depth : 2.4 * w;
    const middle = flat ? 0.5 * this.lift(b) : 0;
    const put = (key, make, x, turn) => this.parts.add(a.body, key, make, mountMatrix(a).multiply(new THREE.Matrix4().makeRotationZ(angle)).multiply(new THREE.Matrix4().makeTranslation(x, 0, middle - turn * 0.45 * length)).multiply(new THREE.Matrix4().makeRotationY(turn * Math.PI / 2)), this.color(a), "joints");
    put(`post ${length.toPrecision(4)}`, () => shapes.pin(post, length), radius, 0);
    // an arm from the hinge holds it
    put(`arm ${radius.toPrecision(4)}`, () => shapes.cylinder(0.14 * w, radius, 8), 0.5 * radius, 1);
  }

  addPlate({ joint: { a, b }, at }) {
    const { w } = this.parts;
    const place = mountMatrix(a).multiply(new THREE.Matrix4().makeTranslation(0, 0, at));
    if (this.parts.flat(b.body)) place.premultiply(new THREE.Matrix4().makeTranslation(0, 0, this.lift(b)));
    this.parts.add(a.body, "plate", () => shapes.box(3.4 * w, 3.4 * w, 0.4 * w), place, this.color(a), "joints");
  }
}
