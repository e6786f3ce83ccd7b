// spine.js: lines through the joints, so that a mechanism much larger than its links is seen from
// afar, where each of them is thinner than a pixel.
import * as THREE from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

export class Spine {
  constructor(model, size, theme) {
    this.group = new THREE.Group();
    this.theme = theme;
    this.ends = [];
    if (size.link > size.radius / 30) return;
    // from the centre of a body to each of its joints
    for (const joint of model.joints)
      for (const end of [joint.a, joint.b]) if (end && end.body >= 0) this.ends.push({ ...end, com: model.bodies[end.body].com });
    if (!this.ends.length) return;
    const geometry = new LineSegmentsGeometry().setPositions(new Float32Array(6 * this.ends.length));
    this.line = new LineSegments2(geometry, new LineMaterial({ linewidth: 2 }));
    this.line.frustumCulled = false;
    this.group.add(this.line);
  }

  paint() {
    this.line?.material.color.set(this.theme.colors.body[0]);
  }

  resize(width, height) {
    this.line?.material.resolution.set(width, height);
  }

  update(mechanism) {
    if (!this.line) return;
    const { data } = /** @type {THREE.InterleavedBufferAttribute} */ (this.line.geometry.attributes.instanceStart);
    const p = new THREE.Vector3();
    this.ends.forEach((end, i) => {
      mechanism.point(end.body, end.com, p).toArray(data.array, 6 * i);
      mechanism.point(end.body, end.at, p).toArray(data.array, 6 * i + 3);
    });
    data.needsUpdate = true;
  }
}
