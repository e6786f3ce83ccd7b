// arrows.js: forces as arrows, torques as arcs with a head, over everything else, with their numbers.
//
// All forces share one scale, all torques another; the legend says what length means what.
import * as THREE from "three";
import { Stretched } from "./flexible.js";
import { short } from "./format.js";
import { mountAxis } from "./mounts.js";
import * as shapes from "./shapes.js";

const zAxis = new THREE.Vector3(0, 0, 1);
const from = new THREE.Vector3();
const to = new THREE.Vector3();
const turn = new THREE.Quaternion();
const matrix = new THREE.Matrix4();
const unwanted = new Set(["beam-element"]);
const arc = 1.55 * Math.PI; // of a torque

export class Arrows {
  constructor(model, frames, parts, theme, labels) {
    this.group = new THREE.Group();
    this.model = model;
    this.parts = parts;
    this.theme = theme;
    this.labels = labels;
    this.w = parts.w;
    this.factor = 1; // chosen by the user
    this.tracks = frames.tracks.map((t) => this.describe(t)).filter(Boolean);
    this.typical = { force: typical(frames, this.tracks.filter((t) => !t.turns)), torque: typical(frames, this.tracks.filter((t) => t.turns)) };
    this.material = { reaction: this.ink(), applied: this.ink() };
    this.kinds = {};
    for (const kind of ["reaction", "applied"]) {
      const list = this.tracks.filter((t) => t.kind === kind);
      if (list.length) this.kinds[kind] = this.make(list, this.material[kind]);
    }
    this.paint();
  }

  /** drawn over bodies: a force is never hidden by what it acts on */
  ink() {
    return new THREE.MeshBasicMaterial({ depthTest: false, transparent: true });
  }

  make(list, material) {
    const shaft = new Stretched(shapes.unitRod(10), list.length, material);
    const head = new Stretched(shapes.unitCone(), list.length, material);
    const ring = new Stretched(shapes.arc(arc), list.length, material);
    const group = new THREE.Group();
    for (const s of [shaft, head, ring]) {
      s.mesh.castShadow = false;
      s.mesh.renderOrder = 10;
      group.add(s.mesh);
    }
    group.visible = false;
    this.group.add(group);
    return { list, shaft, head, ring, group };
  }

  /** how a track becomes an arrow */
  describe(track) {
    const turns = /^(t[xyz]|torque|effort)$/.test(track.names[0]);
    if (track.joint !== undefined) {
      const joint = this.model.joints[track.joint];
      return joint?.b ? { track, kind: "reaction", element: joint, end: joint.b, turns } : null;
    }
    const force = this.model.forces[track.force];
    if (!force || unwanted.has(force.type)) return null;
    if (force.b) return { track, kind: "applied", element: force, end: force.b, turns: turns || force.type === "torsion-spring" };
    // a motor acts along the axis of its joint
    const joint = this.model.joints.find((j) => j.name === force.joint);
    if (!joint?.b || !joint.a) return null;
    const slides = joint.type === "prismatic" || joint.type === "point-on-line";
    return { track, kind: "applied", element: force, end: joint.b, axis: joint.a, turns: !slides };
  }

  paint() {
    this.material.reaction.color.set(this.theme.colors.reaction);
    this.material.applied.color.set(this.theme.colors.applied);
  }

  show(kind, on) {
    const k = this.kinds[kind];
    if (!k) return;
    k.group.visible = on;
    this.labels.remove(k.list.map((arrow) => arrow.label).filter(Boolean));
    for (const arrow of k.list) arrow.label = on && k.list.length <= 80 ? this.labels.add("", `number ${kind}`, 1) : null;
  }

  /** metres for a newton, or for a newton metre */
  scale(turns) {
    const size = Math.min(this.parts.size.radius, 2.2 * this.parts.size.link);
    const most = turns ? this.typical.torque : this.typical.force;
    return most > 0 ? (this.factor * (turns ? 0.14 : 0.34) * size) / most : 0;
  }

  update(mechanism, frames) {
    const numbers = new Float64Array(3);
    const value = new THREE.Vector3();
    for (const { list, shaft, head, ring, group } of Object.values(this.kinds)) {
      if (!group.visible) continue;
      list.forEach((arrow, i) => {
        mechanism.point(arrow.end.body, arrow.end.at, from);
        this.vector(arrow, mechanism, frames.track(arrow.track, numbers), value);
        if (this.parts.size.planar) from.z += this.parts.layers * 1.12 * this.parts.depth;
        const drawn = arrow.turns ? this.placeTorque(value, i, ring, head, shaft) : this.placeForce(value, i, shaft, head, ring);
        this.say(arrow, value.length(), drawn);
      });
      for (const s of [shaft, head, ring]) s.done();
    }
  }

