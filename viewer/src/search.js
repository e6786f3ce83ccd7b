// search.js: finds quantities by parts of their names.
import { element, unitText } from "./format.js";

const most = 80;

export class Search {
  constructor(charts, names, columns) {
    this.charts = charts;
    this.names = names;
    this.columns = columns;
    this.input = /** @type {HTMLInputElement} */ (document.getElementById("query"));
    this.list = document.getElementById("found");
    this.chosen = 0;
    this.input.addEventListener("input", () => this.show());
    this.input.addEventListener("focus", () => this.show());
    this.input.addEventListener("keydown", (e) => this.key(e));
    document.addEventListener("pointerdown", (e) => {
      if (!document.getElementById("search").contains(/** @type {Node} */ (e.target))) this.list.hidden = true;
    });
    document.getElementById("more").addEventListener("click", () => {
      charts.activate(charts.create([], false));
      this.input.focus();
    });
  }

  /** every word must occur in the name or be the unit */
  matches() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (name) => {
      const text = `${name} [${this.columns.unit(name)}]`.toLowerCase();
      return words.every((w) => text.includes(w));
    };
    return this.names.filter(fits);
  }

  show() {
    const found = this.matches();
    this.shown = found.slice(0, most);
    this.chosen = Math.min(this.chosen, Math.max(0, this.shown.length - 1));
    const active = new Set(this.charts.active?.names ?? []);
    this.list.replaceChildren(
      ...this.shown.map((name, i) => element("button", {
        class: `item${active.has(name) ? " on" : ""}${i === this.chosen ? " chosen" : ""}`,
        onclick: () => this.take(name),
      }, element("span", {}, name), element("small", {}, unitText(this.columns.unit(name))))),
      element("small", { class: "count" }, found.length > most ? `${most} of ${found.length}; type more to narrow it down` : found.length ? `${found.length} found` : "nothing has such a name"),
    );
    this.list.hidden = false;
  }

  take(name) {
    this.charts.toggle(name);
    this.show();
    this.input.select();
  }

  key(e) {
    if (e.key === "Escape") {
      this.list.hidden = true;
      this.input.blur();
    } else if (e.key === "Enter" && this.shown?.[this.chosen]) {
      this.take(this.shown[this.chosen]);
    } else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      const n = this.shown?.length ?? 0;
      this.chosen = n ? (this.chosen + (e.key === "ArrowDown" ? 1 : n - 1)) % n : 0;
      this.show();
      this.list.children[this.chosen]?.scrollIntoView({ block: "nearest" });
    }
    e.stopPropagation();
  }

  /** shows what belongs to an element of the scene */
  suggest(name) {
    this.input.value = `${name}.`;
    this.chosen = 0;
    this.show();
  }
}
