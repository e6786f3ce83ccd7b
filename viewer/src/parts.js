// parts.js: what a mechanism looks like: rigid pieces, each fixed to a body or to the ground.
//
// A body is drawn by its shape. Where it has none, or joints lie outside of it, bars are added from
// joint to joint, so that what is connected looks connected. Planar bodies lie in layers, as the
// bars of a real linkage do, so that they pass each other.
import * as THREE from "three";
import { addCrankshaft, throwsOf } from "./cranks.js";
import { Gears } from "./gears.js";
import { JointParts } from "./joint_parts.js";
import { assignLayers } from "./layers.js";
import { LimitParts } from "./limits.js";
import { along, mountMatrix, pointed, sliding, vector } from "./mounts.js";
import * as shapes from "./shapes.js";

export class Parts {
  /** @param {Parts | null} before what was drawn of nearly the same machine: its geometries serve again */
  constructor(model, frames, size, before = null) {
    this.model = model;
    this.frames = frames;
    this.size = size;
    this.w = size.width;
    this.depth = 0.9 * this.w; // thickness of plates
    this.list = [];
    this.geometries = new Map();
    this.many = model.bodies.length > 300;
    this.detail = model.bodies.length > 300 ? (model.bodies.length > 1000 ? 7 : 12) : 32;
    shapes.setDetail(this.detail);
    // keys say all sizes but these, and name mesh files by their numbers
    const alike = before && before.w === this.w && before.detail === this.detail && !model.meshes?.length;
    this.made = alike ? before.geometries : new Map();
    this.ends = model.bodies.map(() => []);
    for (const joint of model.joints)
      for (const end of [joint.a, joint.b]) if (end && end.body >= 0) this.ends[end.body].push({ joint, end });
    for (const force of model.forces)
      for (const end of [force.a, force.b])
        if (end && end.body >= 0 && (force.type === "spring" || (force.type === "force" && this.flat(end.body)))) this.ends[end.body].push({ joint: force, end });
    this.tyres = new Map(model.forces.filter((f) => f.type === "tyre" && f.b).map((f) => [f.b.body, f]));
    const { layer, layers } = assignLayers(model, frames, this);
    this.layer = layer;
    this.layers = layers;
    this.gears = new Gears(model, frames, this);
    // nodes of beams are drawn as one tube (beams.js), interfaces as the body they belong to (deformed.js)
    const several = (first, count) => Array.from({ length: count }, (_, k) => first + k);
    const nodes = new Set([...(model.beams ?? []).flatMap((b) => several(b.first, b.elements + 1)), ...(model.flexibles ?? []).flatMap((f) => several(f.first, f.interfaces))]);
    model.bodies.forEach((body, i) => nodes.has(i) || this.addBody(body, i));
    this.gears.addRings();
    new JointParts(this).addAll();
    new LimitParts(this);
  }

  /** one piece; `color` is a body's number or the name of a colour */
  add(body, key, make, matrix, color, group = "bodies") {
    this.list.push({ body, key: this.keep(key, make), matrix, color, group });
  }

  /** the geometry of that key, made once */
  keep(key, make) {
    if (!this.geometries.has(key)) this.geometries.set(key, this.made.get(key) ?? make());
    return key;
  }

  flat(body) {
    return body >= 0 && this.model.bodies[body].kind.startsWith("planar");
  }

  /** height of a body's layer above the plane; the ground lies behind all of them */
  level(body) {
    if (body < 0) return -1.12 * this.depth;
    // no two faces lie in one plane, or they would flicker
    return this.flat(body) ? (this.layer[body] * 1.12 + 0.004 * (body % 23)) * this.depth : 0;
  }

  // ---- bodies --------------------------------------------------------------------------------