  placeForce(value, i, shaft, head, ring) {
    ring.hide(i);
    const length = value.length() * this.scale(false);
    if (!(length > 0.3 * this.w)) {
      shaft.hide(i);
      head.hide(i);
      return null;
    }
    const start = from.clone();
    const end = value.clone().multiplyScalar(this.scale(false)).add(start);
    const tip = Math.min(2.4 * this.w, 0.5 * length);
    shaft.place(i, start, end, 0.24 * this.w, 0, 1 - (0.9 * tip) / length);
    head.place(i, start, end, 0.38 * tip, 1 - tip / length, 1);
    return end;
  }

  /** an arc about the torque, as the fingers of the right hand bend */
  placeTorque(value, i, ring, head, shaft) {
    shaft.hide(i);
    const radius = value.length() * this.scale(true);
    if (!(radius > 0.4 * this.w)) {
      ring.hide(i);
      head.hide(i);
      return null;
    }
    const r = Math.max(radius, 1.6 * this.w);
    turn.setFromUnitVectors(zAxis, value.clone().normalize());
    ring.mesh.setMatrixAt(i, matrix.compose(from, turn, new THREE.Vector3(r, r, r)));
    const x = new THREE.Vector3(1, 0, 0).applyQuaternion(turn);
    const y = new THREE.Vector3(0, 1, 0).applyQuaternion(turn);
    const at = (angle) => from.clone().addScaledVector(x, r * Math.cos(angle)).addScaledVector(y, r * Math.sin(angle));
    const tip = at(arc);
    const ahead = x.clone().multiplyScalar(-Math.sin(arc)).addScaledVector(y, Math.cos(arc));
    const size = Math.min(2.2 * this.w, 0.7 * r);
    head.place(i, tip.clone().addScaledVector(ahead, -0.1 * size), tip.clone().addScaledVector(ahead, size), 0.42 * size, 0, 1);
    return at(arc / 2);
  }

  say(arrow, size, at) {
    const { label } = arrow;
    if (!label) return;
    label.on = !!at && size > 0.02 * (arrow.turns ? this.typical.torque : this.typical.force);
    if (!label.on) return;
    this.labels.setText(label, `${short(size)} ${arrow.turns ? "N\u202fm" : "N"}`);
    label.at = at;
    label.rank = 1 + size / ((arrow.turns ? this.typical.torque : this.typical.force) || 1) / 100;
  }

  /** the force or torque on b in world axes */
  vector({ track, element, axis }, mechanism, x, out) {
    if (track.size === 3) {
      out.set(x[0], x[1], x[2]);
      const axes = element.type === "bushing" ? element.a.body : element.body_axes ? element.b.body : -1;
      return axes >= 0 ? turned(out, mechanism.matrices[axes]) : out;
    }
    if (axis || element.type === "torsion-spring") {
      const end = axis ?? element.a;
      out.copy(mountAxis(end));
      if (end.body >= 0) turned(out, mechanism.matrices[end.body]);
      // a spring turns back, a motor ahead
      return out.multiplyScalar(element.type === "torsion-spring" ? -x[0] : x[0]);
    }
    if (element.type === "tyre") return out.copy(this.parts.size.up).multiplyScalar(x[0]);
    if (element.type === "bump-stop") {
      out.set(element.a.axes[2], element.a.axes[5], element.a.axes[8]);
      return out.multiplyScalar(-Math.abs(x[0]));
    }
    // along the line from b to a: tension pulls them together
    mechanism.point(element.a.body, element.a.at, out);
    mechanism.point(element.b.body, element.b.at, to);
    return out.sub(to).normalize().multiplyScalar(x[0]);
  }
}

/** three.js normalises directions, which forces must not be */
function turned(vector, matrix4) {
  const length = vector.length();
  return length > 0 ? vector.transformDirection(matrix4).multiplyScalar(length) : vector;
}

/** nearly the largest: a single peak must not make all others invisible */
function typical(frames, tracks) {
  const sizes = [];
  const every = Math.max(1, Math.floor((frames.count * tracks.length) / 20000));
  for (const { track } of tracks) {
    for (let i = 0; i < frames.count; i += every) {
      let sum = 0;
      const count = track.names.includes("gap") ? 1 : track.size;
      for (let k = 0; k < count; k++) sum += frames.values[i * frames.width + track.at + k] ** 2;
      sizes.push(Math.sqrt(sum));
    }
  }
  sizes.sort((a, b) => a - b);
  return sizes.length ? sizes[Math.floor(0.9 * (sizes.length - 1))] || sizes.at(-1) : 0;
}
