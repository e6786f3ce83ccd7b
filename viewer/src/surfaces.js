// surfaces.js: what balls and wheels touch: cams, uneven ground. A closed curve is a plate on its body, an open one a ribbon, a
// terrain a sheet.
import * as THREE from "three";
import { mountMatrix } from "./mounts.js";

export class Surfaces {
  constructor(model, parts, theme) {
    this.group = new THREE.Group();
    this.theme = theme;
    this.model = model;
    this.parts = parts;
    this.list = [];
    this.laid = new Set();
    for (const e of [...model.joints, ...model.forces]) {
      if (e.points) this.add(e);
      if (e.terrain) this.lay(e);
    }
    this.paint();
  }

  add({ a, points, closed, radius = 0 }) {
    const corner = [];
    for (let i = 0; i + 1 < points.length; i += 2) corner.push(new THREE.Vector3(points[i], points[i + 1], 0));
    const line = new THREE.CatmullRomCurve3(corner, closed, "chordal").getPoints(Math.max(200, 4 * corner.length));
    const box = new THREE.Box3().setFromPoints(line).getSize(new THREE.Vector3());
    // a plate of a planar machine lies in the layer of its body, where its pins are seen
    const flat = closed && this.parts.flat(a.body);
    const thick = flat ? 0.8 * this.parts.depth : radius > 0 ? 0.8 * radius : 0.08 * Math.max(box.x, box.y);
    const local = mountMatrix(a);
    if (flat) local.premultiply(new THREE.Matrix4().makeTranslation(0, 0, this.parts.level(a.body)));
    this.show(closed ? this.plate(line, thick) : this.ribbon(line, thick), local, a.body);
  }

  /** many may touch one terrain, which is drawn once */
  lay({ a, terrain }) {
    const key = JSON.stringify([a.body, a.at, terrain]);
    if (this.laid.has(key)) return;
    this.laid.add(key);
    this.show(this.sheet(terrain), mountMatrix(a), a.body);
  }

  show(geometry, local, body) {
    const mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ roughness: 0.6, side: THREE.DoubleSide }));
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = mesh.matrixAutoUpdate = false;
    this.list.push({ mesh, local, body });
    this.group.add(mesh);
  }

  sheet({ x, y, z }) {
    const positions = [];
    const index = [];
    z.forEach((height, i) => positions.push(x[i % x.length], y[Math.floor(i / x.length)], height));
    for (let j = 0; j + 1 < y.length; j++)
      for (let i = 0; i + 1 < x.length; i++) {
        const k = j * x.length + i;
        index.push(k, k + 1, k + x.length + 1, k, k + x.length + 1, k + x.length);
      }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
    geometry.setIndex(index);
    geometry.computeVertexNormals();
    return geometry;
  }

  plate(line, thick) {
    const shape = new THREE.Shape(line.map((p) => new THREE.Vector2(p.x, p.y)));
    return new THREE.ExtrudeGeometry(shape, { depth: thick, bevelEnabled: false, curveSegments: 1 }).translate(0, 0, -thick / 2);
  }

  ribbon(line, thick) {
    const positions = [];
    for (let i = 0; i + 1 < line.length; i++)
      for (const [p, side] of [[line[i], -1], [line[i + 1], -1], [line[i + 1], 1], [line[i], -1], [line[i + 1], 1], [line[i], 1]]) positions.push(p.x, p.y, side * thick);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
    geometry.computeVertexNormals();
    return geometry;
  }

  paint() {
    const { body } = this.theme.colors;
    for (const { mesh, body: i } of this.list) {
      if (i < 0) mesh.material.color.set(this.theme.dark ? "#6a7480" : "#aeb7c0");
      // darker than the rest of its body, which is seen on it
      else mesh.material.color.set(this.model.bodies[i].color ?? body[i % body.length]).multiplyScalar(0.75);
    }
  }

  update(mechanism) {
    for (const { mesh, local, body } of this.list) {
      mesh.matrix.copy(local);
      if (body >= 0) mesh.matrix.premultiply(mechanism.matrices[body]);
    }
  }
}
