// shapes.js: geometries. Those with a direction point along z.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { mergeGeometries, toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";

// corners of a circle: fewer where thousands of pieces are drawn
let round = 32;
export function setDetail(corners) {
  round = corners;
}

/** every geometry has colours per vertex (white: the colour of the instance), and no uv */
function finish(geometry, shade) {
  geometry.deleteAttribute("uv");
  const count = geometry.attributes.position.count;
  const color = new Float32Array(3 * count).fill(1);
  if (shade) {
    const p = geometry.attributes.position;
    for (let i = 0; i < count; i++) color.fill(shade(p.getX(i), p.getY(i), p.getZ(i)), 3 * i, 3 * i + 3);
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(color, 3));
  return geometry;
}

function merged(list) {
  return mergeGeometries(list.map((g) => {
    const plain = g.index ? g.toNonIndexed() : g;
    plain.deleteAttribute("uv");
    return plain;
  }));
}

export function box(x, y, z) {
  const edge = Math.min(x, y, z);
  return finish(new RoundedBoxGeometry(x, y, z, 2, 0.12 * edge));
}

export function cylinder(radius, length, segments = round) {
  return finish(new THREE.CylinderGeometry(radius, radius, length, segments).rotateX(Math.PI / 2));
}

/** turned about z instead of y; round where it is round, sharp where it has edges */
function creased(lathe) {
  return toCreasedNormals(lathe.rotateX(Math.PI / 2), 0.5);
}

/** cylinder with rounded edges: pins, shafts */
export function pin(radius, length, edge = 0.25) {
  const bevel = Math.min(edge * radius, 0.2 * length);
  const half = length / 2;
  const profile = [
    new THREE.Vector2(0, -half),
    new THREE.Vector2(radius - bevel, -half),
    new THREE.Vector2(radius, -half + bevel),
    new THREE.Vector2(radius, half - bevel),
    new THREE.Vector2(radius - bevel, half),
    new THREE.Vector2(0, half),
  ];
  return finish(creased(new THREE.LatheGeometry(profile, round)));
}

export function capsule(radius, length) {
  return finish(new THREE.CapsuleGeometry(radius, length, Math.ceil(round / 6), Math.ceil(0.65 * round)).rotateX(Math.PI / 2));
}

/** a ball in two tones, so that one sees it turn */
export function ball(radius, marked = false) {
  const g = new THREE.SphereGeometry(radius, round, Math.ceil(0.75 * round));
  if (!marked) return finish(g);
  const plain = g.toNonIndexed();
  const p = plain.attributes.position;
  const color = new Float32Array(3 * p.count);
  for (let i = 0; i < p.count; i += 3) {
    let x = 0, y = 0, z = 0;
    for (let k = 0; k < 3; k++) (x += p.getX(i + k)), (y += p.getY(i + k)), (z += p.getZ(i + k));
    color.fill(x * y * z > 0 ? 0.66 : 1, 3 * i, 3 * i + 9);
  }
  plain.deleteAttribute("uv");
  plain.setAttribute("color", new THREE.BufferAttribute(color, 3));
  return plain;
}

/** @returns {THREE.BufferGeometry} */
function extrude(shape, depth, bevel) {
  const g = new THREE.ExtrudeGeometry(shape, {
    depth: depth - 2 * bevel,
    bevelEnabled: true,
    bevelThickness: bevel,
    bevelSize: bevel,
    bevelOffset: -bevel,
    bevelSegments: round > 12 ? 2 : 1,
    curveSegments: round,
  });
  return g.translate(0, 0, -(depth - 2 * bevel) / 2);
}

