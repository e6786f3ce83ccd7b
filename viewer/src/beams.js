// beams.js: beams as tubes through their nodes, coloured by the moment in their sections.
import * as THREE from "three";

const PIECES = 6; // between two nodes
const SIDES = 12;

/** outline of a section in its y and z, SIDES points */
function outline(beam, part, least) {
  const at = (key) => (beam.profile?.[key] ?? 0) * (1 - part) + (beam.profile_end?.[key] ?? beam.profile?.[key] ?? 0) * part;
  const [width, height, radius] = [at("width"), at("height"), at("radius")];
  const points = [];
  for (let k = 0; k < SIDES; k++) {
    const angle = (2 * Math.PI * (k + 0.5)) / SIDES;
    let y = Math.cos(angle);
    let z = Math.sin(angle);
    if (width > 0 && height > 0) {
      const reach = Math.max(Math.abs(y), Math.abs(z)); // onto the sides of a square
      y *= Math.max(width / 2, least) / reach;
      z *= Math.max(height / 2, least) / reach;
    } else {
      const r = Math.max(radius, least);
      y *= r;
      z *= r;
    }
    points.push([y, z]);
  }
  return points;
}

class Beam {
  constructor(beam, frames, parts, material) {
    this.first = beam.first;
    this.elements = beam.elements;
    this.planar = parts.size.planar;
    this.parts = parts;
    this.tracks = [];
    for (let k = 0; k < beam.elements; k++) this.tracks.push(frames.tracks.find((t) => t.force === beam.force + k));
    const rings = beam.elements * PIECES + 1;
    this.outlines = [];
    // one whose section is known by its stiffness alone is to be seen all the same
    const least = (beam.profile ? 0.25 : 0.5) * parts.w;
    for (let i = 0; i < rings; i++) this.outlines.push(outline(beam, i / (rings - 1), least));
    this.positions = new Float32Array(3 * rings * SIDES);
    this.colors = new Float32Array(3 * rings * SIDES);
    const index = [];
    for (let i = 0; i + 1 < rings; i++)
      for (let k = 0; k < SIDES; k++) {
        const [a, b] = [i * SIDES + k, i * SIDES + ((k + 1) % SIDES)];
        index.push(a, b, a + SIDES, b, b + SIDES, a + SIDES);
      }
    for (let k = 1; k + 1 < SIDES; k++) {
      const end = (rings - 1) * SIDES;
      index.push(0, k + 1, k, end, end + k, end + k + 1);
    }
    this.geometry = new THREE.BufferGeometry();
    this.geometry.setAttribute("position", new THREE.BufferAttribute(this.positions, 3));
    this.geometry.setAttribute("color", new THREE.BufferAttribute(this.colors, 3));
    this.geometry.setIndex(index);
    this.mesh = new THREE.Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
  }

  /** moment in an element */
  moment(k, frames, numbers) {
    const track = this.tracks[k];
    if (!track) return 0;
    frames.track(track, numbers);
    return Math.hypot(...Array.from(numbers).slice(0, track.size));
  }

  update(mechanism, frames, most, cold, hot) {
    const p = [new THREE.Vector3(), new THREE.Vector3()];
    const q = [new THREE.Quaternion(), new THREE.Quaternion()];
    const [at, across, scale, color, turn] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(), new THREE.Color(), new THREE.Quaternion()];
    const tangent = [new THREE.Vector3(), new THREE.Vector3()];
    const numbers = new Float64Array(6);
    const height = this.planar ? Math.max(this.parts.level(this.first), 0) : 0;
    for (let e = 0; e < this.elements; e++) {
      for (let k = 0; k < 2; k++) {
        mechanism.matrices[this.first + e + k].decompose(p[k], q[k], scale);
        tangent[k].set(1, 0, 0).applyQuaternion(q[k]);
      }
      // as long as the handles of an arc of a circle that has these ends and directions
      const half = Math.sqrt(Math.max(0, 0.5 + 0.5 * tangent[0].dot(tangent[1])));
      const length = (p[0].distanceTo(p[1]) * 2) / (1 + half);
      const heat = most > 0 ? this.moment(e, frames, numbers) / most : 0;
      color.copy(cold).lerp(hot, Math.min(heat, 1));
      for (let i = 0; i <= PIECES; i++) {
        const u = i / PIECES;
        const v = 1 - u;
        // a cubic with the directions of both nodes
        at.set(0, 0, height)
          .addScaledVector(p[0], v * v * (1 + 2 * u))
          .addScaledVector(p[1], u * u * (1 + 2 * v))
          .addScaledVector(tangent[0], length * u * v * v)
          .addScaledVector(tangent[1], -length * u * u * v);
        turn.copy(q[0]).slerp(q[1], u);
        const ring = e * PIECES + i;
        this.outlines[ring].forEach(([y, z], k) => {
          across.set(0, y, z).applyQuaternion(turn).add(at);
          across.toArray(this.positions, 3 * (ring * SIDES + k));
          color.toArray(this.colors, 3 * (ring * SIDES + k));
        });
      }
    }
    for (const name of ["position", "color"]) this.geometry.attributes[name].needsUpdate = true;
    this.geometry.computeVertexNormals();
  }
}

/** All beams of a model. */
export class Beams {
  constructor(model, frames, parts, theme) {
    this.group = new THREE.Group();
    this.theme = theme;
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.45, metalness: 0.15, vertexColors: true });
    this.list = (model.beams ?? []).map((beam) => new Beam(beam, frames, parts, this.material));
    for (const beam of this.list) this.group.add(beam.mesh);
    this.cold = new THREE.Color();
    this.hot = new THREE.Color();
    this.most = 0;
    for (const beam of this.list)
      for (const track of beam.tracks)
        for (let i = 0; track && i < frames.count; i++) {
          let sum = 0;
          for (let k = 0; k < track.size; k++) sum += frames.values[i * frames.width + track.at + k] ** 2;
          this.most = Math.max(this.most, Math.sqrt(sum));
        }
    this.paint();
  }

  paint() {
    this.cold.set(this.theme.colors.body[0]);
    this.hot.set(this.theme.colors.reaction);
  }

  update(mechanism, frames) {
    for (const beam of this.list) beam.update(mechanism, frames, this.most, this.cold, this.hot);
  }
}
