// measure.js: how large the motion is, where up is, and from where one looks at it.
import * as THREE from "three";
import { footing } from "./floor.js";
import { massless, pointed, sliding } from "./mounts.js";

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

/** what reaches beyond the joints of bodies: corners of plates, surfaces through points: [{body, at, reach}] */
function outer(model) {
  const list = [];
  model.bodies.forEach((b, body) => {
    if (!b.shape && !b.shapes) for (const p of b.points ?? []) list.push({ body, at: p.at, reach: 0 });
  });
  for (const { first, corners } of model.flexibles ?? []) {
    const stride = 3 * Math.ceil(corners.length / 3 / 40);
    for (let i = 0; i < corners.length; i += stride) list.push({ body: first, at: corners.slice(i, i + 3), reach: 0 });
  }
  for (const e of [...model.joints, ...model.forces]) {
    if (!e.a || (!e.points && !e.terrain)) continue;
    let reach = 0;
    for (const x of e.terrain?.x ?? []) for (const y of [e.terrain.y[0], e.terrain.y.at(-1)]) reach = Math.max(reach, Math.hypot(x, y));
    for (let i = 0; i < (e.points?.length ?? 0); i += 2) reach = Math.max(reach, Math.hypot(e.points[i], e.points[i + 1]));
    list.push({ body: e.a.body, at: e.a.at, reach });
  }
  return list;
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
function linkLength(model, frames, radius) {
  const ends = model.bodies.map(() => []);
  for (const j of model.joints) for (const e of [j.a, j.b]) if (e && e.body >= 0) ends[e.body].push(e.at);
  const lengths = [];
  const nodes = new Set();
  for (const beam of model.beams ?? []) {
    // a beam is one piece, however many elements it has
    for (let k = 0; k <= beam.elements; k++) nodes.add(beam.first + k);
    const p = worldPoint(frames, beam.first, [0, 0, 0], 0, new THREE.Vector3());
    lengths.push(p.distanceTo(worldPoint(frames, beam.first + beam.elements, [0, 0, 0], 0, new THREE.Vector3())));
  }
  for (const { first, interfaces, corners } of model.flexibles ?? []) {
    for (let k = 0; k < interfaces; k++) nodes.add(first + k);
    const box = new THREE.Box3().setFromArray(corners);
    if (corners.length) lengths.push(box.getSize(new THREE.Vector3()).length());
  }
  model.bodies.forEach((body, i) => {
    if (nodes.has(i)) return;
    let most = 0;
    for (const p of ends[i]) for (const q of ends[i])
      most = Math.max(most, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
    if (body.shape?.length) most = Math.max(most, body.shape.length);
    if (body.shape?.size) most = Math.max(most, ...body.shape.size);
    if (body.shapes) most = Math.max(most, 1.5 * shapeReach(body, model.meshes));
    for (const p of ends[i])
      most = Math.max(most, Math.hypot(p[0] - body.com[0], p[1] - body.com[1], p[2] - body.com[2]));
    if (most > 0) lengths.push(most);
  });
  return median(lengths) || 0.5 * radius;
}

/** how far a shape reaches from its own origin */
function reachOf(s, meshes) {
  if (s.size) return 0.5 * Math.hypot(...s.size);
  if (s.reach === undefined && s.kind === "mesh") {
    const c = meshes[s.mesh].corners ?? [];
    s.reach = 0;
    for (let i = 0; i < c.length; i += 3) s.reach = Math.max(s.reach, Math.hypot(c[i] * s.scale[0], c[i + 1] * s.scale[1], c[i + 2] * s.scale[2]));
  }
  if (s.reach === undefined && s.outline) {
    s.reach = 0;
    for (let i = 0; i < s.outline.length; i += 2) s.reach = Math.max(s.reach, Math.hypot(s.outline[i], s.outline[i + 1], s.kind === "extrusion" ? s.length / 2 : 0));
  }
  if (s.reach !== undefined) return s.reach;
  return Math.max(s.radius ?? 0, 0.5 * (s.length ?? 0) + (s.kind === "capsule" ? s.radius : 0));
}

/** how far a body reaches from its centre of mass */
function shapeReach(body, meshes) {
  if (body.shapes)
    return Math.max(...body.shapes.map((s) => Math.hypot(s.at[0] - body.com[0], s.at[1] - body.com[1], s.at[2] - body.com[2]) + reachOf(s, meshes)));
  return body.shape ? reachOf(body.shape, meshes) : 0;
}

/** boxes of the motion: of all points, and per body the path of its centre */
function extents(model, frames) {
  const box = new THREE.Box3();
  const flat = new THREE.Box3(); // without the extent of shapes
  const points = []; // x, y, z and how far the body reaches around it
  const point = new THREE.Vector3();
  const ends = mounts(model);
  const more = outer(model);
  const list = sampleFrames(frames, Math.ceil(20000 / (model.bodies.length + ends.length + more.length + 1)));
  for (const frame of list) {
    model.bodies.forEach((body, i) => {
      if (!frames.has(i)) return;
      worldPoint(frames, i, body.com, frame, point);
      if (Number.isNaN(point.x)) return;
      flat.expandByPoint(point);
      const reach = shapeReach(body, model.meshes);
      points.push([point.x, point.y, point.z, 0.9 * reach]);
      box.expandByPoint(point.clone().addScalar(0.8 * reach)).expandByPoint(point.addScalar(-0.8 * reach));
    });
    // the road below tyres
    for (const f of model.forces) {
      if (f.type !== "tyre" || !f.b || !frames.has(f.b.body)) continue;
      worldPoint(frames, f.b.body, f.b.at, frame, point);
      const flatBody = model.bodies[f.b.body].kind.startsWith("planar");
      const [y, z] = [point.y - (flatBody ? f.radius : 0), point.z - (flatBody ? 0 : f.radius)];
      for (const side of [-1, 1]) points.push([point.x + side * f.radius, y, z, 0]);
      box.expandByPoint(new THREE.Vector3(point.x, y - (flatBody ? 0.15 * f.radius : 0), z - (flatBody ? 0 : 0.15 * f.radius)));
    }
    for (const { body, at, reach } of more) {
      if (body >= 0 && !frames.has(body)) continue;
      worldPoint(frames, body, at, frame, point);
      if (Number.isNaN(point.x)) continue;
      points.push([point.x, point.y, point.z, reach]);
      box.expandByPoint(point.clone().addScalar(0.8 * reach)).expandByPoint(point.addScalar(-0.8 * reach));
    }
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

/** the highest level plane of the ground that bodies touch */
function touchedPlane(model, up) {
  let plane = null;
  for (const { a, plane: flat } of [...model.joints, ...model.forces]) {
    if (!flat || a.body >= 0) continue;
    const normal = new THREE.Vector3(a.axes[2], a.axes[5], a.axes[8]);
    const point = new THREE.Vector3().fromArray(a.at);
    if (normal.dot(up) > 0.999 && (!plane || point.dot(up) > plane.point.dot(up))) plane = { normal, point };
  }
  return plane;
}

/** how far a body hides what is behind it: the second largest half of its extents */
function bulk(body, meshes) {
  if (body.shapes) return 0.5 * shapeReach(body, meshes);
  const s = body.shape;
  if (s?.size) return [...s.size].sort((a, b) => b - a)[1] / 2;
  return s?.kind === "rod" ? 0 : (s?.radius ?? 0);
}

/** what stands in the way of what in the first frame: [{at, reach}] */
function obstacles(model, frames) {
  if (model.bodies.length < 2 || model.bodies.length > 300) return [];
  const list = [];
  model.bodies.forEach((body, i) => {
    if (frames.has(i)) list.push({ at: worldPoint(frames, i, body.com, 0, new THREE.Vector3()), reach: bulk(body, model.meshes) });
  });
  for (const end of mounts(model))
    if (end.body < 0 || frames.has(end.body)) list.push({ at: worldPoint(frames, end.body, end.at, 0, new THREE.Vector3()), reach: 0 });
  return list;
}

/** how much is hidden when one looks from that direction */
export function hidden(size, direction) {
  let sum = 0;
  const d = new THREE.Vector3();
  for (const front of size.obstacles) {
    if (front.reach < 0.12 * size.radius) continue;
    for (const back of size.obstacles) {
      d.subVectors(front.at, back.at);
      const depth = d.dot(direction);
      if (back === front || depth <= 0.2 * front.reach) continue;
      const aside = d.addScaledVector(direction, -depth).length();
      if (aside < front.reach) sum += 1 - (0.5 * aside) / front.reach;
    }
  }
  return sum;
}

/** the mechanism in the first frame, and its heaviest body: what to follow when it travels far */
function traveller(model, frames) {
  const box = new THREE.Box3();
  const p = new THREE.Vector3();
  let body = -1;
  model.bodies.forEach((b, i) => {
    if (!frames.has(i)) return;
    worldPoint(frames, i, b.com, 0, p);
    const reach = Math.max(shapeReach(b, model.meshes), 1e-9);
    box.expandByPoint(p.clone().addScalar(reach)).expandByPoint(p.clone().addScalar(-reach));
    if (body < 0 || b.mass > model.bodies[body].mass) body = i;
  });
  // what hangs on the ground does not travel
  for (const j of model.joints) {
    const held = pointed.has(j.type) || sliding.has(j.type) || massless.has(j.type) || j.type === "rope";
    for (const end of [j.a, j.b]) if (held && end && end.body < 0) box.expandByPoint(p.fromArray(end.at));
  }
  return { body, radius: box.isEmpty() ? Infinity : 0.5 * box.getSize(p).length() };
}

/** everything the picture needs to know about size and direction */
export function measure(model, frames) {
  const { box, flat, points } = extents(model, frames);
  const centre = box.getCenter(new THREE.Vector3());
  const radius = Math.max(0.5 * box.getSize(new THREE.Vector3()).length(), 1e-9);
  const spread = flat.getSize(new THREE.Vector3()).toArray();
  const planar = model.bodies.length > 0 && model.bodies.every((b) => b.kind.startsWith("planar"));
  let plane = rollingPlane(model, frames);
  const gravity = new THREE.Vector3().fromArray(model.gravity);

  const up = new THREE.Vector3(0, planar ? 1 : 0, planar ? 0 : 1);
  if (plane) up.copy(plane.normal);
  else if (gravity.length() > 0) up.copy(gravity).normalize().negate();
  if (!plane && !planar) plane = touchedPlane(model, up);
  // the plane of motion, if there is one: the direction nothing moves in
  let facing = null;
  if (planar) facing = new THREE.Vector3(0, 0, 1);
  else if (model.bodies.length > 1) {
    const thin = spread.findIndex((s) => s < 1e-3 * radius);
    if (thin >= 0 && Math.abs(up.getComponent(thin)) < 0.5)
      facing = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, -1, 0), new THREE.Vector3(0, 0, 1)][thin];
  }
  const floor = plane ? null : footing(model, frames, up, radius);
  if (floor !== null && !planar) plane = { normal: up, point: up.clone().multiplyScalar(floor) };
  const link = Math.min(linkLength(model, frames, radius), 2 * radius);
  const start = traveller(model, frames);
  return { box, points, obstacles: obstacles(model, frames), start, centre, radius, planar, plane, floor, up, facing, link, width: 0.036 * Math.min(link, 1.2 * radius) };
}
