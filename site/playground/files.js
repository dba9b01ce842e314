/* Tables, archives and links: text and bytes, without the page. */

/* CSV as rows of cells: quotes, and a comma, a semicolon or a tab between. */
export function readCsv(text) {
  const head = text.replace(/^\ufeff/, "").split(/\r?\n/, 2).join("");
  const separator = head.includes("\t") ? "\t" : head.includes(";") ? ";" : ",";
  const rows = [[]];
  let cell = "", quoted = false;
  const body = `${text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n").replace(/\n+$/, "")}\n`;
  for (let i = 0; i < body.length; i++) {
    const c = body[i];
    if (quoted && c === '"' && body[i + 1] === '"') cell += body[++i];
    else if (c === '"') quoted = !quoted;
    else if (!quoted && (c === separator || c === "\n")) {
      rows.at(-1).push(cell.trim());
      cell = "";
      if (c === "\n") rows.push([]);
    } else cell += c;
  }
  if (quoted) throw new Error("The table ends inside a quote.");
  return rows.filter((row) => row.length > 1 || (row.length === 1 && row[0] !== ""));
}

const isNumber = (cell) => cell !== "" && Number.isFinite(Number(cell));

/* The columns of `names`, by name where the first row has names, else in order from column `first`. */
export function takeColumns(rows, names, first = 0) {
  const named = rows[0].some((cell) => cell !== "" && !isNumber(cell) && !/^[-+]?(nan|inf)/i.test(cell));
  const body = named ? rows.slice(1) : rows;
  const places = names.map((name, k) => (named ? rows[0].indexOf(name) : first + k));
  const missing = names.filter((_, k) => places[k] < 0 || places[k] >= rows[0].length);
  if (missing.length > 0)
    throw new Error(named
      ? `The table has no column "${missing[0]}". It has: ${rows[0].slice(0, 12).join(", ")}.`
      : `The table has ${rows[0].length} columns, and the region needs ${first + names.length}.`);
  if (body.length === 0) throw new Error("The table has no rows.");
  return body.map((row, i) => places.map((at) => {
    if (!isNumber(row[at] ?? "")) throw new Error(`Row ${i + 1}: "${row[at] ?? ""}" isn't a number.`);
    return Number(row[at]);
  }));
}

export function writeCsv(names, values, columns) {
  const quote = (name) => (/[",\n]/.test(name) ? `"${name.replace(/"/g, '""')}"` : name);
  const lines = [names.map(quote).join(",")];
  for (let i = 0; i < values.length; i += columns) lines.push(Array.from(values.subarray(i, i + columns), String).join(","));
  return `${lines.join("\n")}\n`;
}

/* ---------------------------------------------------------------------------------------------------------- zip */

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});
const crc32 = (bytes) => ~bytes.reduce((crc, byte) => crcTable[(crc ^ byte) & 255] ^ (crc >>> 8), ~0) >>> 0;

/* Files, by name, as an archive that stores them as they are (APPNOTE.TXT 4.3: local headers, directory, its end). */
export function zip(files) {
  const parts = [], directory = [];
  let offset = 0;
  const header = (signature, size, write) => {
    const view = new DataView(new ArrayBuffer(size));
    view.setUint32(0, signature, true);
    write((at, value) => view.setUint16(at, value, true), (at, value) => view.setUint32(at, value, true));
    return new Uint8Array(view.buffer);
  };
  for (const [name, text] of Object.entries(files)) {
    const bytes = new TextEncoder().encode(text), title = new TextEncoder().encode(name), crc = crc32(bytes);
    const common = (u16, u32, at) => {
      u16(at, 20);
      u16(at + 8, 0x21); // 1 January 1980
      u32(at + 10, crc);
      u32(at + 14, bytes.length);
      u32(at + 18, bytes.length);
      u16(at + 22, title.length);
    };
    parts.push(header(0x04034b50, 30, (u16, u32) => common(u16, u32, 4)), title, bytes);
    const place = offset;
    directory.push(header(0x02014b50, 46, (u16, u32) => {
      u16(4, 20);
      common(u16, u32, 6);
      u32(42, place);
    }), title);
    offset += 30 + title.length + bytes.length;
  }
  const count = Object.keys(files).length, size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = header(0x06054b50, 22, (u16, u32) => {
    u16(8, count);
    u16(10, count);
    u32(12, size);
    u32(16, offset);
  });
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

/* -------------------------------------------------------------------------------------------------------- links */

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/* The text in a link: deflated, in the letters that links may have. */
export async function pack(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export async function unpack(packed) {
  const letters = atob(packed.replace(/-/g, "+").replace(/_/g, "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
}
