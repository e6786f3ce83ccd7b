// viewer.js: the picture as a whole: mechanism, ghosts of other runs, arrows, paths, names.
import * as THREE from "three";
import { Beams } from "./beams.js";
import { Arrows, Flexible } from "./flexible.js";
import { Floor } from "./floor.js";
import { element } from "./format.js";
import { measure } from "./measure.js";
import { Mechanism } from "./mechanism.js";
import { Parts } from "./parts.js";
import { Road } from "./road.js";
import { Spine } from "./spine.js";
import { Stage } from "./stage.js";
import { Traces } from "./traces.js";

export class Viewer {
  constructor(canvas, report, player, theme) {
    this.report = report;
    this.player = player;
    this.theme = theme;
    const { model } = report;
    const { frames } = report.runs[0];
    this.frames = frames;
    this.size = measure(model, frames);
    const heavy = model.bodies.length > 600;
    this.stage = new Stage(canvas, this.size, theme, heavy);
    this.parts = new Parts(model, frames, this.size);
    this.mechanism = new Mechanism(this.parts, model.bodies.length, theme);
    this.flexible = new Flexible(model, frames, this.parts, theme);
    this.beams = new Beams(model, frames, this.parts, theme);
    this.arrows = new Arrows(model, frames, this.parts, theme);
    this.traces = new Traces(model, frames, theme, this.size, this.parts);
    this.road = new Road(model, frames, this.parts, theme);
    this.floor = new Floor(model, this.parts, theme);
    this.spine = new Spine(model, this.size, theme);
    this.ghosts = report.runs.slice(1).map((run) => ({ run, mechanism: new Mechanism(this.parts, model.bodies.length, theme, { ghost: run.index }) }));
    const { scene } = this.stage;
    scene.add(this.mechanism.group, this.flexible.group, this.beams.group, this.arrows.group, this.traces.group, this.road.group, this.floor.group, this.spine.group);
    for (const g of this.ghosts) scene.add(g.mechanism.group);
    this.shown = { bodies: true, joints: true, axes: !heavy && !this.size.planar, reaction: false, applied: false, traces: true, ghosts: true, names: false, grid: true };
    this.arrows.show("reaction", false);
    this.arrows.show("applied", false);
    this.mechanism.show("axes", this.shown.axes);
    this.follow = -1;
    this.last = null;
    // what travels far is followed, or one would hardly see it
    if (this.size.radius > 5 * this.size.start.radius && this.size.link > this.size.radius / 60) this.follow = this.size.start.body;
    this.labels = document.getElementById("labels");
    this.paint();
    theme.listen(() => this.paint());
    player.listen(() => (this.moved = true));
    this.moved = true;
  }

  paint() {
    this.stage.paint();
    for (const part of [this.mechanism, this.flexible, this.beams, this.arrows, this.traces, this.road, this.floor, this.spine, ...this.ghosts.map((g) => g.mechanism)]) part.paint();
    this.stage.dirty = true;
  }

  /** shows or hides one kind of thing */
  show(kind, on) {
    this.shown[kind] = on;
    if (kind === "reaction" || kind === "applied") this.arrows.show(kind, on);
    else if (kind === "traces") this.traces.group.visible = on;
    else if (kind === "grid") this.stage.backdrop.visible = on;
    else if (kind === "names") this.listLabels();
    else if (kind !== "ghosts") {
      this.mechanism.show(kind, on);
      if (kind === "bodies") this.flexible.group.visible = this.beams.group.visible = on;
    }
    for (const g of this.ghosts) {
      g.mechanism.group.visible = this.shown.ghosts && !g.run.hidden;
      if (kind === "bodies" || kind === "joints") g.mechanism.show(kind, on);
    }
    this.moved = true;
  }

  setFollow(body) {
    this.follow = body;
    this.last = null;
    this.moved = true;
  }

