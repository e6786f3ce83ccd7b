// layers.js: planar bodies lie in layers, as the bars of a real linkage do, so that they pass each
// other. Neighbours and bodies that meet on the way get different ones.
import * as THREE from "three";
import { sampleFrames, worldPoint } from "./measure.js";

const mostBodies = 90; // beyond, only neighbours are kept apart
const mostLayers = 14;

/** edges of a planar body in its own frame: between its corners, or around its shape */
function edges(parts, body, i) {
  const s = body.shape;
  const [x, y] = body.com;
  let ring = parts.corners(body, i);
  if (s?.kind === "box") ring = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => [x + 0.5 * a * s.size[0], y + 0.5 * b * s.size[1]]);
  else if (s?.radius && s.kind !== "rod")
    ring = Array.from({ length: 8 }, (_, k) => [x + s.radius * Math.cos((k * Math.PI) / 4), y + s.radius * Math.sin((k * Math.PI) / 4)]);
  const list = [];
  for (let k = 0; k < ring.length && ring.length > 1; k++) list.push([ring[k], ring[(k + 1) % ring.length]]);
  return list;
}

const side = (a, b, p) => (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
const cross = ([a, b], [c, d]) => side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;

/** pairs of bodies whose edges cross in some frame */
function meetings(model, frames, parts, near) {
  const own = model.bodies.map((b, i) => (parts.flat(i) && frames.has(i) ? edges(parts, b, i) : []));
  const p = new THREE.Vector3();
  for (const frame of sampleFrames(frames, 10)) {
    const placed = own.map((list, i) => list.map((edge) => edge.map((at) => worldPoint(frames, i, [...at, 0], frame, p).toArray())));
    for (let i = 0; i < placed.length; i++)
      for (let k = 0; k < i; k++)
        if (!near[i].has(k) && placed[i].some((e) => placed[k].some((f) => cross(e, f)))) near[i].add(k), near[k].add(i);
  }
}

/** bodies in the order in which they choose their layers: wide discs lie behind what they would hide */
function order(model, parts) {
  const disc = (b) => (b.shape?.kind === "cylinder" && b.shape.radius > 5 * parts.w ? b.shape.radius : 0);
  return model.bodies.map((b, i) => ({ i, wide: disc(b) })).sort((a, b) => b.wide - a.wide || a.i - b.i).map(({ i }) => i);
}

/** the layer of every body, and how many there are */
export function assignLayers(model, frames, parts) {
  const near = model.bodies.map(() => new Set());
  for (const j of model.joints) {
    if (!j.a || !j.b || j.a.body < 0 || j.b.body < 0) continue;
    near[j.a.body].add(j.b.body);
    near[j.b.body].add(j.a.body);
  }
  if (model.bodies.length <= mostBodies) meetings(model, frames, parts, near);
  const layer = new Array(model.bodies.length).fill(-1);
  for (const i of order(model, parts)) {
    const taken = new Array(mostLayers).fill(0);
    for (const k of near[i]) if (layer[k] >= 0) taken[layer[k]]++;
    // the first that is free, or else the one shared with fewest
    layer[i] = taken.indexOf(Math.min(...taken));
  }
  return { layer, layers: Math.max(1, ...layer.map((l) => l + 1)) };
}
