// joint_parts.js: what joints look like: pins, bearings, balls, rails, bores; and the ends of springs.
import * as THREE from "three";
import { plates } from "./limits.js";
import { sampleFrames, worldPoint } from "./measure.js";
import { massless, mountMatrix, pointed, shaftAbout, sliding, vector } from "./mounts.js";
import * as shapes from "./shapes.js";

export class JointParts {
  constructor(parts) {
    this.parts = parts;
    this.model = parts.model;
    this.frames = parts.frames;
    this.size = parts.size;
    this.w = parts.w;
    this.depth = parts.depth;
    this.many = parts.many;
  }

  addAll() {
    for (const joint of this.model.joints) if (joint.a && joint.b) this.own(joint, () => this.addJoint(joint));
    for (const force of this.model.forces) if (force.a && force.b) this.own(force, () => this.addForce(force));
  }

  /** what is added meanwhile belongs to that joint or force */
  own(element, add) {
    const first = this.parts.list.length;
    add();
    for (const part of this.parts.list.slice(first)) part.element = element;
  }

  add(...piece) {
    this.parts.add(...piece);
  }
  flat(body) {
    return this.parts.flat(body);
  }
  level(body) {
    return this.parts.level(body);
  }
  body(end) {
    return end.body >= 0 ? this.model.bodies[end.body] : null;
  }

  addJoint(joint) {
    const { a, b, type } = joint;
    const both = this.flat(a.body) || this.flat(b.body) || this.size.planar;
    if (massless.has(type)) return this.addLinkEnds(joint, both);
    if (sliding.has(type)) return this.addSlide(joint, both);
    if (both && pointed.has(type)) return this.addPin(joint);
    if (type === "revolute" || type === "constant-velocity") return this.addHinge(joint);
    if (type === "spherical" || type === "point-on-plane") return this.addBall(joint, b);
    if (type === "universal") return this.addCross(joint);
    if (type === "fixed") {
      const s = 1.7 * this.w;
      this.add(b.body, "weld", () => shapes.box(s, s, s), mountMatrix(b), "metal", "joints");
    } else if (type === "wheel" || type === "knife-edge") this.addSkate(joint);
    else if (type === "coordinate" || (type === "driver" && a.body < 0)) this.addGrip(b);
    return undefined;
  }

  /** pin through the layers it joins, on its support where it is fixed to the ground */
  addPin(joint) {
    const { a, b } = joint;
    const low = Math.min(this.level(a.body), this.level(b.body)) - 0.62 * this.depth;
    const high = Math.max(this.level(a.body), this.level(b.body)) + 0.72 * this.depth;
    const side = b.body >= 0 ? b : a;
    const put = (r, length, z, color) =>
      this.add(side.body, `pin ${r} ${length.toPrecision(4)}`, () => shapes.pin(r, length),
        new THREE.Matrix4().setPosition(side.at[0], side.at[1], z), color, "joints");
    put(0.56 * this.w, high - low, (low + high) / 2, "metal");
    put(0.3 * this.w, 0.2 * this.depth, high, "pin");
    const fixed = a.body < 0 ? a : b.body < 0 ? b : null;
    if (fixed) this.addSupport(fixed.at);
  }

  addSupport(at) {
    const up = this.size.up;
    const turn = Math.atan2(-up.x, up.y);
    const m = new THREE.Matrix4().makeRotationZ(turn).setPosition(at[0], at[1], this.level(-1));
    this.add(-1, "support", () => shapes.support(this.w, this.depth), m, "ground", "joints");
  }

  /** a point that is held or led */
  addGrip(end) {
    if (!this.many) this.add(end.body, "grip", () => shapes.ball(0.9 * this.w), new THREE.Matrix4().setPosition(vector(end.at)), "metal", "joints");
  }

  /** a ring around a shaft that turns in it, fixed to the ground */
  addCollar(fixed, radius) {
    this.add(-1, `collar ${radius}`, () => shapes.collar(1.02 * radius, this.w), mountMatrix(fixed), "ground", "joints");
  }