  addBody(body, i) {
    if (body.shapes) return this.addShapes(body, i);
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
    this.add(i, `ball ${r}`, () => shapes.ball(r), new THREE.Matrix4().setPosition(at), i);
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
    // a body without shape reaches to the points that its description names
    if (!body.shape && !body.shapes) for (const p of body.points ?? []) list.push([p.at[0], p.at[1]]);
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
      const r = solid ? 0.8 * this.w : this.barRadius(body);
      if (solid) points.push([body.com[0], body.com[1]]);
      if (!solid && points.length === 1) return this.addFlatDisc(body, i, z);
      // to a thousandth of its width, so that round-off makes no other plate
      const key = `plate ${r} ${points.map((p) => p.map((x) => Math.round((1000 * x) / this.w) || 0)).join(" ")}`;
      this.add(i, key, () => shapes.plate(points, r, this.depth), new THREE.Matrix4().setPosition(0, 0, z), i);
    }
    return undefined;
  }

  /** half the width of a bar: that of its rod, kept drawable */
  barRadius(body) {
    return body.shape?.radius > 0 ? Math.min(Math.max(body.shape.radius, 0.7 * this.w), 2.5 * this.w) : this.w;
  }

  /** turns about its own centre: a disc of that inertia */
  addFlatDisc(body, i, z) {
    const r = Math.min(Math.sqrt((2 * body.inertia[2]) / body.mass) || this.w, 0.5 * this.size.radius);
    const radius = Math.max(r, 1.5 * this.w);
    this.add(i, `disc ${radius} ${this.depth}`, () => shapes.disc(radius, this.depth),
      new THREE.Matrix4().setPosition(body.com[0], body.com[1], z), i);
  }

  /** shapes that say where they are: drawn there, with nothing added */
  addShapes(body, i) {
    // no two faces of planar bodies lie in one plane, or they would flicker
    const lift = this.flat(i) ? 0.004 * (i % 23) * this.depth : 0;
    body.shapes.forEach((s, k) => {
      const { at, axes, color, ...form } = s;
      const place = mountMatrix({ at: [at[0], at[1], at[2] + lift], axes });
      const gear = this.gears.of(i, k);
      if (gear) this.addGear(i, gear, s.length, place, color ?? i);
      else this.add(i, `solid ${JSON.stringify(form)}`, () => shapes.solid(s, this.model.meshes), place, color ?? i);
    });
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
    if (!this.flat(i)) this.addArms(i, (to) => this.nearest(body, to), this.outside(body, i));
  }

  /** the point of a body's shape from which an arm to another point starts, a little inside */
  nearest(body, to) {
    const s = body.shape;
    const com = vector(body.com);
    const local = to.clone().sub(com);
    if (s.kind === "box") {
      const half = new THREE.Vector3(...s.size).multiplyScalar(0.5).subScalar(0.55 * this.w).max(new THREE.Vector3());
      return local.clamp(half.clone().negate(), half).add(com);
    }
    if (!s.length) return com;
    const axis = vector(s.axis).normalize();
    const z = Math.min(Math.max(local.dot(axis), -s.length / 2), s.length / 2);
    const across = local.addScaledVector(axis, -local.dot(axis));
    return com.addScaledVector(axis, z).addScaledVector(across, across.length() > 0 ? Math.min(1, Math.max(0, s.radius - 0.5 * this.w) / across.length()) : 0);
  }

  addCylinder(s, i, at) {
    const body = this.model.bodies[i];
    const crank = this.flat(i) ? [] : throwsOf(body, this.ends[i]);
    if (crank.length) return addCrankshaft(this, i, body, crank);
    const place = along(at, vector(s.axis));
    const lying = this.flat(i) && Math.abs(vector(s.axis).normalize().z) < 0.7;
    const length = this.flat(i) && !lying ? this.depth : s.length;
    const tyre = this.tyres.get(i);
    const gear = this.gears.of(i);
    if (lying) {
      // seen from the side; flattened to its layer
      place.premultiply(new THREE.Matrix4().makeTranslation(0, 0, -at.z)).premultiply(new THREE.Matrix4().makeScale(1, 1, this.depth / (2 * s.radius))).premultiply(new THREE.Matrix4().makeTranslation(0, 0, at.z));
      return this.add(i, `shaft ${s.radius} ${length}`, () => shapes.shaft(s.radius, length), place, i);
    }
    if (gear) return this.addGear(i, gear, length, place, i);
    if (tyre && tyre.radius >= 0.9 * s.radius) {
      const r = tyre.radius;
      this.add(i, `tyre ${r} ${length}`, () => shapes.tyre(r, length), place, "rubber");
      return this.add(i, `disc ${0.69 * r} ${0.45 * length}`, () => shapes.disc(0.69 * r, 0.45 * length), place, i);
    }
    if (length < 1.2 * s.radius) {
      const thick = Math.max(length, 0.04 * s.radius);
      return this.add(i, `disc ${s.radius} ${thick}`, () => shapes.disc(s.radius, thick), place, i);
    }
    return this.add(i, `shaft ${s.radius} ${length}`, () => shapes.shaft(s.radius, length), place, i);
  }

  addGear(i, { radius, teeth, phase }, length, place, color) {
    this.add(i, `gear ${radius} ${teeth} ${phase} ${length}`, () => shapes.gear(radius, teeth, length, phase), place, color);
  }

  /** joints of a body that its shape does not reach */
  outside(body, i) {
    const s = body.shape;
    const local = new THREE.Vector3();
    return this.ends[i].filter(({ joint, end }) => {
      if ((sliding.has(joint.type) && joint.type !== "cylindrical") || joint.type.startsWith("rolling") || joint.type === "stop") return false;
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

  /** bars to some of the joints of a body; `start` says from where */
  addArms(i, start, ends) {
    const crank = new Set(throwsOf(this.model.bodies[i], this.ends[i]).map((t) => t.end));
    for (const { end } of ends) {
      if (crank.has(end)) continue;
      const to = vector(end.at);
      const from = start(to);
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
    this.addArms(i, () => at, ends);
  }
}

/** edges of the box with the mass and (diagonal) inertia of a body, kept drawable */
function boxOfInertia(body, w, radius) {
  const [x, y, z] = body.inertia;
  const edge = (s) => Math.sqrt(Math.max(0, (6 * s) / (body.mass || 1)));
  const keep = (s) => Math.min(Math.max(s, 1.6 * w), 0.8 * radius);
  return [keep(edge(y + z - x)), keep(edge(x + z - y)), keep(edge(x + y - z))];
}
