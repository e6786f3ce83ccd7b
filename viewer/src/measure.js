// measure.js: how large the motion is, where up is, and from where one looks at it.
import * as THREE from "three";

const pose = new Float64Array(7);
const position = new THREE.Vector3();
const rotation = new THREE.Quaternion();

/** some frames, evenly spread, few enough to look at every body */
export function sampleFrames(frames, most) {
  const count = Math.min(frames.count, Math.max(2, most));
  const last = frames.count - 1;
  const list = [];
  for (let i = 0; i < count; i++) list.push(count > 1 ? Math.round((i * last) / (count - 1)) : 0);
  return list;
}

/** a point of a body (-1: ground) at a frame */
export function worldPoint(frames, body, at, frame, out) {
  out.fromArray(at);
  if (body < 0) return out;
  frames.read(body, pose, frame, 0);
  rotation.set(pose[3], pose[4], pose[5], pose[6]);
  return out.applyQuaternion(rotation).add(position.set(pose[0], pose[1], pose[2]));
}

/** the ends of all joints and forces: [{body, at}] */
function mounts(model) {
  const list = [];
  for (const e of [...model.joints, ...model.forces])
    for (const end of [e.a, e.b]) if (end) list.push(end);
  return list;
}

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted.length ? sorted[sorted.length >> 1] : 0;
}

/** a typical length of links: between the joints of a body, or of its shape */
function linkLength(model, radius) {
  const ends = model.bodies.map(() => []);
  for (const j of model.joints) for (const e of [j.a, j.b]) if (e && e.body >= 0) ends[e.body].push(e.at);
  const lengths = [];
  model.bodies.forEach((body, i) => {
    let most = 0;
    for (const p of ends[i]) for (const q of ends[i])
      most = Math.max(most, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
    if (body.shape?.length) most = Math.max(most, body.shape.length);
    if (body.shape?.size) most = Math.max(most, ...body.shape.size);
    for (const p of ends[i])
      most = Math.max(most, Math.hypot(p[0] - body.com[0], p[1] - body.com[1], p[2] - body.com[2]));
    if (most > 0) lengths.push(most);
  });
  return median(lengths) || 0.5 * radius;
}

function shapeReach(body) {
  const s = body.shape;
  if (!s) return 0;
  if (s.size) return 0.5 * Math.hypot(...s.size);
  return Math.max(s.radius ?? 0, 0.5 * (s.length ?? 0));
}

/** boxes of the motion: of all points, and per body the path of its centre */
function extents(model, frames) {
  const box = new THREE.Box3();
  const flat = new THREE.Box3(); // without the extent of shapes
  const points = []; // x, y, z and how far the body reaches around it
  const point = new THREE.Vector3();
  const ends = mounts(model);
  const list = sampleFrames(frames, Math.ceil(20000 / (model.bodies.length + ends.length + 1)));
  for (const frame of list) {
    model.bodies.forEach((body, i) => {
      if (!frames.has(i)) return;
      worldPoint(frames, i, body.com, frame, point);
      if (Number.isNaN(point.x)) return;
      flat.expandByPoint(point);
      const reach = shapeReach(body);
      points.push([point.x, point.y, point.z, 0.9 * reach]);
      box.expandByPoint(point.clone().addScalar(0.8 * reach)).expandByPoint(point.addScalar(-0.8 * reach));
    });
    for (const end of ends) {
      if (end.body >= 0 && !frames.has(end.body)) continue;
      worldPoint(frames, end.body, end.at, frame, point);
      if (Number.isNaN(point.x)) continue;
      points.push([point.x, point.y, point.z, 0]);
      box.expandByPoint(point);
      flat.expandByPoint(point);
    }
  }
  if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
  if (flat.isEmpty()) flat.copy(box);
  if (!points.length) points.push([0, 0, 0, 1]);
  return { box, flat, points };
}

/** the plane a rolling body rolls on: {normal, point} */
function rollingPlane(model, frames) {
  const j = model.joints.find((joint) => joint.type.startsWith("rolling") && joint.b && joint.b.body >= 0);
  if (!j) return null;
  const normal = new THREE.Vector3().fromArray(j.normal ?? [0, 0, 1]).normalize();
  const centre = worldPoint(frames, j.b.body, j.b.at, 0, new THREE.Vector3());
  let drop = j.radius;
  if (j.type === "rolling-disc") {
    const axle = new THREE.Vector3(j.b.axes[2], j.b.axes[5], j.b.axes[8]);
    frames.read(j.b.body, pose, 0, 0);
    axle.applyQuaternion(rotation.set(pose[3], pose[4], pose[5], pose[6]));
    drop *= Math.sqrt(Math.max(0, 1 - axle.dot(normal) ** 2));
  }
  return { normal, point: centre.addScaledVector(normal, -drop) };
}

/** where a body is that could hide all the others: {at}, or null */
function largeBody(model, frames, radius) {
  if (model.bodies.length < 2) return null;
  let best = null;
  model.bodies.forEach((body, i) => {
    const s = body.shape;
    const reach = s?.size ? [...s.size].sort((a, b) => b - a)[1] / 2 : s?.kind === "rod" ? 0 : (s?.radius ?? 0);
    if (reach > 0.3 * radius && frames.has(i) && (!best || reach > best.reach))
      best = { reach, at: worldPoint(frames, i, body.com, 0, new THREE.Vector3()) };
  });
  return best;
}

/** everything the picture needs to know about size and direction */
export function measure(model, frames) {
  const { box, flat, points } = extents(model, frames);
  const centre = box.getCenter(new THREE.Vector3());
  const radius = Math.max(0.5 * box.getSize(new THREE.Vector3()).length(), 1e-9);
  const spread = flat.getSize(new THREE.Vector3()).toArray();
  const planar = model.bodies.length > 0 && model.bodies.every((b) => b.kind.startsWith("planar"));
  const plane = rollingPlane(model, frames);
  const gravity = new THREE.Vector3().fromArray(model.gravity);

  const up = new THREE.Vector3(0, planar ? 1 : 0, planar ? 0 : 1);
  if (plane) up.copy(plane.normal);
  else if (gravity.length() > 0) up.copy(gravity).normalize().negate();
  // the plane of motion, if there is one: the direction nothing moves in
  let facing = null;
  if (planar) facing = new THREE.Vector3(0, 0, 1);
  else if (model.bodies.length > 1) {
    const thin = spread.findIndex((s) => s < 1e-3 * radius);
    if (thin >= 0 && Math.abs(up.getComponent(thin)) < 0.5)
      facing = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, -1, 0), new THREE.Vector3(0, 0, 1)][thin];
  }
  const link = Math.min(linkLength(model, radius), 2 * radius);
  const large = largeBody(model, frames, radius);
  return { box, points, large, centre, radius, planar, plane, up, facing, link, width: 0.036 * Math.min(link, 1.2 * radius) };
}
