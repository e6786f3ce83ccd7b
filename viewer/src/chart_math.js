// chart_math.js: times, ranges and units of charts.

/** units people read angles and speeds in, instead of those they are computed in */
const spoken = {
  rad: ["°", 180 / Math.PI],
  "rad/s": ["rpm", 30 / Math.PI],
  "rad/s^2": ["°/s^2", 180 / Math.PI],
};

/** [unit, factor] of what is shown */
export const converted = (unit, degrees) => (degrees && spoken[unit]) || [unit, 1];

/** values as they are drawn: in the unit shown, round-off as zero */
export function shownValues(values, zero, factor) {
  if (factor === 1 && !(zero > 0)) return values;
  return Array.from(values, (x) => (Math.abs(x) < zero ? 0 : x * factor));
}

export function nearest(time, t) {
  let low = 0;
  let high = time.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle;
  }
  return t - time[low] <= time[high] - t ? low : high;
}

/** are the times of a run the first ones of another, but for rounding? It may have ended early */
export function beginsWith(time, part) {
  if (time === part) return true;
  const tolerance = (1e-9 * Math.abs(time[time.length - 1] - time[0])) || 1e-12;
  for (let i = 0; i < part.length; i++) if (!(Math.abs(time[i] - part[i]) <= tolerance)) return false;
  return true;
}

/** values up to the given count; where there are none, nothing is drawn */
export function filled(values, count) {
  if (values.length >= count) return values;
  return [...values, ...new Array(count - values.length).fill(null)];
}

/** a little room above and below; a constant gets an axis of its own size @returns {[number, number]} */
export function padded(_, low, high) {
  if (low === null || low === undefined) return [0, 1];
  const span = high - low;
  const pad = span > 0 ? 0.06 * span : 0.1 * Math.abs(low) || 1;
  return [low - pad, high + pad];
}

/** as many digits as tell one tick from the next, five at least */
export function digits(ticks) {
  const step = Math.abs(ticks[1] - ticks[0]);
  const most = Math.max(...ticks.map(Math.abs));
  return step > 0 ? Math.min(15, Math.max(5, Math.ceil(Math.log10(most / step)) + 2)) : 5;
}

/** whole decades around the data, a few at least, and none below what rounding can mean
 * @returns {[number, number]} */
export function decades(_, low, high) {
  if (!(high > 0)) return [1e-16, 1];
  const top = Math.ceil(Math.log10(high) + 0.05);
  const bottom = Math.floor(Math.log10(low > 0 ? low : high) - 0.05);
  return [10 ** Math.max(bottom, top - 40), 10 ** Math.max(top, bottom + 2)];
}

/** powers of ten between two numbers, about six */
export function powers(_, __, low, high) {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first) / 6));
  const list = [];
  for (let p = first; p <= last; p += every) list.push(10 ** p);
  return list;
}

const gaps = [[], [11, 5], [7, 9], [3.5, 12.5]]; // dashes of a curve upon one, two, three others, which show through

/**
 * Curves that lie upon others would hide them: the dashes each is drawn with. A curve lies upon one drawn before when it is
 * within a line's width of it in nine tenths of the instants (as in src/io/plot.c)
 * @param {ArrayLike<number | null>[]} curves values @param {string[]} units those of one unit share an axis @param {number} width
 * of a line, as a part of the axis
 */
export function dashesOf(curves, units, width = 0.01) {
  if (curves.length > 7) return curves.map(() => gaps[0]);
  const span = new Map();
  curves.forEach((curve, k) => {
    const [low, high] = span.get(units[k]) ?? [Infinity, -Infinity];
    let [a, b] = [low, high];
    for (let i = 0; i < curve.length; i++) {
      const x = curve[i];
      if (x === null || !Number.isFinite(x)) continue;
      if (x < a) a = x;
      if (x > b) b = x;
    }
    span.set(units[k], [a, b]);
  });
  const hides = (curve, other, near) => {
    let [both, close] = [0, 0];
    for (let i = 0; i < curve.length; i++) {
      const [a, b] = [curve[i], other[i]];
      if (a === null || b === null || !Number.isFinite(a) || !Number.isFinite(b)) continue;
      both++;
      if (Math.abs(a - b) <= near) close++;
    }
    return both > 1 && close > 0.9 * both;
  };
  return curves.map((curve, k) => {
    const [low, high] = span.get(units[k]);
    let upon = 0;
    for (let j = 0; j < k; j++) if (units[j] === units[k] && hides(curve, curves[j], width * (high - low))) upon++;
    return gaps[Math.min(upon, gaps.length - 1)];
  });
}
