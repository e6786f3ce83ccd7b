// gears.js: which cylinders are gear wheels, with how many teeth, turned so that they mesh.
//
// A joint of type gear couples the angles of two others. Where the radii of the bodies fit its ratio
// and their distance, they get teeth; where a planet's distance fits a ring, the ring is drawn.
import * as THREE from "three";
import { worldPoint } from "./measure.js";
import { along, mountAxis, vector } from "./mounts.js";
import * as shapes from "./shapes.js";

const close = (a, b) => Math.abs(a - b) < 0.02 * Math.max(Math.abs(a), Math.abs(b));

export class Gears {
  constructor(model, frames, parts) {
    this.model = model;
    this.frames = frames;
    this.parts = parts;
    this.wheels = new Map(); // body: {radius, teeth, phase}
    this.meshes = [];
    this.rings = [];
    const joint = new Map(model.joints.map((j) => [j.name, j]));
    for (const g of model.joints)
      if (g.type === "gear" && joint.get(g.joint_a)?.b && joint.get(g.joint_b)?.b) this.look(joint.get(g.joint_a), joint.get(g.joint_b), g.ratio);
    if (this.meshes.length && this.count()) this.turn();
    else this.wheels.clear();
  }

  /** a wheel: the cylinder of b about the axis of its joint */
  wheel(joint) {
    const body = joint.b.body;
    const s = this.model.bodies[body]?.shape;
    if (body < 0 || s?.kind !== "cylinder" || !this.frames.has(body)) return null;
    return { body, radius: s.radius, axis: vector(s.axis).normalize() };
  }

  centre(body) {
    return worldPoint(this.frames, body, this.model.bodies[body].com, 0, new THREE.Vector3());
  }

  look(ja, jb, ratio) {
    const [a, b] = [this.wheel(ja), this.wheel(jb)];
    if (!b) return;
    const distance = a ? this.centre(a.body).distanceTo(this.centre(b.body)) : 0;
    if (a && close(distance, a.radius + b.radius) && close(Math.abs(ratio), a.radius / b.radius)) {
      this.wheels.set(a.body, a).set(b.body, b);
      this.meshes.push([a.body, b.body]);
      return;
    }
    // b runs inside a ring that stands still with respect to joint a's first body
    const hub = worldPoint(this.frames, ja.a.body, ja.a.at, 0, new THREE.Vector3());
    const radius = hub.distanceTo(this.centre(b.body)) + b.radius;
    if (!close(Math.abs(ratio) * b.radius, radius) || this.rings.some((r) => r.body === ja.a.body)) return;
    this.wheels.set(b.body, b);
    this.rings.push({ body: ja.a.body, end: ja.a, radius, planet: b.body });
  }

  /** numbers of teeth that fit all radii */
  count() {
    const radii = [...this.wheels.values(), ...this.rings].map((w) => w.radius);
    const least = Math.min(...radii);
    for (const n of [24, 20, 18, 16, 30, 22, 26, 28, 15, 21, 25, 27, 32, 36, 40])
      if (radii.every((r) => Math.abs((n * r) / least - Math.round((n * r) / least)) < 0.01)) {
        for (const w of [...this.wheels.values(), ...this.rings]) w.teeth = Math.round((n * w.radius) / least);
        return true;
      }
    return false;
  }

  /** angle of a body's own x axis, and of a direction, about the axis, in the first frame */
  angleOf(body, place) {
    const at = body >= 0 ? new THREE.Vector3() : null;
    const x = new THREE.Vector3().setFromMatrixColumn(place, 0);
    if (!at) return Math.atan2(x.y, x.x);
    worldPoint(this.frames, body, [0, 0, 0], 0, at);
    const tip = worldPoint(this.frames, body, x.toArray(), 0, new THREE.Vector3()).sub(at);
    return this.angle(tip);
  }

  angle(direction) {
    return Math.atan2(direction.dot(this.e2), direction.dot(this.e1));
  }

  /** phases of all wheels, one after the other through their meshes */
  turn() {
    const first = this.wheels.get(this.meshes[0][0]);
    const origin = worldPoint(this.frames, first.body, [0, 0, 0], 0, new THREE.Vector3());
    const n = worldPoint(this.frames, first.body, first.axis.toArray(), 0, new THREE.Vector3()).sub(origin).normalize();
    const basis = along(new THREE.Vector3(), n);
    this.e1 = new THREE.Vector3().setFromMatrixColumn(basis, 0);
    this.e2 = new THREE.Vector3().setFromMatrixColumn(basis, 1);
    first.phase = 0;
    for (let round = 0; round < this.meshes.length; round++)
      for (const [p, q] of this.meshes) {
        const [a, b] = [this.wheels.get(p), this.wheels.get(q)];
        if (a.phase !== undefined && b.phase === undefined) this.mesh(a, b);
        else if (b.phase !== undefined && a.phase === undefined) this.mesh(b, a);
      }
    for (const w of this.wheels.values()) w.phase ??= 0;
  }

  own(w) {
    return this.angleOf(w.body, along(new THREE.Vector3(), w.axis));
  }

  /** b's gap lies where a's tooth is */
  mesh(a, b) {
    const theta = this.angle(this.centre(b.body).sub(this.centre(a.body)));
    const u = ((theta - this.own(a) - a.phase) * a.teeth) / (2 * Math.PI);
    b.phase = theta + Math.PI - this.own(b) - ((0.5 - u) * 2 * Math.PI) / b.teeth;
  }

  of(body) {
    return this.wheels.get(body);
  }

  addRings() {
    if (!this.e1) return;
    for (const ring of this.rings) {
      const planet = this.wheels.get(ring.planet);
      const hub = worldPoint(this.frames, ring.body, ring.end.at, 0, new THREE.Vector3());
      const theta = this.angle(this.centre(ring.planet).sub(hub));
      const u = ((theta - this.own(planet) - planet.phase) * planet.teeth) / (2 * Math.PI);
      const place = along(vector(ring.end.at), mountAxis(ring.end));
      const phase = theta - this.angleOf(ring.body, place) - ((u - 0.5) * 2 * Math.PI) / ring.teeth;
      const depth = this.parts.flat(ring.planet) ? this.parts.depth : this.model.bodies[ring.planet].shape.length;
      if (this.parts.flat(ring.planet)) place.premultiply(new THREE.Matrix4().makeTranslation(0, 0, this.parts.level(ring.planet)));
      this.parts.add(ring.body, `ring ${ring.radius} ${ring.teeth} ${phase} ${depth}`, () => shapes.ringGear(ring.radius, ring.teeth, depth, phase), place, "ground", "joints");
    }
  }
}
