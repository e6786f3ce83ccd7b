// parts.js: what a mechanism looks like: rigid pieces, each fixed to a body or to the ground.
//
// A body is drawn by its shape. Where it has none, or joints lie outside of it, bars are added from
// joint to joint, so that what is connected looks connected. Planar bodies lie in layers, as the
// bars of a real linkage do, so that they pass each other.
import * as THREE from "three";
import { sampleFrames, worldPoint } from "./measure.js";
import * as shapes from "./shapes.js";

const massless = new Set(["distance", "universal-spherical", "revolute-spherical"]);
const sliding = new Set(["prismatic", "cylindrical", "screw", "point-on-line", "revolute-prismatic"]);
const pointed = new Set(["revolute", "spherical", "universal", "fixed", "distance", "universal-spherical",
  "revolute-spherical", "constant-velocity", "point-on-line", "point-on-plane"]);

const zAxis = new THREE.Vector3(0, 0, 1);

/** matrix that puts the z axis along a direction at a point */
function along(at, direction) {
  const q = new THREE.Quaternion().setFromUnitVectors(zAxis, direction.clone().normalize());
  return new THREE.Matrix4().compose(at, q, new THREE.Vector3(1, 1, 1));
}

/** matrix of a mount: axes row by row */
function mountMatrix(end) {
  const a = end.axes;
  const m = new THREE.Matrix4();
  m.set(a[0], a[1], a[2], end.at[0], a[3], a[4], a[5], end.at[1], a[6], a[7], a[8], end.at[2], 0, 0, 0, 1);
  return m;
}

const vector = (at) => new THREE.Vector3().fromArray(at);

export class Parts {
  constructor(model, frames, size) {
    this.model = model;
    this.frames = frames;
    this.size = size;
    this.w = size.width;
    this.depth = 0.9 * this.w; // thickness of plates
    this.list = [];
    this.geometries = new Map();
    this.many = model.bodies.length > 300;
    shapes.setDetail(model.bodies.length > 300 ? (model.bodies.length > 1000 ? 7 : 12) : 32);
    this.ends = model.bodies.map(() => []);
    for (const joint of model.joints)
      for (const end of [joint.a, joint.b]) if (end && end.body >= 0) this.ends[end.body].push({ joint, end });
    for (const force of model.forces)
      for (const end of [force.a, force.b])
        if (end && end.body >= 0 && force.type === "spring") this.ends[end.body].push({ joint: force, end });
    this.tyres = new Map(model.forces.filter((f) => f.type === "tyre" && f.b).map((f) => [f.b.body, f]));
    this.assignLayers();
    // nodes of beams are drawn as one tube (beams.js)
    const nodes = new Set((model.beams ?? []).flatMap((b) => Array.from({ length: b.elements + 1 }, (_, k) => b.first + k)));
    model.bodies.forEach((body, i) => nodes.has(i) || this.addBody(body, i));
    for (const joint of model.joints) if (joint.a && joint.b) this.addJoint(joint);
    for (const force of model.forces) if (force.a && force.b) this.addForce(force);
  }

  /** one piece; `color` is a body's number or the name of a colour */
  add(body, key, make, matrix, color, group = "bodies") {
    if (!this.geometries.has(key)) this.geometries.set(key, make());
    this.list.push({ body, key, matrix, color, group });
  }

  flat(body) {
    return body >= 0 && this.model.bodies[body].kind.startsWith("planar");
  }

  /** neighbours in the linkage get different layers */
  assignLayers() {
    const { model } = this;
    const near = model.bodies.map(() => new Set());
    for (const j of model.joints) {
      if (!j.a || !j.b || j.a.body < 0 || j.b.body < 0) continue;
      near[j.a.body].add(j.b.body);
      near[j.b.body].add(j.a.body);
    }
    this.layer = new Array(model.bodies.length).fill(-1);
    for (let i = 0; i < this.layer.length; i++) {
      const taken = new Set([...near[i]].map((k) => this.layer[k]));
      let layer = 0;
      while (taken.has(layer)) layer++;
      this.layer[i] = layer;
    }
    this.layers = Math.max(1, ...this.layer.map((l) => l + 1));
  }

  /** height of a body's layer above the plane; the ground lies behind all of them */
  level(body) {
    if (body < 0) return -1.12 * this.depth;
    return this.flat(body) ? this.layer[body] * 1.12 * this.depth : 0;
  }

  // ---- bodies --------------------------------------------------------------------------------

  addBody(body, i) {
    if (body.kind === "point" || body.kind === "planar-point") return this.addPoint(body, i);
    if (this.flat(i)) return this.addFlat(body, i);
    if (body.shape) return this.addShape(body, i, 0);
    return this.addFromInertia(body, i);
  }

