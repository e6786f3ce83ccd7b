// road.js: the road under tyres: its profile along the way driven, as far as it was recorded.
//
// A tyre records the gap between it and the road, so the road's height under the wheel is known at
// every frame. A wheel that stays in place, as in a test of one suspension, has a plate below it
// that moves up and down as the road does.
import * as THREE from "three";
import { worldPoint } from "./measure.js";

export class Road {
  constructor(model, frames, parts, theme) {
    this.group = new THREE.Group();
    this.theme = theme;
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.9, side: THREE.DoubleSide });
    this.plates = [];
    const up = parts.size.planar ? 1 : 2;
    for (const track of frames.tracks) {
      const force = model.forces[track.force];
      const gap = track.names.indexOf("gap");
      if (track.force === undefined || force?.type !== "tyre" || gap < 0) continue;
      const points = this.profile(frames, track, force, gap, up);
      const way = points.at(-1).x - points[0].x;
      const range = Math.max(...points.map((p) => p.x)) - Math.min(...points.map((p) => p.x));
      if (Math.abs(way) > 2 * force.radius && Math.abs(way) > 0.9 * range) this.addProfile(points, force.radius, up);
      else this.addPlate(force, track, gap, up);
    }
    this.paint();
  }

  /** road height and place of the wheel at every frame */
  profile(frames, track, force, gap, up) {
    const p = new THREE.Vector3();
    const list = [];
    const every = Math.max(1, Math.floor(frames.count / 2000));
    for (let i = 0; i < frames.count; i += every) {
      worldPoint(frames, force.b.body, force.b.at, i, p);
      const height = p.getComponent(up) - force.radius - frames.values[i * frames.width + track.at + gap];
      list.push({ x: p.x, across: up === 2 ? p.y : p.z, height });
    }
    return list;
  }

  /** a ribbon, going on level at both ends */
  addProfile(points, radius, up) {
    const line = [...points].sort((a, b) => a.x - b.x);
    const ends = [{ ...line[0], x: line[0].x - 6 * radius }, { ...line.at(-1), x: line.at(-1).x + 6 * radius }];
    const positions = [];
    const all = [ends[0], ...line, ends[1]];
    for (let i = 0; i + 1 < all.length; i++)
      for (const [p, side] of [[all[i], -1], [all[i + 1], -1], [all[i + 1], 1], [all[i], -1], [all[i + 1], 1], [all[i], 1]]) {
        const across = p.across + side * 0.8 * radius;
        positions.push(p.x, up === 2 ? across : p.height, up === 2 ? p.height : across);
      }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
    geometry.computeVertexNormals();
    this.addMesh(geometry);
  }

  addPlate(force, track, gap, up) {
    const r = force.radius;
    const thick = 0.08 * r;
    const geometry = up === 2 ? new THREE.BoxGeometry(2.2 * r, 1.5 * r, thick) : new THREE.BoxGeometry(2.2 * r, thick, 1.5 * r);
    const mesh = this.addMesh(geometry);
    this.plates.push({ mesh, force, track, gap, up, thick });
  }

  addMesh(geometry) {
    const mesh = new THREE.Mesh(geometry, this.material);
    mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return mesh;
  }

  paint() {
    this.material.color.set(this.theme.dark ? "#4a525c" : "#9aa3ad");
  }

  update(mechanism, frames) {
    const numbers = new Float64Array(3);
    for (const { mesh, force, track, gap, up, thick } of this.plates) {
      mechanism.point(force.b.body, force.b.at, mesh.position);
      frames.track(track, numbers);
      const height = mesh.position.getComponent(up) - force.radius - numbers[gap];
      mesh.position.setComponent(up, height - thick / 2);
    }
  }
}
