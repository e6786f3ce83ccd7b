// viewer.js: the picture as a whole: mechanism, ghosts of other runs, arrows, paths, names.
import * as THREE from "three";
import { Arrows } from "./arrows.js";
import { Beams } from "./beams.js";
import { DeformedBodies } from "./deformed.js";
import { Flexible } from "./flexible.js";
import { Floor } from "./floor.js";
import { nice, plain } from "./format.js";
import { Labels } from "./labels.js";
import { measure } from "./measure.js";
import { Mechanism } from "./mechanism.js";
import { Parts } from "./parts.js";
import { Road } from "./road.js";
import { Surfaces } from "./surfaces.js";
import { Ruler } from "./ruler.js";
import { Spine } from "./spine.js";
import { Stage } from "./stage.js";
import { Traces } from "./traces.js";

export class Viewer {
  constructor(canvas, report, player, theme) {
    this.player = player;
    this.theme = theme;
    const heavy = report.model.bodies.length > 600;
    this.stage = new Stage(canvas, measure(report.model, report.runs[0].frames), theme, heavy);
    this.tool = ""; // what a click does: "ruler", "trail", or offer the quantities of a body
    this.garbage = []; // what was drawn before
    this.build(report, this.stage.size);
    this.shown = { bodies: true, joints: true, axes: !heavy && !this.size.planar, reaction: false, applied: false, traces: true, ghosts: true, names: false, grid: true, strobe: false };
    this.mechanism.show("axes", this.shown.axes);
    this.last = null;
    this.follow = this.followed();
    this.paint();
    theme.listen(() => this.paint());
    player.listen(() => (this.moved = true));
    this.moved = true;
  }

  /** the body that travels so far that one would hardly see it if it were not followed; -1: none */
  followed() {
    this.last = null;
    const { radius, start, link } = this.size;
    // a point has no size of its own that one could look at
    if (this.report.model.bodies[start.body]?.kind.endsWith("point")) return -1;
    return radius > 5 * start.radius && link > radius / 60 ? start.body : -1;
  }

  /** everything there is to see of a report */
  build(report, size) {
    const { theme } = this;
    const { model } = report;
    const { frames } = report.runs[0];
    this.report = report;
    this.frames = frames;
    this.size = size;
    this.parts = new Parts(model, frames, this.size, this.parts);
    this.mechanism = new Mechanism(this.parts, model.bodies.length, theme);
    this.flexible = new Flexible(model, frames, this.parts, theme);
    this.beams = new Beams(model, frames, this.parts, theme);
    this.deformed = new DeformedBodies(model, frames, theme);
    document.getElementById("labels").replaceChildren();
    this.labels = new Labels(document.getElementById("labels"));
    this.arrows = new Arrows(model, frames, this.parts, theme, this.labels);
    this.ruler = new Ruler(this.labels, theme, this.parts.w);
    this.strobe = [];
    this.named = [];
    this.traces = new Traces(model, frames, theme, this.size, this.parts);
    this.road = new Road(model, frames, this.parts, theme);
    this.surfaces = new Surfaces(model, this.parts, theme);
    this.floor = new Floor(model, this.parts, theme);
    this.spine = new Spine(model, this.size, theme);
    // alternatives are looked at one by one
    this.ghosts = (report.kind === "pick" ? [] : report.runs.slice(1)).map((run) => ({ run, mechanism: new Mechanism(this.parts, model.bodies.length, theme, { ghost: run.index }) }));
    this.groups = [this.mechanism.group, this.flexible.group, this.beams.group, this.deformed.group, this.arrows.group, this.traces.group, this.road.group, this.surfaces.group, this.floor.group, this.spine.group, this.ruler.group, ...this.ghosts.map((g) => g.mechanism.group)];
    this.stage.scene.add(...this.groups);
  }

