// stage.js: renderer, camera, light, the floor or wall behind the mechanism.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { nice } from "./format.js";
import { hidden } from "./measure.js";

const fieldOfView = 28;

export class Stage {
  constructor(canvas, size, theme, heavy) {
    this.canvas = canvas;
    this.size = size;
    this.theme = theme;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer.shadowMap.enabled = !heavy;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.toneMapping = THREE.NoToneMapping;
    this.pixelRatio = Math.min(devicePixelRatio || 1, heavy ? 1.5 : 2);
    this.scene = new THREE.Scene();
    this.perspective = new THREE.PerspectiveCamera(fieldOfView, 1, 0.01 * size.radius, 200 * size.radius);
    this.orthographic = new THREE.OrthographicCamera(-1, 1, 1, -1, 0.01 * size.radius, 200 * size.radius);
    for (const camera of [this.perspective, this.orthographic]) camera.up.copy(size.up);
    // a drawing in the plane has no vanishing points
    this.camera = size.planar ? this.orthographic : this.perspective;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.minDistance = 0.02 * size.radius;
    this.controls.maxDistance = 60 * size.radius;
    this.controls.minZoom = 0.02;
    this.controls.maxZoom = 60;
    this.addLight();
    this.addBackdrop();
    this.home();
    this.dirty = true;
    this.controls.addEventListener("change", () => (this.dirty = true));
  }

  /** another extent of what is shown; the camera stays */
  setSize(size) {
    const before = this.size;
    this.size = size;
    this.placeBackdrop();
    const same = size.planar === before.planar && Math.abs(Math.log(size.radius / this.lit)) < 0.2 && size.up.dot(before.up) > 0.999;
    if (same) return;
    for (const camera of [this.perspective, this.orthographic]) {
      camera.up.copy(size.up);
      camera.near = 0.01 * size.radius;
      camera.far = 200 * size.radius;
      camera.updateProjectionMatrix();
    }
    // the controls keep what was up when they were made
    /** @type {any} */ (this.controls)._quat.setFromUnitVectors(size.up, new THREE.Vector3(0, 1, 0));
    /** @type {any} */ (this.controls)._quatInverse.copy(/** @type {any} */ (this.controls)._quat).invert();
    this.controls.minDistance = 0.02 * size.radius;
    this.controls.maxDistance = 60 * size.radius;
    this.scene.remove(this.sky, this.sun, this.sun.target, this.fill, this.fill.target);
    this.sun.dispose();
    this.addLight();
    // grown or shrunk, in small steps perhaps, until the view does not fit any more
    if (Math.abs(Math.log(size.radius / this.fitted)) > 0.5 || size.planar !== before.planar) this.home();
  }

  addLight() {
    const { radius, centre, up } = this.size;
    this.lit = radius;
    this.sky = new THREE.HemisphereLight(0xffffff, 0x8896a6, 1.7);
    this.sky.position.copy(up);
    this.sun = new THREE.DirectionalLight(0xffffff, 1.9);
    this.fill = new THREE.DirectionalLight(0xdfeaff, 0.5);
    const facing = this.facing();
    const side = new THREE.Vector3().crossVectors(up, facing).normalize();
    this.sun.position.copy(centre).addScaledVector(up, 2.2 * radius).addScaledVector(side, -1.1 * radius).addScaledVector(facing, this.size.planar ? 2.6 * radius : 1.6 * radius);
    this.sun.target.position.copy(centre);
    this.fill.position.copy(centre).addScaledVector(side, 3 * radius).addScaledVector(facing, 2 * radius);
    this.fill.target.position.copy(centre);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.intensity = 0.55;
    this.sun.shadow.normalBias = 0.004 * radius;
    this.sun.shadow.bias = -0.0004;
    const c = this.sun.shadow.camera;
    c.left = c.bottom = -1.5 * radius;
    c.right = c.top = 1.5 * radius;
    c.near = 0.1 * radius;
    c.far = 8 * radius;
    this.scene.add(this.sky, this.sun, this.sun.target, this.fill, this.fill.target);
  }

