// theme.js: colours. Okabe and Ito's palette, which stays distinct for colour-blind people,
// with lighter tones on dark ground.

export const palettes = {
  light: {
    series: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a6a00", "#5b4bb5"],
    body: ["#4a86b8", "#e3a23c", "#3fa388", "#c98aae", "#7fb9de", "#d9794a", "#b7a83f", "#8a84c4"],
    trace: ["#6f42c1", "#b3246b", "#00695c", "#6d4c41"], // not those of bodies and arrows
    reaction: "#d55e00",
    applied: "#0072b2",
    sky: "#f3f6fa",
    horizon: "#dfe6ee",
    floor: "#eef2f6",
    grid: "#c3ccd6",
    gridMajor: "#a7b3c0",
    metal: "#59636e",
    ground: "#7c8793",
    spring: "#8f99a4",
    pin: "#eef1f4",
    axis: "#b08a5a",
    text: "#1d2733",
    muted: "#66727f",
    line: "#dbe1e8",
  },
  dark: {
    series: ["#56b4e9", "#ff8c42", "#5fe0a0", "#e3a0c6", "#f0c33c", "#8fa8ff", "#d9d25a", "#b7a8ff"],
    body: ["#5d9dd2", "#e5a843", "#48b598", "#d297bb", "#8cc4e8", "#e0865a", "#c6b84d", "#9d97d8"],
    trace: ["#c4a5ff", "#ff8fb8", "#7fe0c9", "#d7b899"],
    reaction: "#ff8c42",
    applied: "#56b4e9",
    sky: "#161c24",
    horizon: "#0e1319",
    floor: "#1a212a",
    grid: "#2d3743",
    gridMajor: "#3d4957",
    metal: "#9aa5b1",
    ground: "#67727e",
    spring: "#aab4bf",
    pin: "#dfe5ea",
    axis: "#a98c62",
    text: "#e6ebf1",
    muted: "#93a0ae",
    line: "#2b3541",
  },
};

export class Theme {
  constructor() {
    this.query = matchMedia("(prefers-color-scheme: dark)");
    this.listeners = new Set();
    this.query.addEventListener("change", () => {
      if (!document.documentElement.dataset.theme) this.changed();
    });
  }
  get dark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : this.query.matches;
  }
  get colors() {
    return palettes[this.dark ? "dark" : "light"];
  }
  /** colour and dash of the i-th curve: when colours run out, dashes tell them apart */
  series(i) {
    const colors = this.colors.series;
    return { color: colors[i % colors.length], dash: dashes[Math.floor(i / colors.length) % dashes.length] };
  }
  toggle() {
    document.documentElement.dataset.theme = this.dark ? "light" : "dark";
    this.changed();
  }
  listen(f) {
    this.listeners.add(f);
  }
  changed() {
    for (const f of this.listeners) f(this);
  }
}

const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
