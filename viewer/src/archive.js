// archive.js: files in a ZIP archive, stored as they are.

const table = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

function checksum(bytes) {
  let c = 0xffffffff;
  for (const b of bytes) c = table[(c ^ b) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** little-endian numbers: [size, value] */
function numbers(list) {
  const bytes = new Uint8Array(list.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of list) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

/** @param {[string, Uint8Array][]} files */
export function archive(files) {
  const pieces = [];
  const list = [];
  let at = 0;
  for (const [name, data] of files) {
    const title = new TextEncoder().encode(name);
    const common = [[2, 20], [2, 0], [2, 0], [2, 0], [2, 33], [4, checksum(data)], [4, data.length], [4, data.length], [2, title.length], [2, 0]];
    const head = numbers([[4, 0x04034b50], ...common]);
    list.push(numbers([[4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]]), title);
    pieces.push(head, title, data);
    at += head.length + title.length + data.length;
  }
  const size = list.reduce((sum, p) => sum + p.length, 0);
  const end = numbers([[4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, at], [2, 0]]);
  return new Blob(/** @type {BlobPart[]} */ ([...pieces, ...list, end]), { type: "application/zip" });
}
