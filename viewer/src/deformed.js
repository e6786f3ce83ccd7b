// deformed.js: flexible bodies as they are deformed, coloured by how far their points moved against the frame.
import * as THREE from "three";

class Deformed {
  constructor(body, at, material) {
    this.body = body;
    this.at = at; // of its numbers among those of all
    this.p = new Float64Array(body.size);
    this.corners = Float32Array.from(body.corners);
    this.shapes = Float32Array.from(body.shapes);
    this.moved = new Float32Array(this.corners.length / 3);
    this.positions = new Float32Array(this.corners.length);
    this.colors = new Float32Array(this.corners.length);
    this.geometry = new THREE.BufferGeometry();
    this.geometry.setAttribute("position", new THREE.BufferAttribute(this.positions, 3));
    this.geometry.setAttribute("color", new THREE.BufferAttribute(this.colors, 3));
    this.geometry.setIndex(body.triangles);
    this.mesh = new THREE.Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.matrixAutoUpdate = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
  }

  /** corners for the deformation p, and how far they went; the farthest way */
  bend() {
    const { p, corners, shapes, positions, moved } = this;
    let most = 0;
    for (let i = 0, s = 0; i < moved.length; i++) {
      let [x, y, z] = [0, 0, 0];
      for (let k = 0; k < p.length; k++, s += 3) {
        x += p[k] * shapes[s];
        y += p[k] * shapes[s + 1];
        z += p[k] * shapes[s + 2];
      }
      positions[3 * i] = corners[3 * i] + x;
      positions[3 * i + 1] = corners[3 * i + 1] + y;
      positions[3 * i + 2] = corners[3 * i + 2] + z;
      moved[i] = Math.hypot(x, y, z);
      most = Math.max(most, moved[i]);
    }
    return most;
  }

  update(mechanism, frames, most, cold, hot) {
    frames.deformation(this.at, this.p);
    this.bend();
    const color = new THREE.Color();
    for (let i = 0; i < this.moved.length; i++) color.copy(cold).lerp(hot, most > 0 ? Math.min(this.moved[i] / most, 1) : 0).toArray(this.colors, 3 * i);
    for (const name of ["position", "color"]) this.geometry.attributes[name].needsUpdate = true;
    this.mesh.matrix.copy(mechanism.matrices[this.body.first]);
    this.mesh.visible = mechanism.visible[this.body.first];
  }
}

/** All flexible bodies of a model. */
export class DeformedBodies {
  constructor(model, frames, theme) {
    this.group = new THREE.Group();
    this.theme = theme;
    // faces turn as the body bends: their normals are found where they are drawn
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.45, metalness: 0.15, vertexColors: true, flatShading: true });
    this.list = [];
    let at = 0;
    for (const body of model.flexibles ?? []) {
      this.list.push(new Deformed(body, at, this.material));
      at += body.size;
    }
    for (const { mesh } of this.list) this.group.add(mesh);
    this.cold = new THREE.Color();
    this.hot = new THREE.Color();
    this.most = 0; // farthest way of a point in the run
    const samples = Math.min(frames.count, 200);
    for (let i = 0; i < samples && this.list.length; i++)
      for (const one of this.list) {
        frames.deformation(one.at, one.p, Math.floor((i * (frames.count - 1)) / Math.max(samples - 1, 1)), 0);
        this.most = Math.max(this.most, one.bend());
      }
    this.paint();
  }

  paint() {
    this.cold.set(this.theme.colors.body[0]);
    this.hot.set(this.theme.colors.reaction);
  }

  update(mechanism, frames) {
    for (const one of this.list) one.update(mechanism, frames, this.most, this.cold, this.hot);
  }
}
