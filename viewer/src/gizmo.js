// gizmo.js: which way x, y and z point, in the corner of the scene.
import * as THREE from "three";

const colors = ["#d1495b", "#3f9b4f", "#3a7bd5"];
const p = new THREE.Vector3();

export class Gizmo {
  constructor(svg) {
    this.svg = svg;
    this.text = "";
  }
  update(camera) {
    const axes = [0, 1, 2].map((k) => {
      p.set(0, 0, 0).setComponent(k, 1).transformDirection(camera.matrixWorldInverse);
      return { k, x: 26 * p.x, y: -26 * p.y, depth: p.z };
    });
    axes.sort((a, b) => a.depth - b.depth);
    const text = axes.map(({ k, x, y }) => {
      const at = `x="${(x * 1.32).toFixed(1)}" y="${(y * 1.32 + 4).toFixed(1)}"`;
      return `<path d="M0 0L${x.toFixed(1)} ${y.toFixed(1)}" stroke="${colors[k]}"/>` + (Math.hypot(x, y) > 5 ? `<text ${at} fill="${colors[k]}">${"xyz"[k]}</text>` : "");
    }).join("");
    if (text !== this.text) this.svg.innerHTML = this.text = text;
  }
}
