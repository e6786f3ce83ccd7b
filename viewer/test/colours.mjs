// colours.mjs: contrast, and how colours look to people who see fewer of them.

const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

/** "#rrggbb" or "rgb(r, g, b)" as linear light */
export function light(text) {
  const numbers = text.startsWith("#")
    ? [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16))
    : text.match(/[\d.]+/g).slice(0, 3).map(Number);
  return numbers.map((x) => linear(x / 255));
}

const luminance = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** contrast ratio of the guidelines for accessible pages (WCAG 2) */
export function contrast(a, b) {
  const [x, y] = [luminance(light(a)), luminance(light(b))].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}

// Machado, Oliveira, Fernandes 2009, severity 1, on linear light
const kinds = {
  usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

/** CIE L*a*b* of linear light */
function lab(rgb) {
  const [r, g, b] = rgb.map((x) => Math.min(1, Math.max(0, x)));
  const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** the two colours most alike, for each way of seeing: {kind, pair, distance} */
export function closest(colors) {
  return Object.entries(kinds).map(([kind, m]) => {
    const seen = colors.map((c) => lab(m.map((row) => row.reduce((s, x, i) => s + x * light(c)[i], 0))));
    let best = { kind, pair: [], distance: Infinity };
    for (let i = 0; i < seen.length; i++)
      for (let k = 0; k < i; k++) {
        const distance = Math.hypot(...seen[i].map((x, n) => x - seen[k][n]));
        if (distance < best.distance) best = { kind, pair: [colors[k], colors[i]], distance };
      }
    return best;
  });
}
