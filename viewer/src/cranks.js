// cranks.js: shafts with crank pins: webs and pins where rods are, and no shaft in their way.
import * as THREE from "three";
import { along, mountAxis, parallel, vector } from "./mounts.js";
import * as shapes from "./shapes.js";

const turning = new Set(["revolute", "cylindrical"]);

/** joints of a cylinder that lie beside its axis and turn about a parallel one: {z, offset, end} */
export function throwsOf(body, ends) {
  const s = body.shape;
  if (s?.kind !== "cylinder" || s.length < 1.2 * s.radius) return [];
  const axis = vector(s.axis).normalize();
  const list = [];
  for (const { joint, end } of ends) {
    if (!turning.has(joint.type) || !parallel(axis, mountAxis(end))) continue;
    const local = vector(end.at).sub(vector(body.com));
    const z = local.dot(axis);
    const offset = local.addScaledVector(axis, -z);
    if (offset.length() > 0.9 * s.radius && Math.abs(z) < 0.52 * s.length) list.push({ z, offset, end });
  }
  return list.sort((a, b) => a.z - b.z);
}

/** the pieces of a crankshaft: shaft between the throws, two webs and a pin at each */
export function addCrankshaft(parts, i, body, crank) {
  const s = body.shape;
  const at = vector(body.com);
  const axis = vector(s.axis).normalize();
  const place = (z) => along(at.clone().addScaledVector(axis, z), axis);
  const inverse = place(0).invert();
  let gap = 1.7 * parts.w;
  for (let k = 1; k < crank.length; k++) {
    const apart = crank[k].z - crank[k - 1].z;
    if (apart > 1e-6 * s.length) gap = Math.min(gap, 0.36 * apart);
  }
  const web = 0.35 * gap;
  let from = -s.length / 2;
  const piece = (low, high) => {
    if (high - low < 0.02 * s.length) return;
    const length = high - low;
    parts.add(i, `shaft ${s.radius} ${length.toPrecision(5)}`, () => shapes.shaft(s.radius, length), place((low + high) / 2), i);
  };
  for (const { z, offset } of crank) {
    piece(from, z - gap - web);
    from = Math.max(from, z + gap + web);
    const pin = offset.clone().add(at).applyMatrix4(inverse);
    const r = Math.min(0.8 * s.radius, 0.6 * pin.length());
    const key = [pin.x, pin.y].map((x) => x.toPrecision(4)).join(" ");
    for (const side of [-1, 1])
      parts.add(i, `web ${key} ${Math.max(r, s.radius)} ${web}`, () => shapes.plate([[0, 0], [pin.x, pin.y]], 1.15 * Math.max(r, s.radius), 2 * web),
        place(z + side * (gap + web / 2)), i);
    const middle = place(z).multiply(new THREE.Matrix4().makeTranslation(pin.x, pin.y, 0));
    parts.add(i, `crank pin ${r} ${gap}`, () => shapes.pin(r, 2 * gap, 0.05), middle, "metal");
  }
  piece(from, s.length / 2);
}
