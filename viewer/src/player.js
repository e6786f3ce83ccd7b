// player.js: the instant shown, and how it advances.
import { nice } from "./format.js";

export const speeds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

export class Player {
  constructor(start, end, frames) {
    this.start = start;
    this.end = end;
    this.frames = frames;
    this.time = start;
    this.playing = false;
    this.loop = true;
    this.speed = Player.comfortable(end - start);
    this.listeners = new Set();
  }

  /** real time where that lasts 2 to 60 s, otherwise about ten seconds for the run */
  static comfortable(duration) {
    if (!(duration > 0) || (duration >= 2 && duration <= 60)) return 1;
    return Math.min(speeds.at(-1), Math.max(speeds[0], nice(duration / 10)));
  }

  /** called whenever the instant or the way of playing changes */
  listen(f) {
    this.listeners.add(f);
  }
  changed() {
    for (const f of this.listeners) f(this);
  }

  seek(t) {
    this.time = Math.min(this.end, Math.max(this.start, t));
    this.changed();
  }
  play(on = !this.playing) {
    if (on && this.time >= this.end) this.time = this.start;
    this.playing = on;
    this.changed();
  }
  setLoop(on) {
    this.loop = on;
    this.changed();
  }
  faster(steps) {
    const i = speeds.findIndex((s) => s >= this.speed * 0.999);
    this.setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, i + steps))]);
  }
  setSpeed(speed) {
    this.speed = speed;
    this.changed();
  }

  /** to a neighbouring frame */
  step(count) {
    this.playing = false;
    const here = this.frames.find(this.time + 1e-12 * Math.max(1, Math.abs(this.time)));
    const between = this.time > this.frames.time[here] * (1 + 1e-12) + 1e-15;
    const next = here + (count < 0 && between ? count + 1 : count);
    this.seek(this.frames.time[Math.min(this.frames.count - 1, Math.max(0, next))]);
  }

  /** seconds went by on the clock */
  advance(seconds) {
    if (!this.playing) return;
    let t = this.time + seconds * this.speed;
    if (t > this.end) {
      if (this.loop && this.end > this.start) t = this.start + ((t - this.end) % (this.end - this.start));
      else this.playing = false;
    }
    this.seek(t);
  }
}