  /** another run of perhaps another model, looked at from where the camera is; a machine that is not the one before (fresh) as by default */
  replace(report, fresh = false) {
    const old = [...this.groups, ...this.strobe.map((g) => g.group)];
    const paths = this.traces.list.map((t) => t.name);
    const { factor } = this.arrows;
    const size = measure(report.model, report.runs[0].frames);
    // bars stay as thick as they are while somebody changes a value little by little
    if (!fresh && Math.abs(Math.log(size.width / this.size.width)) < 0.3) size.width = this.size.width;
    this.stage.setSize(size);
    this.build(report, this.stage.size);
    this.stage.scene.remove(...old);
    // what is compiled for the old pieces serves the new ones, if it is there until they are drawn
    this.garbage.push(...old);
    this.arrows.factor = factor;
    if (!fresh) {
      for (const { name } of [...this.traces.list]) if (!paths.includes(name)) this.traces.toggle(name);
      for (const name of paths) if (!this.traces.has(name)) this.traces.toggle(name);
    }
    this.traces.resize(this.stage.width, this.stage.height);
    this.spine.resize(this.stage.width, this.stage.height);
    if (fresh) {
      this.follow = this.followed();
      this.shown.axes = report.model.bodies.length <= 600 && !this.size.planar;
      this.stage.project(!!this.size.planar);
      this.stage.home();
    }
    if (this.follow >= report.model.bodies.length) this.follow = -1;
    for (const [kind, on] of Object.entries(this.shown)) this.show(kind, on);
    this.paint();
  }

  forget() {
    const used = new Set(this.parts.geometries.values());
    for (const group of this.garbage)
      group.traverse((node) => {
        if (!used.has(node.geometry)) node.geometry?.dispose();
        if (node.isInstancedMesh) node.dispose();
        for (const material of [node.material ?? []].flat()) material.dispose();
      });
    this.garbage = [];
  }

  paint() {
    this.stage.paint();
    for (const part of [this.mechanism, this.flexible, this.beams, this.deformed, this.arrows, this.traces, this.road, this.surfaces, this.floor, this.spine, this.ruler, ...this.strobe, ...this.ghosts.map((g) => g.mechanism)]) part.paint();
    this.stage.dirty = true;
  }

  /** shows or hides one kind of thing */
  show(kind, on) {
    this.shown[kind] = on;
    if (kind === "reaction" || kind === "applied") this.arrows.show(kind, on);
    else if (kind === "traces") this.traces.group.visible = on;
    else if (kind === "grid") this.stage.backdrop.visible = on;
    else if (kind === "names") this.listLabels();
    else if (kind === "strobe") this.showStrobe(on);
    else if (kind !== "ghosts") {
      this.mechanism.show(kind, on);
      if (kind === "bodies") this.flexible.group.visible = this.beams.group.visible = this.deformed.group.visible = on;
    }
    for (const g of this.ghosts) {
      g.mechanism.group.visible = this.shown.ghosts && !g.run.hidden;
      if (kind === "bodies" || kind === "joints") g.mechanism.show(kind, on);
    }
    this.moved = true;
  }

  /** another run takes the place of the first */
  pick(run) {
    this.frames = run.frames;
    this.traces.setFrames(run.frames);
    this.traces.resize(this.stage.width, this.stage.height);
    for (const ghost of this.strobe) this.stage.scene.remove(ghost.group);
    this.strobe = [];
    if (this.shown.strobe) this.showStrobe(true);
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
    this.deformed.update(this.mechanism, this.frames);
    this.arrows.update(this.mechanism, this.frames);
    this.traces.update(this.frames);
    this.road.update(this.mechanism, this.frames);
    this.surfaces.update(this.mechanism);
    this.floor.update(this.mechanism);
    this.spine.update(this.mechanism);
    this.ruler.update(this.mechanism);
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
    if (this.asked && this.stage.width) {
      // the view that the page's address asks for
      this.stage.goTo(this.asked);
      this.asked = null;
    }
    this.stage.controls.update();
    if (this.moved) this.pose();
    if (!this.stage.dirty) return false;
    this.stage.render();
    this.rendered = true; // told to whoever asks next
    if (this.garbage.length) this.forget();
    this.placeLabels();
    this.sayScale();
    return true;
  }

