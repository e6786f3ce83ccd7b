// gears.js: which cylinders are gear wheels, with how many teeth, turned so that they mesh.
//
// A joint of type gear couples the angles of two others. Where radii of cylinders of the two bodies fit its ratio
// and the distance of their axes, they get teeth; where a planet's distance fits a ring, the ring is drawn. Wheels that
// mesh, one with the next, have teeth of one size; a shaft with two wheels joins two such trains.
import * as THREE from "three";
import { worldPoint } from "./measure.js";
import { along, mountAxis, mountMatrix, parallel, vector } from "./mounts.js";
import * as shapes from "./shapes.js";

const close = (a, b) => Math.abs(a - b) < 0.02 * Math.max(Math.abs(a), Math.abs(b));

/** teeth of the smallest wheel, those that are liked most first */
const counts = [24, 20, 18, 16, 30, 22, 26, 28, 15, 21, 25, 27, 32, 36, 40];

export class Gears {
  constructor(model, frames, parts) {
    this.model = model;
    this.frames = frames;
    this.parts = parts;
    this.wheels = new Map(); // by body and number of the shape: {body, radius, length, at, place, teeth, phase}
    this.meshes = []; // pairs of wheels
    this.rings = [];
    const joint = new Map(model.joints.map((j) => [j.name, j]));
    for (const g of model.joints)
      if (g.type === "gear" && joint.get(g.joint_a)?.b && joint.get(g.joint_b)?.b) this.look(joint.get(g.joint_a), joint.get(g.joint_b), g.ratio);
    for (const train of this.trains()) this.fit(train);
    this.meshes = this.meshes.filter(([a]) => a.teeth);
    this.rings = this.rings.filter((r) => r.teeth);
  }

  /** cylinders of the body that a joint turns, about its axis */
  cylinders(joint) {
    const { body } = joint.b;
    const b = this.model.bodies[body];
    if (!b || !this.frames.has(body)) return [];
    const all = (b.shapes ?? (b.shape ? [b.shape] : [])).map((s, k) => ({ ...s, k }));
    return all.filter((s) => s.kind === "cylinder").map((s) => {
      const place = s.axes ? mountMatrix({ at: [0, 0, 0], axes: s.axes }) : along(new THREE.Vector3(), vector(s.axis));
      return { key: `${body} ${s.k}`, body, radius: s.radius, length: s.length, at: s.at ?? b.com, place };
    }).filter((w) => parallel(new THREE.Vector3().setFromMatrixColumn(w.place, 2), mountAxis(joint.b)));
  }

  /** the wheel of that cylinder, the same in all its meshes */
  keep(wheel) {
    if (!this.wheels.has(wheel.key)) this.wheels.set(wheel.key, wheel);
    return this.wheels.get(wheel.key);
  }

  centre(w) {
    return worldPoint(this.frames, w.body, w.at, 0, new THREE.Vector3());
  }

  /** a direction of a body in the world, in the first frame */
  direction(body, d) {
    if (body < 0) return d.clone();
    return worldPoint(this.frames, body, d.toArray(), 0, new THREE.Vector3()).sub(worldPoint(this.frames, body, [0, 0, 0], 0, new THREE.Vector3()));
  }

  axisOf(w) {
    return this.direction(w.body, new THREE.Vector3().setFromMatrixColumn(w.place, 2)).normalize();
  }

  look(ja, jb, ratio) {
    const [as, bs] = [this.cylinders(ja), this.cylinders(jb)];
    // along their axes wheels that mesh are as near to each other as they can be
    let best = null;
    for (const a of as)
      for (const b of bs) {
        const axis = this.axisOf(a);
        const way = this.centre(b).sub(this.centre(a));
        const beside = Math.abs(way.dot(axis));
        const distance = way.addScaledVector(axis, -way.dot(axis)).length();
        const fits = parallel(axis, this.axisOf(b)) && close(distance, a.radius + b.radius) && close(Math.abs(ratio), a.radius / b.radius);
        if (fits && !(best?.beside <= beside)) best = { a, b, beside };
      }
    if (best) return this.meshes.push([this.keep(best.a), this.keep(best.b)]);
    // b runs inside a ring that stands still with respect to joint a's first body
    const hub = worldPoint(this.frames, ja.a.body, ja.a.at, 0, new THREE.Vector3());
    const inner = bs.find((b) => close(Math.abs(ratio) * b.radius, hub.distanceTo(this.centre(b)) + b.radius));
    if (!inner || this.rings.some((r) => r.body === ja.a.body)) return undefined;
    const radius = hub.distanceTo(this.centre(inner)) + inner.radius;
    return this.rings.push({ body: ja.a.body, end: ja.a, radius, planet: this.keep(inner) });
  }