  /** the direction one looks from by default, level */
  facing() {
    const { facing, up } = this.size;
    if (facing) return facing.clone();
    const v = Math.abs(up.z) > 0.7 ? new THREE.Vector3(0.72, -1, 0) : Math.abs(up.y) > 0.7 ? new THREE.Vector3(0.75, 0, 1) : new THREE.Vector3(0, 0.7, 1);
    v.addScaledVector(up, -v.dot(up)).normalize();
    // not from where a large body hides the others; the first of equals is the usual one
    const turned = [0, 1, 7, 2, 6, 3, 5, 4].map((k) => v.clone().applyAxisAngle(up, (k * Math.PI) / 4));
    const score = (d) => hidden(this.size, d.clone().addScaledVector(up, 0.5).normalize());
    return turned.reduce((a, b) => (score(b) < score(a) - 0.5 ? b : a));
  }

  /** floor below a mechanism in space, wall behind a planar one, with a grid of round spacing */
  addBackdrop() {
    const uniforms = {
      spacing: { value: 1 },
      reach: { value: 1 },
      thin: { value: new THREE.Color() },
      thick: { value: new THREE.Color() },
      strength: { value: 1 },
    };
    this.grid = new THREE.Mesh(undefined, new THREE.ShaderMaterial({ uniforms, vertexShader, fragmentShader, transparent: true, depthWrite: false, side: THREE.DoubleSide }));
    this.shade = new THREE.Mesh(undefined, new THREE.ShadowMaterial({ opacity: 0.3 }));
    this.shade.receiveShadow = true;
    this.backdrop = new THREE.Group();
    this.backdrop.add(this.grid, this.shade);
    this.grid.renderOrder = -2;
    this.shade.renderOrder = -1;
    this.placeBackdrop();
    this.scene.add(this.backdrop);
  }

  placeBackdrop() {
    const { size } = this;
    const normal = size.planar ? new THREE.Vector3(0, 0, 1) : size.up;
    const extent = 14 * size.radius;
    this.spacing = nice(size.radius / 3.2);
    this.grid.material.uniforms.spacing.value = this.spacing;
    this.grid.material.uniforms.reach.value = 5.5 * size.radius;
    for (const mesh of [this.grid, this.shade]) {
      mesh.geometry.dispose();
      mesh.geometry = new THREE.PlaneGeometry(extent, extent);
    }
    // the grid's lines pass through multiples of the spacing
    const q = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
    this.backdrop.quaternion.copy(q);
    const local = size.centre.clone().applyQuaternion(q.clone().invert());
    local.x = Math.round(local.x / this.spacing) * this.spacing;
    local.y = Math.round(local.y / this.spacing) * this.spacing;
    local.z = this.backdropHeight(normal, q);
    this.backdrop.position.copy(local.applyQuaternion(q));
  }

  backdropHeight(normal, q) {
    const { size } = this;
    if (size.planar) return -5.5 * size.width;
    if (size.plane) return size.plane.point.clone().applyQuaternion(q.clone().invert()).z;
    let low = Infinity;
    for (const x of [size.box.min.x, size.box.max.x])
      for (const y of [size.box.min.y, size.box.max.y])
        for (const z of [size.box.min.z, size.box.max.z]) low = Math.min(low, new THREE.Vector3(x, y, z).dot(normal));
    return low - 2.5 * size.width - 0.02 * size.radius;
  }

  paint() {
    const c = this.theme.colors;
    this.grid.material.uniforms.thin.value.set(c.grid);
    this.grid.material.uniforms.thick.value.set(c.gridMajor);
    this.scene.background = gradient(c.sky, c.horizon);
    this.sky.intensity = this.theme.dark ? 1.35 : 1.75;
    this.sky.groundColor.set(this.theme.dark ? 0x3a4552 : 0x9aa7b5);
    this.sun.intensity = this.theme.dark ? 1.7 : 1.9;
    this.shade.material.opacity = this.theme.dark ? 0.55 : 0.26;
    this.dirty = true;
  }