  /** radius of a ball of that mass, the heaviest being two bars wide */
  ballRadius(mass) {
    const most = Math.max(...this.model.bodies.map((b) => b.mass));
    return this.w * (0.9 + 1.5 * Math.cbrt(mass / most));
  }

  addPoint(body, i) {
    const r = this.ballRadius(body.mass);
    const at = vector(body.com);
    if (this.flat(i)) at.z += this.level(i);
    this.add(i, `ball ${r.toPrecision(3)}`, () => shapes.ball(r), new THREE.Matrix4().setPosition(at), i);
  }

  /** corners of a planar link: its joints, the ends of its rod, its centre */
  corners(body, i) {
    const list = this.ends[i].filter((e) => !sliding.has(e.joint.type)).map((e) => [e.end.at[0], e.end.at[1]]);
    if (body.shape?.kind === "rod") {
      const a = vector(body.shape.axis).normalize().multiplyScalar(body.shape.length / 2);
      // the rod says where a link ends when its joints do not
      const far = Math.max(0, ...list.map((p) => Math.hypot(p[0] - body.com[0], p[1] - body.com[1])));
      if (list.length < 2 || far < 0.9 * a.length())
        list.push([body.com[0] + a.x, body.com[1] + a.y], [body.com[0] - a.x, body.com[1] - a.y]);
    }
    if (list.length < 2) list.push([body.com[0], body.com[1]]);
    const apart = [];
    for (const p of list)
      if (!apart.some((q) => Math.hypot(p[0] - q[0], p[1] - q[1]) < 0.2 * this.w)) apart.push(p);
    return apart;
  }

  addFlat(body, i) {
    const z = this.level(i);
    const solid = body.shape && body.shape.kind !== "rod";
    if (solid) this.addShape(body, i, z);
    if (!solid || this.outside(body, i).length) {
      const points = this.corners(body, i);
      const r = solid ? 0.8 * this.w : this.w;
      if (solid) points.push([body.com[0], body.com[1]]);
      if (!solid && points.length === 1) return this.addFlatDisc(body, i, z);
      const key = `plate ${r} ${points.map((p) => p.map((x) => x.toPrecision(5))).join(" ")}`;
      this.add(i, key, () => shapes.plate(points, r, this.depth), new THREE.Matrix4().setPosition(0, 0, z), i);
    }
    return undefined;
  }

  /** turns about its own centre: a disc of that inertia */
  addFlatDisc(body, i, z) {
    const r = Math.min(Math.sqrt((2 * body.inertia[2]) / body.mass) || this.w, 0.5 * this.size.radius);
    const radius = Math.max(r, 1.5 * this.w);
    this.add(i, `disc ${radius}`, () => shapes.disc(radius, this.depth),
      new THREE.Matrix4().setPosition(body.com[0], body.com[1], z), i);
  }

  addShape(body, i, z) {
    const s = body.shape;
    const at = vector(body.com);
    at.z += z;
    const place = new THREE.Matrix4().setPosition(at);
    if (s.kind === "box") {
      const size = this.flat(i) ? [s.size[0], s.size[1], this.depth] : s.size;
      this.add(i, `box ${size}`, () => shapes.box(size[0], size[1], size[2]), place, i);
    } else if (s.kind === "sphere") {
      this.add(i, `ball ${s.radius} marked`, () => shapes.ball(s.radius, true), place, i);
    } else if (s.kind === "cylinder") {
      this.addCylinder(s, i, at);
    } else {
      const r = Math.max(s.radius, 0.62 * this.w);
      const body = Math.max(s.length - 2 * r, 0.01 * r);
      this.add(i, `capsule ${r} ${body}`, () => shapes.capsule(r, body), along(at, vector(s.axis)), i);
    }
    if (!this.flat(i)) this.addArms(i, at, this.outside(body, i));
  }

  addCylinder(s, i, at) {
    const place = along(at, vector(s.axis));
    const length = this.flat(i) ? this.depth : s.length;
    const tyre = this.tyres.get(i);
    if (tyre && tyre.radius >= 0.9 * s.radius) {
      const r = tyre.radius;
      this.add(i, `tyre ${r} ${length}`, () => shapes.tyre(r, length), place, "rubber");
      this.add(i, `disc ${0.69 * r} ${length}`, () => shapes.disc(0.69 * r, 0.45 * length), place, i);
    } else if (length < 1.2 * s.radius) {
      const thick = Math.max(length, 0.04 * s.radius);
      this.add(i, `disc ${s.radius} ${thick}`, () => shapes.disc(s.radius, thick), place, i);
    } else {
      this.add(i, `shaft ${s.radius} ${length}`, () => shapes.shaft(s.radius, length), place, i);
    }
  }

