// packed.js: the numbers of a page that computes, which come compressed (src/io/report_packed.c of holon).
//
// Of every block first all lowest bytes stand there, then the next ones; floats are the differences of their bits from one
// row to the next, quantity by quantity.

/** @param {Uint8Array} from @param {Uint8Array} to @param {{at: number, count: number, type: string}} block @param {number} rows */
function restore(from, to, { at, count, type }, rows) {
  const size = type === "f64" ? 8 : 4;
  const width = rows ? count / rows : 0;
  const words = size === 4 ? new Uint32Array(to.buffer, at, count) : null;
  let k = 0;
  let bits = 0;
  for (let c = 0; c < width; c++)
    for (let row = 0; row < rows; row++, k++) {
      const i = row * width + c;
      if (words) {
        const n = at + k;
        bits = (bits + (from[n] | (from[n + count] << 8) | (from[n + 2 * count] << 16) | (from[n + 3 * count] << 24))) | 0;
        words[i] = bits;
      } else for (let b = 0; b < 8; b++) to[at + 8 * i + b] = from[at + b * count + k];
    }
}

/**
 * the numbers as the blocks of the runs name them
 * @param {ArrayBuffer} packed
 */
export async function restored(packed, runs) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const from = new Uint8Array(await new Response(stream).arrayBuffer());
  const to = new Uint8Array(from.length);
  for (const { frames, columns } of runs) {
    for (const block of [frames.time, frames.pose, frames.track, frames.deformed]) if (block) restore(from, to, block, frames.time.count);
    for (const block of [columns.time, columns.data]) restore(from, to, block, block.count);
  }
  return to.buffer;
}