  /** keeps the chosen body where it is in the picture */
  keepInView() {
    if (this.follow < 0 || !this.mechanism.visible[this.follow]) return;
    const now = this.mechanism.point(this.follow, this.report.model.bodies[this.follow].com, new THREE.Vector3());
    if (this.last) this.stage.shift(now.clone().sub(this.last));
    else {
      const { x, y, z } = now;
      this.stage.lookAt(this.stage.homeDirection, [[x, y, z, 1.6 * Math.min(this.size.start.radius, this.size.radius)]]);
    }
    this.last = now;
  }

  /** moves everything to the instant of the player */
  pose() {
    const t = this.player.time;
    this.frames.seek(t);
    this.mechanism.update(this.frames);
    this.flexible.update(this.mechanism);
    this.beams.update(this.mechanism, this.frames);
    this.arrows.update(this.mechanism, this.frames);
    this.traces.update(this.frames);
    this.road.update(this.mechanism, this.frames);
    this.floor.update(this.mechanism);
    this.spine.update(this.mechanism);
    for (const { run, mechanism } of this.ghosts) {
      if (!mechanism.group.visible) continue;
      // a run that ended early stays where it ended
      run.frames.seek(Math.min(t, run.frames.end));
      mechanism.update(run.frames);
    }
    this.keepInView();
    this.moved = false;
    this.stage.dirty = true;
  }

  /** once for every picture of the screen; true when something was drawn */
  draw() {
    if (this.stage.resize()) for (const lines of [this.traces, this.spine]) lines.resize(this.stage.width, this.stage.height);
    this.stage.controls.update();
    if (this.moved) this.pose();
    if (!this.stage.dirty) return false;
    this.stage.render();
    this.placeLabels();
    return true;
  }

  // ---- names ---------------------------------------------------------------------------------

  listLabels() {
    this.labels.replaceChildren();
    this.named = [];
    if (!this.shown.names) return;
    const { model } = this.report;
    const add = (name, body, at, kind) => {
      const node = element("span", { class: kind }, name);
      this.labels.append(node);
      this.named.push({ node, body, at });
    };
    model.bodies.slice(0, 60).forEach((b, i) => add(b.name, i, b.com, "body"));
    for (const j of model.joints.slice(0, 60)) {
      const end = [j.b, j.a].find((e) => e && e.body >= 0);
      if (end) add(j.name, end.body, end.at, "joint");
    }
  }

  placeLabels() {
    if (!this.named?.length) return;
    const p = new THREE.Vector3();
    for (const { node, body, at } of this.named) {
      this.mechanism.point(body, at, p).project(this.stage.camera);
      const x = (0.5 + 0.5 * p.x) * this.stage.width;
      const y = (0.5 - 0.5 * p.y) * this.stage.height;
      node.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      node.hidden = p.z > 1 || !Number.isFinite(x);
    }
  }

  // ---- pointing ------------------------------------------------------------------------------

  /** the body or joint under a point of the page */
  pick(clientX, clientY) {
    const box = this.stage.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2), this.stage.camera);
    const hit = this.mechanism.pick(ray);
    if (!hit) return null;
    const body = hit.part.body;
    return { body, name: body < 0 ? "ground" : this.report.model.bodies[body].name };
  }

  /** position and quaternion (scalar first) of a body, read back from what is drawn */
  bodyPose(name) {
    const i = this.report.model.bodies.findIndex((b) => b.name === name);
    if (i < 0) return null;
    const position = new THREE.Vector3();
    const rotation = new THREE.Quaternion();
    const mesh = this.mechanism.meshes.find((m) => m.userData.parts.some((p) => p.body === i && !p.rider));
    const k = mesh?.userData.parts.findIndex((p) => p.body === i && !p.rider) ?? -1;
    const drawn = new THREE.Matrix4();
    if (mesh) {
      // undo where the piece sits on its body: what remains is the body itself
      mesh.getMatrixAt(k, drawn);
      drawn.multiply(mesh.userData.parts[k].matrix.clone().invert());
    } else drawn.copy(this.mechanism.matrices[i]);
    drawn.decompose(position, rotation, new THREE.Vector3());
    return { position: position.toArray(), orientation: [rotation.w, rotation.x, rotation.y, rotation.z] };
  }
}