  /** joints of a body that its shape does not reach */
  outside(body, i) {
    const s = body.shape;
    const local = new THREE.Vector3();
    return this.ends[i].filter(({ joint, end }) => {
      if (sliding.has(joint.type) || joint.type.startsWith("rolling")) return false;
      local.fromArray(end.at).sub(vector(body.com));
      if (this.flat(i)) local.z = 0;
      if (!s) return true;
      if (s.kind === "sphere") return local.length() > s.radius + 0.5 * this.w;
      if (s.kind === "box")
        return s.size.some((x, k) => Math.abs(local.getComponent(k)) > 0.5 * Math.max(x, this.flat(i) && k === 2 ? 1e9 : 0) + 0.5 * this.w);
      const axis = vector(s.axis).normalize();
      const across = local.clone().addScaledVector(axis, -local.dot(axis)).length();
      return Math.abs(local.dot(axis)) > 0.5 * s.length + 1.5 * this.w || across > s.radius + 1.2 * this.w;
    });
  }

  /** bars from a point of the body to some of its joints */
  addArms(i, from, ends) {
    for (const { end } of ends) {
      const to = vector(end.at);
      const d = to.clone().sub(from);
      const length = d.length();
      if (length < 0.5 * this.w) continue;
      const r = 0.55 * this.w;
      this.add(i, `capsule ${r} ${length.toPrecision(5)}`, () => shapes.capsule(r, length), along(from.clone().addScaledVector(d, 0.5), d), i);
    }
  }

  /** a body in space that is known by its inertia only */
  addFromInertia(body, i) {
    const at = vector(body.com);
    const ends = this.ends[i].filter((e) => pointed.has(e.joint.type) || e.joint.type === "spring");
    const slider = this.ends[i].find((e) => sliding.has(e.joint.type));
    if (slider || !ends.length) {
      const size = boxOfInertia(body, this.w, this.size.radius);
      this.add(i, `box ${size}`, () => shapes.box(size[0], size[1], size[2]), new THREE.Matrix4().setPosition(at), i);
    } else if (ends.length === 1) {
      const r = this.ballRadius(body.mass);
      this.add(i, `ball ${r}`, () => shapes.ball(r), new THREE.Matrix4().setPosition(at), i);
    }
    this.addArms(i, at, ends);
  }

  // ---- joints --------------------------------------------------------------------------------

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

  addHinge({ a, b }) {
    const w = this.w;
    const side = b.body >= 0 ? b : a;
    this.add(side.body, "hinge", () => shapes.pin(0.95 * w, 2.4 * w), mountMatrix(side), "metal", "joints");
    if (!this.many) this.add(side.body, "hinge pin", () => shapes.pin(0.45 * w, 3.3 * w), mountMatrix(side), "pin", "joints");
    this.addAxis(side);
    const fixed = a.body < 0 ? a : b.body < 0 ? b : null;
    if (fixed) this.add(-1, "bearing", () => shapes.bearing(w), mountMatrix(fixed), "ground", "joints");
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

  /** a rail on a as long as b moves */
  addSlide(joint, flat) {
    const { a, b } = joint;
    const rail = joint.type === "revolute-prismatic" ? b : a;
    const rider = rail === a ? b : a;
    const { low, high } = this.travel(rail, rider);
    const margin = 2.6 * this.w;
    const z = flat ? this.level(-1) + 0.2 * this.depth : 0;
    const m = mountMatrix(rail);
    if (flat) m.premultiply(new THREE.Matrix4().makeTranslation(0, 0, z));
    this.add(rail.body, `rail ${low} ${high}`, () => shapes.rail(this.w, low - margin, high + margin, rail.body < 0), m,
      rail.body < 0 ? "ground" : "metal", "joints");
    if (joint.type === "point-on-line" || joint.type === "revolute-prismatic" || !this.model.bodies[rider.body]?.shape)
      this.add(rider.body, "runner", () => shapes.box(2.4 * this.w, 2.4 * this.w, 3 * this.w),
        flat ? mountMatrix(rider).premultiply(new THREE.Matrix4().makeTranslation(0, 0, this.level(rider.body))) : mountMatrix(rider), "metal", "joints");
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

/** edges of the box with the mass and (diagonal) inertia of a body, kept drawable */
function boxOfInertia(body, w, radius) {
  const [x, y, z] = body.inertia;
  const edge = (s) => Math.sqrt(Math.max(0, (6 * s) / (body.mass || 1)));
  const keep = (s) => Math.min(Math.max(s, 1.6 * w), 0.8 * radius);
  return [keep(edge(y + z - x)), keep(edge(x + z - y)), keep(edge(x + y - z))];
}
