// labels.js: names and numbers over the scene that do not lie upon each other.
import { element } from "./format.js";

/** corners of a label about its point: right above, left above, right below, left below, above, below */
const corners = [[8, -20], [-8, -20], [8, 4], [-8, 4], [0, -26], [0, 10]];

export class Labels {
  constructor(parent) {
    this.parent = parent;
    this.list = [];
  }

  /** a label; `kind` is its class, labels of higher rank are placed first */
  add(text, kind, rank) {
    const node = element("span", { class: kind }, text);
    this.parent.append(node);
    const label = { node, text, rank, x: NaN, y: NaN, on: true, width: 0 };
    this.list.push(label);
    return label;
  }

  remove(labels) {
    const gone = new Set(labels);
    for (const label of labels) label.node.remove();
    this.list = this.list.filter((label) => !gone.has(label));
  }

  setText(label, text) {
    if (label.text === text) return;
    label.text = label.node.textContent = text;
    label.width = 0;
  }

  /** puts every label where it is free, or hides it */
  place(width, height) {
    const taken = [];
    const sorted = [...this.list].sort((a, b) => b.rank - a.rank);
    for (const label of sorted) {
      const seen = label.on && label.x > -20 && label.y > -20 && label.x < width + 20 && label.y < height + 20;
      const box = seen ? this.free(label, taken, width, height) : null;
      label.node.hidden = !box;
      if (!box) continue;
      taken.push(box);
      label.node.style.transform = `translate(${box.x.toFixed(1)}px, ${box.y.toFixed(1)}px)`;
    }
  }

  free(label, taken, width, height) {
    label.node.hidden = false;
    label.width ||= label.node.offsetWidth;
    const [w, h] = [label.width, 16];
    for (const [dx, dy] of corners) {
      const box = { x: label.x + (dx < 0 ? dx - w : dx > 0 ? dx : -w / 2), y: label.y + dy, w, h };
      if (box.x < 0 || box.y < 0 || box.x + w > width || box.y + h > height) continue;
      if (!taken.some((t) => box.x < t.x + t.w + 2 && t.x < box.x + w + 2 && box.y < t.y + t.h && t.y < box.y + h)) return box;
    }
    return null;
  }
}