  /** the whole motion at once: the mechanism at some instants of the run */
  showStrobe(on) {
    if (on && !this.strobe.length) {
      const { model } = this.report;
      const count = model.bodies.length > 60 ? 3 : 7;
      for (let k = 0; k < count; k++) {
        const ghost = new Mechanism(this.parts, model.bodies.length, this.theme, { ghost: -1 });
        this.frames.seek(this.frames.start + (k / (count - 1)) * (this.frames.end - this.frames.start));
        ghost.update(this.frames);
        this.stage.scene.add(ghost.group);
        this.strobe.push(ghost);
      }
    }
    for (const ghost of this.strobe) ghost.group.visible = on;
  }

  /** how long which force is drawn */
  sayScale() {
    const node = document.getElementById("arrowscale");
    const some = ["reaction", "applied"].some((kind) => this.shown[kind] && this.arrows.kinds[kind]);
    node.hidden = !some || !(this.arrows.typical.force > 0);
    if (node.hidden) return;
    const { target } = this.stage.controls;
    const a = target.clone().project(this.stage.camera);
    const across = new THREE.Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, 0);
    const b = target.clone().add(across).project(this.stage.camera);
    const perMetre = 0.5 * Math.abs(b.x - a.x) * this.stage.width;
    const perNewton = perMetre * this.arrows.scale(false);
    const force = nice(70 / perNewton);
    /** @type {HTMLElement} */ (node.firstElementChild).style.width = `${(force * perNewton).toFixed(1)}px`;
    node.lastElementChild.textContent = `${plain(force)} N`;
  }

  // ---- names ---------------------------------------------------------------------------------

  listLabels() {
    this.labels.remove(this.named ?? []);
    this.named = [];
    if (!this.shown.names) return;
    const { model } = this.report;
    const add = (name, end, kind, rank) => this.named.push(Object.assign(this.labels.add(name, kind, rank), { end }));
    model.bodies.slice(0, 60).forEach((b, i) => add(b.name, { body: i, at: b.com }, "body", 3));
    for (const j of model.joints.slice(0, 60)) {
      const end = [j.b, j.a].find((e) => e && e.body >= 0);
      if (end) add(j.name, end, "joint", 2);
    }
  }

  placeLabels() {
    if (!this.labels.list.length) return;
    const p = new THREE.Vector3();
    for (const label of this.labels.list) {
      if (label.end) this.mechanism.point(label.end.body, label.end.at, p);
      else if (label.at) p.copy(label.at);
      p.project(this.stage.camera);
      const seen = Math.abs(p.z) <= 1 && (label.end || label.at);
      label.x = seen ? (0.5 + 0.5 * p.x) * this.stage.width : NaN;
      label.y = seen ? (0.5 - 0.5 * p.y) * this.stage.height : NaN;
    }
    this.labels.place(this.stage.width, this.stage.height);
  }

  // ---- pointing ------------------------------------------------------------------------------

  /** the body or joint under a point of the page */
  under(clientX, clientY) {
    const box = this.stage.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2), this.stage.camera);
    const hit = this.mechanism.pick(ray);
    if (!hit) return null;
    const body = hit.part.rider ? hit.part.rider.body : hit.part.body;
    const at = hit.point.clone();
    if (body >= 0) at.applyMatrix4(this.mechanism.matrices[body].clone().invert());
    const { element } = hit.part;
    return { body, element, name: body < 0 ? "ground" : this.report.model.bodies[body].name, at: at.toArray() };
  }

  /** what the chosen tool does with a point; false when it is not for tools */
  use(found) {
    if (this.tool === "ruler") this.ruler.take({ body: found.body, at: found.at });
    else if (this.tool === "trail" && found.body >= 0) {
      this.traces.addPoint(found);
      this.traces.resize(this.stage.width, this.stage.height);
    } else return false;
    this.moved = true;
    return true;
  }

  setTool(tool) {
    this.tool = tool;
    if (tool !== "ruler") this.ruler.clear();
    this.moved = true;
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