  addHinge({ a, b }) {
    const w = this.w;
    const side = b.body >= 0 ? b : a;
    const shaft = shaftAbout(this.body(side), side);
    if (shaft && shaft.length > 1.2 * shaft.radius && (a.body < 0 || b.body < 0)) {
      this.addAxis(side);
      return this.addCollar(a.body < 0 ? a : b, shaft.radius);
    }
    this.add(side.body, "hinge", () => shapes.pin(0.95 * w, 2.4 * w), mountMatrix(side), "metal", "joints");
    if (!this.many) this.add(side.body, "hinge pin", () => shapes.pin(0.45 * w, 3.3 * w), mountMatrix(side), "pin", "joints");
    this.addAxis(side);
    const fixed = a.body < 0 ? a : b.body < 0 ? b : null;
    if (fixed) this.add(-1, "bearing", () => shapes.bearing(w), mountMatrix(fixed), "ground", "joints");
    return undefined;
  }

  addAxis(end) {
    if (this.many) return;
    const w = this.w;
    this.add(end.body, "axis", () => shapes.cylinder(0.09 * w, 13 * w, 8), mountMatrix(end), "axis", "axes");
  }

  addBall({ a, b }, end) {
    const w = this.w;
    const side = end.body >= 0 ? end : a;
    this.add(side.body, "ball joint", () => shapes.ball(1.2 * w), new THREE.Matrix4().setPosition(vector(side.at)), "metal", "joints");
    const fixed = a.body < 0 ? a : b.body < 0 ? b : null;
    if (fixed) this.addBlock(fixed);
  }

  /** where something is fixed to the ground, in space */
  addBlock(end) {
    const s = 2.3 * this.w;
    const m = new THREE.Matrix4().setPosition(vector(end.at).addScaledVector(this.size.up, -0.9 * this.w));
    this.add(-1, "block", () => shapes.box(s, s, 0.6 * s), m, "ground", "joints");
  }

  addCross({ a, b }) {
    const w = this.w;
    for (const end of [a, b]) {
      this.add(end.body, "cross", () => shapes.arm(w), mountMatrix(end), "metal", "joints");
      this.addAxis(end);
    }
    const side = b.body >= 0 ? b : a;
    this.add(side.body, "cross ball", () => shapes.ball(0.75 * w), new THREE.Matrix4().setPosition(vector(side.at)), "pin", "joints");
    if (a.body < 0) this.addBlock(a);
  }

  /** ends of massless links; the links themselves stretch and are drawn elsewhere */
  addLinkEnds({ a, b }, flat) {
    const w = this.w;
    for (const end of [a, b]) {
      const z = flat ? this.level(end.body >= 0 ? end.body : 0) : 0;
      const m = new THREE.Matrix4().setPosition(end.at[0], end.at[1], end.at[2] + z);
      this.add(end.body, "link end", () => shapes.ball(0.8 * w), m, "metal", "joints");
      if (end.body < 0 && flat) this.addSupport(end.at);
      else if (end.body < 0) this.addBlock(end);
    }
  }

  /** where springs hang on the ground, and rubber between bodies */
  addForce(force) {
    const { a, b, type } = force;
    if (type === "spring")
      for (const end of [a, b]) {
        if (end.body >= 0) continue;
        if (this.size.planar) this.addSupport(end.at);
        else this.addBlock(end);
      }
    if (type === "bushing") {
      const w = this.w;
      this.add(b.body, "bushing", () => shapes.pin(1.5 * w, 1.6 * w), mountMatrix(b), "rubber", "joints");
    }
  }