/** counter-clockwise convex hull of [x, y] points */
function hull(points) {
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const cross = (o, p, q) => (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
  const half = (list) => {
    const out = [];
    for (const p of list) {
      while (out.length > 1 && cross(out.at(-2), out.at(-1), p) <= 1e-12) out.pop();
      out.push(p);
    }
    out.pop();
    return out;
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half([...sorted].reverse())];
}

/** the outline around points at distance r: a disc, a bar with round ends, a rounded plate */
function outline(points, r) {
  const corners = hull(points);
  const shape = new THREE.Shape();
  const n = corners.length;
  if (n === 1) {
    shape.absarc(corners[0][0], corners[0][1], r, 0, 2 * Math.PI, false);
    return shape;
  }
  for (let i = 0; i < n; i++) {
    const before = corners[(i + n - 1) % n];
    const here = corners[i];
    const after = corners[(i + 1) % n];
    const from = Math.atan2(here[1] - before[1], here[0] - before[0]) - Math.PI / 2;
    let to = Math.atan2(after[1] - here[1], after[0] - here[0]) - Math.PI / 2;
    while (to < from) to += 2 * Math.PI;
    shape.absarc(here[0], here[1], r, from, to, false);
  }
  shape.closePath();
  return shape;
}

/** a plate of the given thickness around points of the xy plane, with lightening when it is large */
export function plate(points, r, depth) {
  return finish(extrude(outline(points, r), depth, 0.12 * depth));
}

/** a disc with round holes, so that one sees it turn */
export function disc(radius, length) {
  const shape = new THREE.Shape();
  shape.absarc(0, 0, radius, 0, 2 * Math.PI, false);
  for (let i = 0; i < 5; i++) {
    const angle = (2 * Math.PI * i) / 5;
    const hole = new THREE.Path();
    hole.absarc(0.6 * radius * Math.cos(angle), 0.6 * radius * Math.sin(angle), (i ? 0.17 : 0.24) * radius, 0, 2 * Math.PI, true);
    shape.holes.push(hole);
  }
  return finish(extrude(shape, length, Math.min(0.12 * length, 0.03 * radius)));
}

/** a rubber tyre around the z axis */
export function tyre(radius, width) {
  const r = radius;
  const half = width / 2;
  const inner = 0.68 * r;
  const shoulder = Math.min(0.12 * r, 0.4 * half);
  const points = [[inner, -0.8 * half], [r - shoulder, -half], [r, -half + shoulder], [r, half - shoulder], [r - shoulder, half], [inner, 0.8 * half], [inner, -0.8 * half]];
  const g = new THREE.LatheGeometry(points.map((p) => new THREE.Vector2(p[0], p[1])), 56);
  return finish(creased(g));
}

/** a shaft with a stripe along it */
export function shaft(radius, length) {
  const g = pin(radius, length, 0.07);
  return finish(g, (x, y) => (Math.abs(Math.atan2(y, x)) < 0.3 && Math.hypot(x, y) > 0.3 * radius ? 0.6 : 1));
}

/** support of a pin on the ground, tip at the origin, standing on -y; w: half width of a bar */
export function support(w, depth) {
  const shape = new THREE.Shape();
  const r = 1.5 * w;
  const foot = 2.6 * w;
  const height = 3.6 * w;
  // tangents from the foot to the circle about the pin
  const angle = Math.atan2(height, foot) + Math.asin(r / Math.hypot(foot, height));
  const touch = angle - Math.PI / 2;
  shape.moveTo(-foot, -height);
  shape.lineTo(foot, -height);
  shape.absarc(0, 0, r, touch - Math.PI / 2 + Math.PI / 2, Math.PI - touch, false);
  shape.closePath();
  const parts = [extrude(shape, depth, 0.06 * depth)];
  parts.push(new THREE.BoxGeometry(7.4 * w, 0.5 * w, depth).translate(0, -height - 0.25 * w, 0));
  for (let i = 0; i < 6; i++) {
    const hatch = new THREE.BoxGeometry(0.24 * w, 1.5 * w, 0.5 * depth);
    hatch.rotateZ(-Math.PI / 4).translate((i - 2.5) * 1.22 * w - 0.2 * w, -height - 0.98 * w, 0);
    parts.push(hatch);
  }
  return finish(merged(parts));
}

/** a rail along z from low to high, with a foot at each end */
export function rail(w, low, high, feet) {
  const length = high - low;
  /** @type {THREE.BufferGeometry[]} */
  const parts = [new THREE.CylinderGeometry(0.42 * w, 0.42 * w, length, 20).rotateX(Math.PI / 2).translate(0, 0, (low + high) / 2)];
  if (feet)
    for (const z of [low, high]) parts.push(new RoundedBoxGeometry(2.2 * w, 2.2 * w, 0.7 * w, 2, 0.15 * w).translate(0, 0, z));
  return finish(merged(parts));
}

/** housing of a bearing on the ground, about the z axis */
export function bearing(w) {
  const shape = new THREE.Shape();
  const s = 1.9 * w;
  shape.absarc(0, 0, s, 0, 2 * Math.PI, false);
  const hole = new THREE.Path();
  hole.absarc(0, 0, 0.95 * w, 0, 2 * Math.PI, true);
  shape.holes.push(hole);
  return finish(extrude(shape, 1.5 * w, 0.15 * w));
}

/** cross of a universal joint: one arm along z */
export function arm(w) {
  return pin(0.42 * w, 3.4 * w);
}

class Helix extends THREE.Curve {
  /** straight: part of the length that leads to the axis */
  constructor(turns, straight, length) {
    super();
    this.length = length;
    this.turns = turns;
    this.straight = straight;
  }
  getPoint(u, out = new THREE.Vector3()) {
    const { straight } = this;
    const v = Math.min(1, Math.max(0, (u - straight) / (1 - 2 * straight)));
    const angle = 2 * Math.PI * this.turns * v;
    const r = u < straight ? u / straight : u > 1 - straight ? (1 - u) / straight : 1;
    return out.set(r * Math.cos(angle), r * Math.sin(angle), u * this.length);
  }
}

/** a coil from z = 0 to 1 of unit radius, with round wire when it is `length` radii long */
export function coil(turns, length, wire) {
  const helix = new Helix(turns, 0.08, length);
  return finish(new THREE.TubeGeometry(/** @type {any} */ (helix), turns * 22 + 24, wire, 8, false).scale(1, 1, 1 / length));
}

/** from z = 0 to 1 */
export function unitRod(segments = 14) {
  return finish(new THREE.CylinderGeometry(1, 1, 1, segments).rotateX(Math.PI / 2).translate(0, 0, 0.5));
}

export function unitCone() {
  return finish(new THREE.ConeGeometry(1, 1, 20).rotateX(Math.PI / 2).translate(0, 0, 0.5));
}

/** outline of a wheel with n teeth, one of them at the angle `phase` */
function toothed(path, n, phase, outer, inner) {
  const pitch = (2 * Math.PI) / n;
  for (let k = 0; k < n; k++)
    for (const [part, radius] of [[-0.36, inner], [-0.2, (inner + outer) / 2 + 0.15 * (outer - inner)], [-0.12, outer], [0.12, outer], [0.2, (inner + outer) / 2 + 0.15 * (outer - inner)], [0.36, inner]]) {
      const angle = phase + (k + part) * pitch;
      const [x, y] = [radius * Math.cos(angle), radius * Math.sin(angle)];
      if (k === 0 && part === -0.36) path.moveTo(x, y);
      else path.lineTo(x, y);
    }
  path.closePath();
  return path;
}

/** a spur gear about z; teeth of the height its module gives */
export function gear(r, n, depth, phase) {
  const module = (2 * r) / n;
  const shape = toothed(new THREE.Shape(), n, phase, r + 0.9 * module, r - 1.1 * module);
  for (let i = 0; i < 5; i++) {
    const angle = phase + (2 * Math.PI * i) / 5;
    const hole = new THREE.Path();
    hole.absarc(0.55 * r * Math.cos(angle), 0.55 * r * Math.sin(angle), (i ? 0.15 : 0.22) * r, 0, 2 * Math.PI, true);
    shape.holes.push(hole);
  }
  return finish(extrude(shape, depth, Math.min(0.06 * depth, 0.1 * module)));
}

/** a ring with teeth inside */
export function ringGear(r, n, depth, phase) {
  const module = (2 * r) / n;
  const shape = new THREE.Shape();
  shape.absarc(0, 0, r + 3.5 * module, 0, 2 * Math.PI, false);
  shape.holes.push(toothed(new THREE.Path(), n, phase, r - 0.9 * module, r + 1.1 * module));
  return finish(extrude(shape, depth, 0.05 * depth));
}

/** a tube about z, open at both ends */
export function tube(radius, length) {
  return finish(new THREE.CylinderGeometry(radius, radius, length, round, 1, true).rotateX(Math.PI / 2));
}

/** a ring about z around a shaft */
export function collar(inner, w) {
  const shape = new THREE.Shape();
  shape.absarc(0, 0, inner + 0.9 * w, 0, 2 * Math.PI, false);
  const hole = new THREE.Path();
  hole.absarc(0, 0, inner, 0, 2 * Math.PI, true);
  shape.holes.push(hole);
  return finish(extrude(shape, 1.5 * w, 0.15 * w));
}

/** part of a thin ring of unit radius about z, from the x axis on */
export function arc(angle) {
  return finish(new THREE.TorusGeometry(1, 0.07, 6, 40, angle));
}

/** sharp where faces meet at an angle, round where they nearly do not; sizes differ, so mark keys by all of them */
function faceted(geometry) {
  geometry.deleteAttribute("uv");
  geometry.deleteAttribute("normal");
  return finish(toCreasedNormals(geometry, 0.6));
}

/** what a profile of [distance, height] pairs sweeps about z; counter-clockwise, or turned to be so */
function turned(pairs, closed) {
  const area = pairs.reduce((sum, p, i) => sum + p[0] * pairs[(i + 1) % pairs.length][1] - pairs[(i + 1) % pairs.length][0] * p[1], 0);
  const list = area < 0 ? [...pairs].reverse() : pairs;
  const points = (closed ? [...list, list[0]] : list).map((p) => new THREE.Vector2(p[0], p[1]));
  return faceted(new THREE.LatheGeometry(points, round).rotateX(Math.PI / 2));
}

const pairsOf = (numbers) => Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i], numbers[2 * i + 1]]);

