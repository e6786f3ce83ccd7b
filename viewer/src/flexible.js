// flexible.js: what stretches between two points: massless links, springs, dampers, ropes.
import * as THREE from "three";
import { worldPoint } from "./measure.js";
import * as shapes from "./shapes.js";

const zAxis = new THREE.Vector3(0, 0, 1);
const from = new THREE.Vector3();
const direction = new THREE.Vector3();
const turn = new THREE.Quaternion();
const size = new THREE.Vector3();
const matrix = new THREE.Matrix4();

const ropePieces = 16;

/** instances of one geometry of unit length along z, put between two points */
export class Stretched {
  constructor(geometry, count, material) {
    this.mesh = new THREE.InstancedMesh(geometry, material, count);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
  }
  /** begin, end: which piece of the way, 0 to 1 */
  place(i, a, b, radius, begin = 0, end = 1) {
    direction.subVectors(b, a);
    const length = direction.length();
    if (!(length > 0)) return this.hide(i);
    turn.setFromUnitVectors(zAxis, direction.multiplyScalar(1 / length));
    size.set(radius, radius, length * (end - begin));
    matrix.compose(from.copy(a).addScaledVector(direction, begin * length), turn, size);
    this.mesh.setMatrixAt(i, matrix);
    return undefined;
  }
  hide(i) {
    this.mesh.setMatrixAt(i, matrix.makeScale(0, 0, 0));
  }
  done() {
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.boundingSphere = null;
  }
}

/** Massless links, springs and dampers of a model. */
export class Flexible {
  constructor(model, frames, parts, theme) {
    this.group = new THREE.Group();
    this.parts = parts;
    this.w = parts.w;
    this.coilGeometries = new Map();
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.4, metalness: 0.25, vertexColors: true });
    this.linkMaterial = new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0.1, vertexColors: true });
    this.theme = theme;
    const between = (e) => e.a && e.b;
    this.links = model.joints.filter((j) => between(j) && ["distance", "universal-spherical", "revolute-spherical"].includes(j.type));
    const springs = model.forces.filter((f) => between(f) && f.type === "spring");
    // a damper beside a spring is drawn inside it
    this.springs = springs.filter((f) => f.elastic || !springs.some((g) => g !== f && g.elastic && near(f, g)));
    this.ropes = model.joints.filter((j) => between(j) && j.type === "rope");
    if (this.ropes.length) this.strands = this.add(shapes.unitRod(8), ropePieces * this.ropes.length, this.linkMaterial);
    if (this.links.length) this.rods = this.add(shapes.unitRod(), this.links.length, this.linkMaterial);
    if (this.springs.length) {
      this.coils = this.springs.map((spring) => this.addCoil(spring, frames));
      this.inner = this.add(shapes.unitRod(), 2 * this.springs.length, this.material);
    }
    this.paint();
  }

  add(geometry, count, material) {
    const s = new Stretched(geometry, count, material);
    this.group.add(s.mesh);
    return s;
  }

  /** the material of springs, in another colour where one has its own */
  coloured(color) {
    if (!color) return this.material;
    const own = this.material.clone();
    own.color.set(color);
    return own;
  }

  /** as many turns as suit its length in the first frame */
  addCoil(spring, frames) {
    if (!spring.elastic) return null;
    const a = worldPoint(frames, spring.a.body, spring.a.at, 0, new THREE.Vector3());
    const length = worldPoint(frames, spring.b.body, spring.b.at, 0, new THREE.Vector3()).distanceTo(a);
    const radius = Math.min(1.5 * this.w, Math.max(0.8 * this.w, length / 7));
    const turns = Math.min(16, Math.max(4, Math.round(length / (0.95 * radius))));
    const key = `${turns} ${(length / radius).toFixed(1)}`;
    if (!this.coilGeometries.has(key)) this.coilGeometries.set(key, shapes.coil(turns, Math.max(2, length / radius), 0.17));
    return { radius, stretched: this.add(this.coilGeometries.get(key), 1, this.coloured(spring.color)) };
  }

  paint() {
    this.material.color.set(this.theme.colors.spring);
    this.linkMaterial.color.set(this.theme.colors.metal);
  }

  /** planar mechanisms: in front of the layers of what is joined */
  lift(element, p) {
    if (!this.parts.size.planar) return p;
    p.z += Math.max(this.parts.level(element.a.body), this.parts.level(element.b.body), 0);
    return p;
  }

  update(mechanism) {
    const { w } = this;
    const a = new THREE.Vector3();
    const b = new THREE.Vector3();
    const ends = (e) => {
      mechanism.point(e.a.body, e.a.at, a);
      mechanism.point(e.b.body, e.b.at, b);
      this.lift(e, a);
      this.lift(e, b);
    };
    this.links.forEach((link, i) => {
      ends(link);
      this.rods.place(i, a, b, 0.42 * w);
    });
    this.springs.forEach((spring, i) => {
      ends(spring);
      const coil = this.coils[i];
      coil?.stretched.place(0, a, b, coil.radius);
      coil?.stretched.done();
      // a thin guide inside the coil; a damper without spring is a cylinder and its rod
      this.inner.place(2 * i, a, b, spring.elastic ? 0.22 * w : 0.32 * w);
      if (spring.elastic) this.inner.hide(2 * i + 1);
      else this.inner.place(2 * i + 1, a, b, 0.85 * w, 0.12, 0.55);
    });
    this.ropes.forEach((rope, i) => {
      ends(rope);
      this.hang(rope, i, a, b);
    });
    for (const s of [this.rods, this.inner, this.strands]) s?.done();
  }

  /** straight when it is taut; a parabola of its length when it hangs */
  hang(rope, i, a, b) {
    const chord = a.distanceTo(b);
    const sag = Math.sqrt(Math.max(0, (3 * Math.max(chord, 0.1 * rope.length) * (rope.length - chord)) / 8));
    const p = a.clone();
    const q = new THREE.Vector3();
    for (let k = 0; k < ropePieces; k++) {
      const u = (k + 1) / ropePieces;
      q.lerpVectors(a, b, u).addScaledVector(this.parts.size.up, -4 * sag * u * (1 - u));
      this.strands.place(ropePieces * i + k, p, q, 0.2 * this.w);
      p.copy(q);
    }
  }
}

function near(f, g) {
  const same = (p, q) => p.body === q.body && Math.hypot(p.at[0] - q.at[0], p.at[1] - q.at[1], p.at[2] - q.at[2]) < 1e-9;
  return same(f.a, g.a) && same(f.b, g.b);
}