  /** wheels and rings that mesh, one with the next */
  trains() {
    const train = new Map([...this.wheels.values()].map((w) => [w, new Set([w])]));
    for (const [a, b] of this.meshes) {
      const both = new Set([...train.get(a), ...train.get(b)]);
      for (const w of both) train.set(w, both);
    }
    // a ring alone turns nothing: there are wheels that mesh
    return [...new Set(train.values())].filter((t) => t.size > 1).map((t) => ({
      wheels: [...t],
      meshes: this.meshes.filter(([a]) => t.has(a)),
      rings: this.rings.filter((r) => t.has(r.planet)),
    }));
  }

  /** numbers of teeth that fit all radii, and phases; without such numbers there are none */
  fit(train) {
    const all = [...train.wheels, ...train.rings];
    const least = Math.min(...all.map((w) => w.radius));
    const n = counts.find((c) => all.every((w) => Math.abs((c * w.radius) / least - Math.round((c * w.radius) / least)) < 0.01));
    if (!n) return;
    for (const w of all) w.teeth = Math.round((n * w.radius) / least);
    this.turn(train);
  }

  /** phases of all wheels, one after the other through their meshes */
  turn({ wheels, meshes, rings }) {
    const [first] = meshes[0];
    const normal = this.axisOf(first);
    const basis = along(new THREE.Vector3(), normal);
    const [e1, e2] = [0, 1].map((k) => new THREE.Vector3().setFromMatrixColumn(basis, k));
    for (const w of [...wheels, ...rings]) w.angle = (direction) => Math.atan2(direction.dot(e2), direction.dot(e1));
    // angles are counted about the normal, phases about the wheel's own axis
    for (const w of wheels) w.sense = Math.sign(this.axisOf(w).dot(normal));
    first.phase = 0;
    for (let round = 0; round < meshes.length; round++)
      for (const [a, b] of meshes) {
        if (a.phase !== undefined && b.phase === undefined) this.mesh(a, b);
        else if (b.phase !== undefined && a.phase === undefined) this.mesh(b, a);
      }
  }

  /** angle at which a wheel's tooth stands in the first frame */
  tooth(w) {
    return this.start(w) + w.sense * w.phase;
  }
  start(w) {
    return w.angle(this.direction(w.body, new THREE.Vector3().setFromMatrixColumn(w.place, 0)));
  }

  /** b's gap lies where a's tooth is */
  mesh(a, b) {
    const theta = a.angle(this.centre(b).sub(this.centre(a)));
    const u = ((theta - this.tooth(a)) * a.teeth) / (2 * Math.PI);
    b.phase = b.sense * (theta + Math.PI - this.start(b) - ((0.5 - u) * 2 * Math.PI) / b.teeth);
  }

  /** the wheel that a body's shape is, where it is one with teeth */
  of(body, shape = 0) {
    const w = this.wheels.get(`${body} ${shape}`);
    return w?.teeth ? w : undefined;
  }

  addRings() {
    for (const ring of this.rings) {
      const { planet } = ring;
      const hub = worldPoint(this.frames, ring.body, ring.end.at, 0, new THREE.Vector3());
      const theta = ring.angle(this.centre(planet).sub(hub));
      const u = ((theta - this.tooth(planet)) * planet.teeth) / (2 * Math.PI);
      const place = along(vector(ring.end.at), mountAxis(ring.end));
      const x = this.direction(ring.body, new THREE.Vector3().setFromMatrixColumn(place, 0));
      const phase = theta - ring.angle(x) - ((u - 0.5) * 2 * Math.PI) / ring.teeth;
      const flat = this.parts.flat(planet.body);
      const depth = flat ? this.parts.depth : planet.length;
      if (flat) place.premultiply(new THREE.Matrix4().makeTranslation(0, 0, this.parts.level(planet.body)));
      this.parts.add(ring.body, `ring ${ring.radius} ${ring.teeth} ${phase} ${depth}`, () => shapes.ringGear(ring.radius, ring.teeth, depth, phase), place, "ground", "joints");
    }
  }
}