  /** the view everything fits into */
  home() {
    this.fitted = this.size.radius;
    const direction = this.facing();
    const { up } = this.size;
    const side = new THREE.Vector3().crossVectors(up, direction).normalize();
    if (this.size.planar && this.flat) direction.normalize();
    else if (this.size.planar) direction.addScaledVector(up, 0.1).addScaledVector(side, 0.12);
    else if (this.size.facing) direction.addScaledVector(up, 0.22).addScaledVector(side, 0.2);
    else direction.addScaledVector(up, 0.5);
    this.homeDirection = direction.normalize();
    this.look(direction);
  }

  get flat() {
    return this.camera === this.orthographic;
  }

  /** parallel or central projection, from the same side and at the same size */
  project(flat) {
    if (flat === this.flat) return;
    const from = this.camera;
    const offset = from.position.clone().sub(this.controls.target);
    const tangent = Math.tan((fieldOfView * Math.PI) / 360);
    const half = this.flat ? this.orthographic.top / this.orthographic.zoom : offset.length() * tangent;
    this.camera = flat ? this.orthographic : this.perspective;
    this.controls.object = this.camera;
    if (!flat) offset.setLength(half / tangent);
    this.camera.position.copy(this.controls.target).add(offset);
    if (flat) this.frame(half);
    this.controls.update();
    this.dirty = true;
  }

  /** half the height that the parallel projection shows */
  frame(half) {
    const c = this.orthographic;
    this.half = half;
    c.zoom = 1;
    c.top = half;
    c.bottom = -half;
    c.right = half * (this.perspective.aspect || 1);
    c.left = -c.right;
    c.updateProjectionMatrix();
  }

  /** looks from a direction at the whole motion: as near as everything is inside the picture */
  look(direction) {
    this.lookAt(direction, this.size.points);
  }

  /** the same at some of its points: [x, y, z, reach] */
  lookAt(direction, points) {
    const { up, width } = this.size;
    const view = direction.clone().normalize();
    let across = new THREE.Vector3().crossVectors(up, view);
    if (across.lengthSq() < 1e-6) across = new THREE.Vector3(1, 0, 0).cross(view);
    across.normalize();
    const above = new THREE.Vector3().crossVectors(view, across);
    const tangent = Math.tan((fieldOfView * Math.PI) / 360);
    // some room at the sides, more above and below, where buttons lie over the picture
    const slope = [tangent * this.perspective.aspect * 0.9, tangent * 0.78];
    const p = new THREE.Vector3();
    const placed = points.map(([x, y, z, r]) => {
      p.set(x, y, z);
      return [p.dot(across), p.dot(above), p.dot(view), r + 3 * width];
    });
    if (this.flat) return this.lookFlat(view, across, above, placed);
    let distance = 0;
    const middle = [0, 0];
    // the middle and the distance depend on each other: a few rounds settle them
    for (let round = 0; round < 6; round++) {
      for (let k = 0; k < 2; k++) {
        const far = round ? distance : 4 * this.size.radius + this.size.centre.dot(view);
        const angle = (q, sign) => (q[k] + sign * q[3]) / Math.max(1e-9, far - q[2]);
        let low = Infinity;
        let high = -Infinity;
        for (const q of placed) {
          low = Math.min(low, angle(q, -1));
          high = Math.max(high, angle(q, 1));
        }
        middle[k] = ((low + high) / 2) * (far - this.size.centre.dot(view));
      }
      distance = -Infinity;
      for (const q of placed)
        for (let k = 0; k < 2; k++) distance = Math.max(distance, q[2] + (Math.abs(q[k] - middle[k]) + q[3]) / slope[k]);
    }
    const depth = this.size.centre.dot(view);
    const target = view.clone().multiplyScalar(depth).addScaledVector(across, middle[0]).addScaledVector(above, middle[1]);
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(view, Math.max(distance - depth, 0.2 * this.size.radius));
    this.controls.update();
    this.dirty = true;
    return undefined;
  }