  /** a rail on a as long as b moves; a bore around a piston */
  addSlide(joint, flat) {
    const { a, b } = joint;
    const rail = joint.type === "revolute-prismatic" ? b : a;
    const rider = rail === a ? b : a;
    // a crank pin that may slide along its axis is a pin
    if (joint.type === "cylindrical" && rail.body >= 0 && !flat) return this.addHinge(joint);
    let { low, high } = this.travel(rail, rider);
    const margin = 2.6 * this.w;
    for (const { at, side } of plates(this.parts, joint)) {
      if (side < 0) low = Math.min(low, at + margin);
      else high = Math.max(high, at - margin);
    }
    const round = shaftAbout(this.body(rider), rider);
    if (rail.body < 0 && round && !flat) return this.addBore(joint, round, low, high);
    const m = mountMatrix(rail);
    if (flat) m.premultiply(new THREE.Matrix4().makeTranslation(0, 0, rail.body < 0 ? this.level(-1) + 0.2 * this.depth : this.level(rail.body)));
    // the barrel of a cylinder is seen; its rod runs inside it
    const barrel = rail.body >= 0 && (this.body(rail)?.shape || this.body(rail)?.shapes);
    if (!barrel)
      this.add(rail.body, `rail ${low} ${high} ${rail.body < 0}`, () => shapes.rail(this.w, low - margin, high + margin, rail.body < 0), m, rail.body < 0 ? "ground" : "metal", "joints");
    if (joint.type === "prismatic" || joint.type === "cylindrical" || joint.type === "screw") {
      if (this.body(rider)?.shape || this.body(rider)?.shapes) return undefined;
      return this.add(rider.body, "runner", () => shapes.box(2.4 * this.w, 2.4 * this.w, 3 * this.w),
        flat ? mountMatrix(rider).premultiply(new THREE.Matrix4().makeTranslation(0, 0, this.level(rider.body))) : mountMatrix(rider), "metal", "joints");
    }
    // sits on the rail however its body turns
    const turned = mountMatrix(rail).setPosition(0, 0, 0);
    return this.parts.list.push({ body: rail.body, rider, lift: flat ? this.level(rider.body) : 0, key: this.parts.keep("runner", () => shapes.box(2.4 * this.w, 2.4 * this.w, 3 * this.w)), matrix: turned, color: "metal", group: "joints" });
  }

  /** a glass cylinder around a piston, a ring around a slender rod */
  addBore(joint, s, low, high) {
    const { a } = joint;
    const stays = high - low < 0.5 * this.w;
    if (stays || s.length > 4 * s.radius || joint.type === "screw") return this.addCollar(a, s.radius);
    const length = high - low + s.length;
    const place = mountMatrix(a).multiply(new THREE.Matrix4().makeTranslation(0, 0, (low + high) / 2 + this.offset(joint)));
    return this.add(-1, `bore ${s.radius} ${length.toPrecision(4)}`, () => shapes.tube(1.04 * s.radius, length), place, "glass", "joints");
  }

  /** how far the middle of the rider's shape is ahead of its mount */
  offset({ b }) {
    const body = this.body(b);
    if (!body) return 0;
    return vector(body.com).sub(vector(b.at)).dot(new THREE.Vector3(b.axes[2], b.axes[5], b.axes[8]));
  }

  /** how far the rider's point moves along the rail's z axis */
  travel(rail, rider) {
    const p = new THREE.Vector3();
    const origin = new THREE.Vector3();
    const tip = new THREE.Vector3();
    const axisEnd = [rail.at[0] + rail.axes[2], rail.at[1] + rail.axes[5], rail.at[2] + rail.axes[8]];
    let low = 0;
    let high = 0;
    for (const frame of sampleFrames(this.frames, this.many ? 20 : 400)) {
      worldPoint(this.frames, rider.body, rider.at, frame, p);
      worldPoint(this.frames, rail.body, rail.at, frame, origin);
      worldPoint(this.frames, rail.body, axisEnd, frame, tip);
      const s = p.sub(origin).dot(tip.sub(origin));
      if (Number.isNaN(s)) continue;
      low = Math.min(low, s);
      high = Math.max(high, s);
    }
    return { low: Number(low.toPrecision(4)), high: Number(high.toPrecision(4)) };
  }

  addSkate(joint) {
    const w = this.w;
    const blade = joint.type === "wheel" ? () => shapes.disc(2.2 * w, 0.5 * w) : () => shapes.box(4.5 * w, 1.4 * w, 0.3 * w);
    this.add(joint.b.body, joint.type, blade, mountMatrix(joint.b), "metal", "joints");
  }
}
