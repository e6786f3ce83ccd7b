// format.js: numbers, units and names for people.

const minus = "\u2212";

/** three or so digits; 1.2e-7 as 1.2 × 10⁻⁷ */
export function short(x, digits = 3) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : minus + "∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    const trimmed = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    const power = superscript(Number(exponent));
    const text = trimmed === "1" ? `10${power}` : `${trimmed}\u202f×\u202f10${power}`;
    return text.replace("-", minus);
  }
  return String(Number(x.toPrecision(digits))).replace("-", minus);
}

/** the same without special characters, for axes */
export function plain(x, digits = 6) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (x !== 0 && (size >= 1e6 || size < 1e-4))
    return x.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(x.toPrecision(digits)));
}

export function superscript(n) {
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  return (n < 0 ? "⁻" : "") + String(Math.abs(n)).replace(/\d/g, (d) => digits[Number(d)]);
}

/** as many decimals as the interval between frames needs */
export function timeText(t, interval) {
  const decimals = Math.min(6, Math.max(1, Math.ceil(-Math.log10(interval || 0.01))));
  return t.toFixed(decimals).replace("-", minus);
}

/** "N m" with thin spaces, "m^2" with real exponents */
export function unitText(unit) {
  return unit.replace(/\^(-?\d+)/g, (_, n) => superscript(Number(n))).replaceAll(" ", "\u202f");
}

export function plural(n, word, many = word + "s") {
  return `${n.toLocaleString("en")} ${n === 1 ? word : many}`;
}

/** 1, 2 or 5 times a power of ten, near x */
export function nice(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

/** an element with attributes and children; text is never read as HTML */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.className = value;
    else if (key === "style") node.style.cssText = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}