  /** the same without perspective: [across, above, towards, reach] of the points */
  lookFlat(view, across, above, placed) {
    const middle = [0, 0];
    const half = [0, 0];
    for (let k = 0; k < 2; k++) {
      const low = placed.reduce((m, q) => Math.min(m, q[k] - q[3]), Infinity);
      const high = placed.reduce((m, q) => Math.max(m, q[k] + q[3]), -Infinity);
      middle[k] = (low + high) / 2;
      half[k] = (high - low) / 2;
    }
    const target = view.clone().multiplyScalar(this.size.centre.dot(view)).addScaledVector(across, middle[0]).addScaledVector(above, middle[1]);
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(view, 8 * this.size.radius);
    this.frame(Math.max(half[0] / (0.9 * (this.perspective.aspect || 1)), half[1] / 0.78, 0.02 * this.size.radius));
    this.controls.update();
    this.dirty = true;
  }

  /** camera and target, and half the height of a parallel projection (0: perspective) */
  goTo([x, y, z, tx, ty, tz, half]) {
    this.project(half > 0);
    this.controls.target.set(tx, ty, tz);
    this.camera.position.set(x, y, z);
    if (half > 0) this.frame(half);
    this.controls.update();
    this.dirty = true;
  }

  /** cuts away what lies beyond a plane across an axis, at a part of the extent; axis -1: nothing */
  section(axis, part) {
    this.cut = axis < 0 ? null : { axis, part };
    if (axis < 0) this.renderer.clippingPlanes = [];
    else {
      const { box } = this.size;
      const at = box.min.getComponent(axis) + part * (box.max.getComponent(axis) - box.min.getComponent(axis));
      this.renderer.clippingPlanes = [new THREE.Plane(new THREE.Vector3().setComponent(axis, -1), at)];
    }
    this.dirty = true;
  }

  /** moves camera and target together */
  shift(offset) {
    this.camera.position.add(offset);
    this.controls.target.add(offset);
    this.dirty = true;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height || (width === this.width && height === this.height)) return false;
    const first = !this.width;
    this.width = width;
    this.height = height;
    this.renderer.setPixelRatio(this.pixelRatio);
    this.renderer.setSize(width, height, false);
    this.perspective.aspect = width / height;
    this.perspective.updateProjectionMatrix();
    const { zoom } = this.orthographic;
    this.frame(this.half || this.size.radius);
    this.orthographic.zoom = zoom;
    this.orthographic.updateProjectionMatrix();
    if (first) this.home();
    this.dirty = true;
    return true;
  }

  render() {
    this.renderer.render(this.scene, this.camera);
    this.dirty = false;
  }
}

/** background from top to bottom */
function gradient(top, bottom) {
  const canvas = document.createElement("canvas");
  canvas.width = 2;
  canvas.height = 256;
  const context = canvas.getContext("2d");
  const fill = context.createLinearGradient(0, 0, 0, 256);
  fill.addColorStop(0, top);
  fill.addColorStop(1, bottom);
  context.fillStyle = fill;
  context.fillRect(0, 0, 2, 256);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

const vertexShader = `
varying vec2 place;
void main() {
  place = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// lines one pixel wide at any distance, fading out towards the edge
const fragmentShader = `
uniform float spacing, reach, strength;
uniform vec3 thin, thick;
varying vec2 place;
float line(vec2 p, float s) {
  vec2 q = p / s;
  vec2 width = fwidth(q);
  vec2 d = abs(fract(q - 0.5) - 0.5) / max(width, vec2(1e-6));
  vec2 fade = 1.0 - smoothstep(0.25, 0.6, width);
  vec2 on = (1.0 - clamp(d - 0.1, 0.0, 1.0)) * fade;
  return max(on.x, on.y);
}
void main() {
  float far = 1.0 - smoothstep(0.25 * reach, reach, length(place));
  float small = line(place, spacing);
  float large = line(place, 5.0 * spacing);
  float a = max(0.55 * small, 0.9 * large) * far * strength;
  if (a < 0.004) discard;
  gl_FragColor = vec4(mix(thin, thick, large), a);
  #include <colorspace_fragment>
}`;