function areaOf(s) {
  const shape = new THREE.Shape(pairsOf(s.outline).map((p) => new THREE.Vector2(...p)));
  for (const hole of s.holes) shape.holes.push(new THREE.Path(pairsOf(hole).map((p) => new THREE.Vector2(...p))));
  return new THREE.ExtrudeGeometry(shape, { depth: s.length, bevelEnabled: false, curveSegments: 1 }).translate(0, 0, -s.length / 2);
}

/** a surface of triangles; an odd number of negative factors would turn it inside out */
function surface(mesh, scale) {
  const g = new THREE.BufferGeometry();
  const flip = scale[0] * scale[1] * scale[2] < 0;
  const t = mesh.triangles ?? [];
  g.setAttribute("position", new THREE.BufferAttribute(new Float32Array(mesh.corners ?? []), 3));
  g.setIndex(flip ? t.map((_, i) => t[i % 3 ? (i % 3 === 1 ? i + 1 : i - 1) : i]) : [...t]);
  g.scale(scale[0], scale[1], scale[2]);
  g.computeVertexNormals();
  return faceted(g);
}

/** one of the shapes of a body, about its own origin, along z */
export function solid(s, meshes) {
  const half = (s.length ?? 0) / 2;
  if (s.kind === "box") return finish(new THREE.BoxGeometry(...s.size));
  if (s.kind === "sphere") return ball(s.radius, true);
  if (s.kind === "tube") return turned([[s.inner, -half], [s.radius, -half], [s.radius, half], [s.inner, half]], true);
  if (s.kind === "capsule") return capsule(s.radius, s.length);
  if (s.kind === "cone") return turned([[0, -half], [s.radius, -half], [s.end, half], ...(s.end > 0 ? [[0, half]] : [])], false);
  if (s.kind === "extrusion") return faceted(areaOf(s));
  if (s.kind === "revolution") return turned(pairsOf(s.outline), true);
  if (s.kind === "mesh") return surface(meshes[s.mesh], s.scale);
  return cylinder(s.radius, s.length);
}
