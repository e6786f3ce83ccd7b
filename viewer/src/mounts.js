// mounts.js: where joints and forces sit on their bodies, and which kinds of joints there are.
import * as THREE from "three";

export const massless = new Set(["distance", "universal-spherical", "revolute-spherical"]);
export const sliding = new Set(["prismatic", "cylindrical", "screw", "point-on-line", "revolute-prismatic"]);
export const pointed = new Set(["revolute", "spherical", "universal", "fixed", "distance", "universal-spherical",
  "revolute-spherical", "constant-velocity", "point-on-line", "point-on-plane"]);

const zAxis = new THREE.Vector3(0, 0, 1);

export const vector = (at) => new THREE.Vector3().fromArray(at);

/** matrix that puts the z axis along a direction at a point */
export function along(at, direction) {
  const q = new THREE.Quaternion().setFromUnitVectors(zAxis, direction.clone().normalize());
  return new THREE.Matrix4().compose(at, q, new THREE.Vector3(1, 1, 1));
}

/** matrix of a mount: axes row by row */
export function mountMatrix(end) {
  const a = end.axes;
  const m = new THREE.Matrix4();
  m.set(a[0], a[1], a[2], end.at[0], a[3], a[4], a[5], end.at[1], a[6], a[7], a[8], end.at[2], 0, 0, 0, 1);
  return m;
}

/** the axis of a mount, its z, in the frame of its body */
export const mountAxis = (end) => new THREE.Vector3(end.axes[2], end.axes[5], end.axes[8]);

export const parallel = (a, b) => Math.abs(a.dot(b)) > 0.999 * a.length() * b.length();

/** the cylinder of a body when it lies along the axis of one of its mounts, through it; or null */
export function shaftAbout(body, end) {
  const s = body?.shape;
  if (s?.kind !== "cylinder" || !parallel(vector(s.axis), mountAxis(end))) return null;
  const off = vector(end.at).sub(vector(body.com));
  const axis = mountAxis(end);
  off.addScaledVector(axis, -off.dot(axis));
  return off.length() < 0.3 * s.radius ? s : null;
}
