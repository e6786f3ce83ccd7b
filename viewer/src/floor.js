// floor.js: what bodies stand on: planes of stops and contacts, and the ground that feet feel by their forces.
//
// Forces given by formulas may be a ground: such a force pushes a point upwards, never pulls, is off
// for a while, and is on only where the point is lowest. Where several agree on a height, it is drawn.
import * as THREE from "three";
import { worldPoint } from "./measure.js";
import { mountMatrix } from "./mounts.js";

/** heights along up at which a force of a point is on: {low, high, least} or null when it is no foot */
function footHeights(model, frames, track, up) {
  const force = model.forces[track.force];
  if (force?.type !== "force" || !force.b || force.b.body < 0 || !frames.has(force.b.body) || force.body_axes) return null;
  const p = new THREE.Vector3();
  const push = new THREE.Vector3();
  const on = { low: Infinity, high: -Infinity, least: Infinity, off: 0, count: 0 };
  const every = Math.max(1, Math.floor(frames.count / 400));
  for (let i = 0; i < frames.count; i += every) {
    push.fromArray(frames.values, i * frames.width + track.at);
    const h = worldPoint(frames, force.b.body, force.b.at, i, p).dot(up);
    const size = push.dot(up);
    if (size < 0) return null;
    on.least = Math.min(on.least, h);
    if (size === 0) on.off++;
    else {
      on.count++;
      on.low = Math.min(on.low, h);
      on.high = Math.max(on.high, h);
    }
  }
  return on.off && on.count ? on : null;
}

/** the height of the ground under feet, or null; size: of the motion */
export function footing(model, frames, up, size) {
  if (model.bodies.length > 600) return null;
  const feet = frames.tracks.filter((t) => t.force !== undefined && t.size === 3).map((t) => footHeights(model, frames, t, up)).filter(Boolean);
  if (feet.length < 2) return null;
  const high = Math.max(...feet.map((f) => f.high));
  const low = Math.min(...feet.map((f) => f.low));
  return high - low < 0.02 * size ? high : null;
}

export class Floor {
  constructor(model, parts, theme) {
    this.group = new THREE.Group();
    this.theme = theme;
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.9, side: THREE.DoubleSide });
    this.moving = [];
    const { size, w } = parts;
    const thick = 1.2 * w;
    const planes = [...model.joints, ...model.forces].filter((e) => (e.type === "stop" || e.plane) && e.a);
    if (size.planar && size.floor !== null && !planes.length) {
      const wide = 1.3 * (size.box.max.x - size.box.min.x);
      const slab = new THREE.BoxGeometry(wide, thick, (parts.layers + 3) * 1.12 * parts.depth);
      const mesh = this.addMesh(slab);
      mesh.position.set(size.centre.x, size.floor - thick / 2, parts.layers * 0.5 * parts.depth);
    }
    for (const e of planes) if (!this.underfoot(e, size)) this.addPlane(e, parts, thick);
    this.paint();
  }

  /** the stage draws it already, all around */
  underfoot({ type, a }, size) {
    if (type === "stop" || a.body >= 0 || !size.plane) return false;
    const normal = new THREE.Vector3(a.axes[2], a.axes[5], a.axes[8]);
    const below = size.plane.point.clone().sub(new THREE.Vector3().fromArray(a.at)).dot(size.plane.normal);
    return normal.dot(size.plane.normal) > 0.999 && below > -1e-6 * size.radius;
  }

  /** a slab whose face is the plane: as long as the motion when it belongs to the ground */
  addPlane({ a, name }, parts, thick) {
    const { size } = parts;
    const reach = a.body < 0 ? 2.2 * size.radius : 6 * parts.w;
    const place = mountMatrix(a);
    // under the whole of the motion, wherever the plane was said to be
    const middle = a.body < 0 ? size.centre.clone().applyMatrix4(place.clone().invert()) : new THREE.Vector3();
    place.multiply(new THREE.Matrix4().makeTranslation(middle.x, middle.y, -thick / 2));
    const key = a.body < 0 ? place.elements.map((x) => Math.round((1e5 * x) / size.radius)).join(" ") : name;
    if (this.moving.some((m) => m.key === key)) return;
    const across = size.planar ? (parts.layers + 2) * 1.12 * parts.depth : reach;
    // in the plane, the axis that lies across it is the one along z
    const flatX = size.planar && Math.abs(a.axes[6]) > 0.5;
    const mesh = this.addMesh(new THREE.BoxGeometry(flatX ? across : reach, flatX || !size.planar ? reach : across, thick));
    mesh.matrixAutoUpdate = false;
    mesh.matrix.copy(place);
    this.moving.push({ key, mesh, place, body: a.body });
  }

  addMesh(geometry) {
    const mesh = new THREE.Mesh(geometry, this.material);
    mesh.receiveShadow = true;
    this.group.add(mesh);
    return mesh;
  }

  paint() {
    this.material.color.set(this.theme.dark ? "#4a525c" : "#b3bcc6");
  }

  update(mechanism) {
    for (const { mesh, place, body } of this.moving) {
      if (body < 0) continue;
      mesh.matrix.multiplyMatrices(mechanism.matrices[body], place);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }
}
