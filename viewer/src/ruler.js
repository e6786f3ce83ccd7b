// ruler.js: the distance of two points of the mechanism, which go with their bodies.
import * as THREE from "three";
import { short } from "./format.js";

export class Ruler {
  constructor(labels, theme, width) {
    this.group = new THREE.Group();
    this.group.renderOrder = 11;
    this.labels = labels;
    this.theme = theme;
    this.ends = []; // {body, at}
    this.material = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true });
    const ball = new THREE.SphereGeometry(0.55 * width, 16, 12);
    this.balls = [0, 1].map(() => this.add(new THREE.Mesh(ball, this.material)));
    this.line = this.add(new THREE.Mesh(new THREE.CylinderGeometry(0.14 * width, 0.14 * width, 1, 8).rotateX(Math.PI / 2), this.material));
  }

  add(mesh) {
    mesh.renderOrder = 11;
    mesh.visible = false;
    this.group.add(mesh);
    return mesh;
  }

  paint() {
    this.material.color.set(this.theme.colors.text);
  }

  /** the next end; a third one begins anew */
  take(end) {
    if (this.ends.length === 2) this.clear();
    this.ends.push(end);
  }

  clear() {
    this.ends = [];
    for (const mesh of [...this.balls, this.line]) mesh.visible = false;
    if (this.label) this.labels.remove([this.label]);
    this.label = null;
  }

  update(mechanism) {
    const points = this.ends.map((e) => mechanism.point(e.body, e.at, new THREE.Vector3()));
    points.forEach((p, i) => {
      this.balls[i].visible = true;
      this.balls[i].position.copy(p);
    });
    if (points.length < 2) return;
    const [a, b] = points;
    this.distance = a.distanceTo(b);
    this.line.visible = this.distance > 0;
    this.line.position.lerpVectors(a, b, 0.5);
    this.line.scale.z = Math.max(this.distance, 1e-12);
    if (this.distance > 0) this.line.lookAt(b);
    this.label ??= this.labels.add("", "ruler", 5);
    this.labels.setText(this.label, `${short(this.distance, 4)} m`);
    this.label.at = this.line.position.clone();
  }
}
