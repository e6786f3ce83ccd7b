// mechanism.js: the rigid pieces as instanced meshes, moved by the poses of a run.
import * as THREE from "three";

const scale = new THREE.Vector3(1, 1, 1);
const position = new THREE.Vector3();
const rotation = new THREE.Quaternion();
const product = new THREE.Matrix4();
const pose = new Float64Array(7);

export class Mechanism {
  /** @param {{ghost?: number}} options ghost: the number of a run that is laid over the first; -1: of the first */
  constructor(parts, bodies, theme, options = {}) {
    this.group = new THREE.Group();
    this.ghost = options.ghost ?? 0;
    this.matrices = Array.from({ length: bodies }, () => new THREE.Matrix4());
    this.visible = new Array(bodies).fill(true);
    this.meshes = [];
    this.parts = parts;
    this.theme = theme;
    this.build();
    this.paint();
  }

  build() {
    const byKey = new Map();
    for (const part of this.parts.list) {
      if (this.ghost && ((part.body < 0 && !(part.rider?.body >= 0)) || part.group === "axes")) continue;
      const key = `${part.group}|${part.color === "axis" || part.color === "glass" ? `${part.color}|` : ""}${part.key}`;
      if (!byKey.has(key)) byKey.set(key, []);
      byKey.get(key).push(part);
    }
    this.material = this.ghost
      ? new THREE.MeshStandardMaterial({ transparent: true, opacity: this.ghost < 0 ? 0.14 : 0.32, depthWrite: false, roughness: 0.7, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 8 })
      : new THREE.MeshStandardMaterial({ roughness: 0.42, metalness: 0.08, vertexColors: true });
    this.lineMaterial = new THREE.MeshBasicMaterial();
    this.glassMaterial = new THREE.MeshStandardMaterial({ transparent: true, opacity: 0.2, depthWrite: false, side: THREE.DoubleSide, roughness: 0.2 });
    for (const [key, list] of byKey) {
      const line = key.includes("|axis|");
      const glass = key.includes("|glass|");
      const mesh = new THREE.InstancedMesh(this.parts.geometries.get(list[0].key), line ? this.lineMaterial : glass ? this.glassMaterial : this.material, list.length);
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = !line && !glass && !this.ghost;
      if (glass) mesh.renderOrder = 1;
      mesh.userData = { parts: list, group: list[0].group };
      if (this.ghost) mesh.renderOrder = 2;
      this.meshes.push(mesh);
      this.group.add(mesh);
      list.forEach((part, i) => {
        if (part.body < 0 && !part.rider) mesh.setMatrixAt(i, part.matrix);
      });
    }
  }

  color(part) {
    const c = this.theme.colors;
    // of the run itself, ghosts keep their colours
    if (this.ghost > 0) return this.theme.series(this.ghost).color;
    if (part.element?.color) return part.element.color;
    if (typeof part.color === "number") return this.parts.model.bodies[part.color]?.color ?? c.body[part.color % c.body.length];
    if (part.color === "rubber") return this.theme.dark ? "#3a4149" : "#3b4046";
    if (part.color === "axis") return c.axis;
    if (part.color.startsWith("#")) return part.color;
    if (part.color === "glass") return c.metal;
    return c[part.color];
  }

  paint() {
    const color = new THREE.Color();
    for (const mesh of this.meshes) {
      mesh.userData.parts.forEach((part, i) => mesh.setColorAt(i, color.set(this.color(part))));
      mesh.instanceColor.needsUpdate = true;
    }
  }

  show(group, on) {
    for (const mesh of this.meshes) if (mesh.userData.group === group) mesh.visible = on;
  }

  /** all bodies to the instant the frames were sent to */
  update(frames) {
    for (let i = 0; i < this.matrices.length; i++) {
      frames.read(i, pose);
      this.visible[i] = !Number.isNaN(pose[0]);
      if (!this.visible[i]) continue;
      this.matrices[i].compose(position.set(pose[0], pose[1], pose[2]), rotation.set(pose[3], pose[4], pose[5], pose[6]), scale);
    }
    for (const mesh of this.meshes) {
      const list = mesh.userData.parts;
      for (let i = 0; i < list.length; i++) {
        const part = list[i];
        if (part.rider) this.ride(part);
        else if (part.body < 0) continue;
        else if (this.visible[part.body]) product.multiplyMatrices(this.matrices[part.body], part.matrix);
        else product.makeScale(0, 0, 0);
        product.toArray(mesh.instanceMatrix.array, 16 * i);
      }
      mesh.instanceMatrix.needsUpdate = true;
      // the picker computes it anew
      mesh.boundingSphere = null;
    }
  }

  /** a piece turned with one body that sits at a point of another */
  ride(part) {
    const { rider } = part;
    if ((rider.body >= 0 && !this.visible[rider.body]) || (part.body >= 0 && !this.visible[part.body])) return product.makeScale(0, 0, 0);
    if (part.body >= 0) product.extractRotation(this.matrices[part.body]).multiply(part.matrix);
    else product.copy(part.matrix);
    this.point(rider.body, rider.at, position);
    position.z += part.lift;
    return product.setPosition(position);
  }

  /** where a point of a body (-1: ground) is now */
  point(body, at, out) {
    out.fromArray(at);
    return body >= 0 ? out.applyMatrix4(this.matrices[body]) : out;
  }

  /** what is under the pointer: the part of the nearest piece, or null */
  pick(raycaster) {
    const shown = this.meshes.filter((m) => m.visible && m.userData.group !== "axes" && m.material !== this.glassMaterial);
    const [hit] = raycaster.intersectObjects(shown, false);
    return hit ? { part: hit.object.userData.parts[hit.instanceId], point: hit.point } : null;
  }
}
