/* hcr for JavaScript: the C library, compiled to WebAssembly. Types and documentation: index.d.ts. */
import createCore from "./dist/hcr.mjs";

const NONE = 0xffffffff; // UINT32_MAX
const PRECISION = { double: 0, single: 1 };
/* Maps that have derivatives → the C function. */
const MAPS = new Map(["gauge", "encode", "decode", "contract", "soften", "project"].map((name) => [name, name]))
  .set("softenInverse", "soften_inverse");

/** What became of a row: the values of hcr_outcome. */
export const OUTCOMES = [
  "inside", "frontier", "at origin", "outside", "bad value", "no frontier", "hidden", "out of range", "no origin",
  "moved", "nearby", "to rounding",
];

export class HcrError extends Error {
  constructor(code, message, place) {
    super(message);
    this.name = "HcrError";
    this.code = code;
    this.file = place.file;
    this.line = place.line;
    this.column = place.column;
  }
}

async function bytesOfCore(source) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source;
  const url = source ?? new URL("./dist/hcr.wasm", import.meta.url);
  if (url instanceof URL && url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

/** Starts the library. `wasm`: where hcr.wasm is, or its bytes; beside this file when nothing is said. */
export async function load({ wasm } = {}) {
  const core = await createCore({ wasmBinary: await bytesOfCore(wasm) });
  return new Hcr(core);
}

/* Memory of the library's for one call: released at its end, whatever happens. */
class Call {
  constructor(core) {
    this.core = core;
    this.taken = [];
  }
  room(bytes) {
    const at = this.core._malloc(Math.max(bytes, 8));
    if (at === 0) throw new HcrError("memory", "not enough memory", { file: "", line: 0, column: 0 });
    this.taken.push(at);
    return at;
  }
  doubles(numbers) {
    const at = this.room(8 * numbers.length);
    this.core.HEAPF64.set(numbers, at / 8);
    return at;
  }
  bytes(data) {
    const at = this.room(data.length + 1);
    this.core.HEAPU8.set(data, at);
    this.core.HEAPU8[at + data.length] = 0;
    return at;
  }
  string(text) {
    return this.bytes(new TextEncoder().encode(text));
  }
  release() {
    for (const at of this.taken) this.core._free(at);
  }
}

/* Numbers of any shape as rows × columns. */
function table(points, columns, what) {
  let flat = points;
  if (!ArrayBuffer.isView(points)) {
    if (!Array.isArray(points)) throw new TypeError(`${what}: an array of numbers, or of rows of numbers`);
    if (Array.isArray(points[0]) || ArrayBuffer.isView(points[0])) {
      for (const [i, row] of points.entries())
        if (row.length !== columns)
          throw new RangeError(`${what}: row ${i} has ${row.length} numbers, not ${columns}`);
      flat = points.flatMap((row) => [...row]);
    }
  }
  if (columns > 0 && flat.length % columns !== 0)
    throw new RangeError(`${what}: ${flat.length} numbers don't make rows of ${columns}`);
  return Float64Array.from(flat);
}

function sameRows(numbers, columns, what, rows) {
  const flat = table(numbers, columns, what);
  if (flat.length !== rows * columns) throw new RangeError(`${what}: ${flat.length} numbers, not ${rows} rows of ${columns}`);
  return flat;
}

class Hcr {
  constructor(core) {
    this.core = core;
    this.version = core.UTF8ToString(core._hcr_version());
    this.errorAt = core._malloc(core._hcr_js_error_size());
    this.regions = new FinalizationRegistry((release) => release());
  }

  /* Runs use(call) with memory of its own. */
  call(use) {
    const call = new Call(this.core);
    try {
      return use(call);
    } finally {
      call.release();
    }
  }

  must(status) {
    if (status === 0) return;
    const { core, errorAt } = this;
    const name = core.UTF8ToString(core._hcr_status_name(status));
    throw new HcrError(name, core.UTF8ToString(errorAt + 268), {
      file: core.UTF8ToString(errorAt + 12),
      line: core.HEAP32[errorAt / 4 + 1],
      column: core.HEAP32[errorAt / 4 + 2],
    });
  }

  builder(call, text, { constants = {}, file = "region" } = {}) {
    const { core } = this;
    const bytes = new TextEncoder().encode(text);
    const names = Object.keys(constants);
    const at = call.room(16 * names.length), out = call.room(4);
    names.forEach((name, k) => {
      const value = constants[name];
      const rows = Array.isArray(value) || ArrayBuffer.isView(value) ? value.length : 0;
      const columns = rows > 0 && typeof value[0] === "object" ? value[0].length : 0;
      const numbers = rows === 0 ? [value] : columns === 0 ? value : table(value, columns, name);
      const values = call.doubles(numbers);
      core.HEAPU32.set([call.string(name), rows, columns, values], at / 4 + 4 * k);
    });
    this.must(core._hcr_text_build(call.bytes(bytes), bytes.length, call.string(file), 0, names.length, at, 0, out,
      this.errorAt));
    return core.HEAPU32[out / 4];
  }

  region(text, options) {
    return this.call((call) => {
      const { core } = this;
      const builder = this.builder(call, text, options);
      try {
        const out = call.room(4);
        this.must(core._hcr_builder_finish(builder, out, this.errorAt));
        return new Region(this, core.HEAPU32[out / 4]);
      } finally {
        core._hcr_builder_free(builder);
      }
    });
  }

  check(text, options) {
    try {
      this.call((call) => this.core._hcr_builder_free(this.builder(call, text, options)));
      return null;
    } catch (error) {
      if (error instanceof HcrError) return error;
      throw error;
    }
  }

  read(bytes) {
    return this.call((call) => {
      const out = call.room(4);
      this.must(this.core._hcr_region_read(call.bytes(bytes), bytes.length, 0, out, this.errorAt));
      return new Region(this, this.core.HEAPU32[out / 4]);
    });
  }

  writeFile(name, content) {
    this.core.FS.writeFile(name, content);
  }
}

class Region {
  constructor(hcr, at) {
    const { core } = hcr;
    this.hcr = hcr;
    this.at = at;
    this.dimension = core._hcr_region_dimension(at);
    this.parameters = core._hcr_region_parameters(at);
    const handles = (this.handles = { region: at, workspace: 0, projector: 0 });
    this.release = () => {
      core._hcr_projector_free(handles.projector);
      core._hcr_workspace_free(handles.workspace);
      core._hcr_region_free(handles.region);
      handles.projector = handles.workspace = handles.region = 0;
    };
    hcr.regions.register(this, this.release, this);
  }

  free() {
    this.hcr.regions.unregister(this);
    this.release();
    this.at = 0;
  }

  handle() {
    if (this.at === 0) throw new Error("the region was freed");
    return this.at;
  }

  numbers(at, count) {
    return this.hcr.core.HEAPF64.slice(at / 8, at / 8 + count);
  }

  get origin() {
    return this.numbers(this.hcr.core._hcr_region_origin(this.handle()), this.dimension);
  }
  get lower() {
    return this.numbers(this.hcr.core._hcr_region_lower(this.handle()), this.dimension);
  }
  get upper() {
    return this.numbers(this.hcr.core._hcr_region_upper(this.handle()), this.dimension);
  }
  get parameterLower() {
    return this.numbers(this.hcr.core._hcr_region_parameter_lower(this.handle()), this.parameters);
  }
  get parameterUpper() {
    return this.numbers(this.hcr.core._hcr_region_parameter_upper(this.handle()), this.parameters);
  }
  get freedom() {
    return this.hcr.core._hcr_region_freedom(this.handle());
  }
  get equalities() {
    return this.hcr.core._hcr_region_equalities(this.handle());
  }
  get isConvex() {
    return this.hcr.core._hcr_region_is_convex(this.handle()) !== 0;
  }
  get isBounded() {
    return this.hcr.core._hcr_region_is_bounded(this.handle()) !== 0;
  }
  margin(precision = "double") {
    return this.hcr.core._hcr_region_margin(this.handle(), PRECISION[precision]);
  }

  names(count, ask) {
    return this.hcr.call((call) => {
      const room = call.room(256);
      return Array.from({ length: count }, (_, k) => {
        ask(this.handle(), k, room, 256);
        return this.hcr.core.UTF8ToString(room);
      });
    });
  }
  get outputNames() {
    return this.names(this.dimension, this.hcr.core._hcr_region_output_name);
  }
  get parameterNames() {
    return this.names(this.parameters, this.hcr.core._hcr_region_parameter_name);
  }

  place(ask, number, count) {
    if (!(Number.isInteger(number) && number >= 0 && number < count)) return null;
    return this.hcr.call((call) => {
      const { core } = this.hcr, out = call.room(24);
      ask(out, this.handle(), number);
      const [kind, file, text, line, column, row] = core.HEAPU32.slice(out / 4, out / 4 + 6);
      return {
        kind: core.UTF8ToString(kind), file: core.UTF8ToString(file), text: core.UTF8ToString(text), line, column, row,
      };
    });
  }
  get constraints() {
    return this.hcr.core._hcr_region_constraints(this.handle());
  }
  constraint(number) {
    return this.place(this.hcr.core._hcr_region_constraint, number, this.constraints);
  }
  equality(number) {
    return this.place(this.hcr.core._hcr_region_equality, number, this.equalities);
  }

  text(write) {
    const { hcr } = this, { core } = hcr;
    return hcr.call((call) => {
      const out = call.room(4);
      hcr.must(write(this.handle(), out, hcr.errorAt));
      const at = core.HEAPU32[out / 4], text = core.UTF8ToString(at);
      core._hcr_free(at);
      return text;
    });
  }
  explain() {
    return this.text((region, out, error) => this.hcr.core._hcr_region_explain(region, 0, out, error));
  }
  describe() {
    return JSON.parse(this.text((region, out, error) => this.hcr.core._hcr_region_explain(region, 1, out, error)));
  }

  compiled() {
    const { hcr } = this, { core } = hcr;
    return hcr.call((call) => {
      const out = call.room(8);
      hcr.must(core._hcr_region_write(this.handle(), out, out + 4, hcr.errorAt));
      const [at, size] = core.HEAPU32.slice(out / 4, out / 4 + 2);
      const bytes = core.HEAPU8.slice(at, at + size);
      core._hcr_free(at);
      return bytes;
    });
  }

  exportC({ name = "region", precision = "double", gradient = false, origin = "" } = {}) {
    const { hcr } = this, { core } = hcr, folder = "/export";
    const files = {};
    try {
      hcr.call((call) => hcr.must(core._hcr_js_export(this.handle(), call.string(name), PRECISION[precision],
        gradient ? 1 : 0, origin === "" ? 0 : call.string(origin), call.string(folder), hcr.errorAt)));
      for (const file of core.FS.readdir(folder))
        if (!file.startsWith(".")) files[file] = core.FS.readFile(`${folder}/${file}`, { encoding: "utf8" });
    } finally {
      if (core.FS.analyzePath(folder).exists) {
        for (const file of core.FS.readdir(folder)) if (!file.startsWith(".")) core.FS.unlink(`${folder}/${file}`);
        core.FS.rmdir(folder);
      }
    }
    return files;
  }

  /* A region with the parameters of one sample; its own origin, no parameters. */
  fixedAt(parameters) {
    const { hcr } = this, { core } = hcr;
    return hcr.call((call) => {
      const out = call.room(4);
      hcr.must(core._hcr_region_at(this.handle(), this.parametersIn(call, parameters, 1), 0, out, hcr.errorAt));
      return new Region(hcr, core.HEAPU32[out / 4]);
    });
  }

  /* One row of parameters serves all rows. */
  parametersIn(call, parameters, rows) {
    const p = this.parameters;
    if (p === 0) return 0;
    const given = table(parameters ?? [], p, "parameters");
    if (given.length === rows * p) return call.doubles(given);
    if (given.length !== p) throw new RangeError(`parameters: ${given.length} numbers, not ${rows} rows of ${p}`);
    const all = new Float64Array(rows * p);
    for (let i = 0; i < rows; i++) all.set(given, i * p);
    return call.doubles(all);
  }

  workspace() {
    const { hcr, handles } = this;
    this.handle();
    if (handles.workspace === 0)
      hcr.call((call) => {
        const out = call.room(4);
        hcr.must(hcr.core._hcr_workspace_create(handles.region, 1, out, hcr.errorAt));
        handles.workspace = hcr.core.HEAPU32[out / 4];
        hcr.must(hcr.core._hcr_workspace_set_bad_value(handles.workspace, 1, hcr.errorAt));
      });
    return handles.workspace;
  }

  map(name, points, parameters) {
    const { hcr } = this, { core } = hcr;
    const { from, to } = this.shape(name), workspace = this.workspace(), given = table(points, from, name);
    const rows = given.length / from;
    return hcr.call((call) => {
      const values = call.room(8 * rows * to), rays = call.room(16 * rows);
      hcr.must(core[`_hcr_${name}`](this.handle(), workspace, rows, this.parametersIn(call, parameters, rows),
        call.doubles(given), values, rays, hcr.errorAt));
      const gauges = new Float64Array(rows), constraints = new Uint32Array(rows), outcomes = new Uint32Array(rows);
      for (let i = 0; i < rows; i++) {
        gauges[i] = core.HEAPF64[rays / 8 + 2 * i];
        constraints[i] = core.HEAPU32[rays / 4 + 4 * i + 2];
        outcomes[i] = core.HEAPU32[rays / 4 + 4 * i + 3];
      }
      return new Result(this.numbers(values, rows * to), to, { gauges, constraints, outcomes });
    });
  }
  gauge(v, parameters) {
    return this.map("gauge", v, parameters);
  }
  contract(v, parameters) {
    return this.map("contract", v, parameters);
  }
  soften(v, parameters) {
    return this.map("soften", v, parameters);
  }
  softenInverse(y, parameters) {
    return this.map("soften_inverse", y, parameters);
  }
  encode(y, parameters) {
    return this.map("encode", y, parameters);
  }
  decode(polar, parameters) {
    return this.map("decode", polar, parameters);
  }

  /* How many numbers a row of a map's input and of its result has, by the C function's name. */
  shape(name) {
    const n = this.dimension;
    return { from: name === "decode" ? n + 1 : n, to: name === "gauge" ? 1 : name === "encode" ? n + 1 : n };
  }

  /* A map's C function by its name here, and what its derivatives begin with: the projector, or region and workspace. */
  derivative(map) {
    if (!MAPS.has(map)) throw new RangeError(`there is no map "${map}": ${[...MAPS.keys()].join(", ")}`);
    const name = MAPS.get(map);
    return { name, ...this.shape(name), first: map === "project" ? [this.projector()] : [this.handle(), this.workspace()] };
  }

  vjp(map, points, bar, parameters) {
    const { hcr, parameters: p } = this, { core } = hcr;
    const { name, from, to, first } = this.derivative(map);
    const given = table(points, from, map), rows = given.length / from, gradient = sameRows(bar, to, "bar", rows);
    return hcr.call((call) => {
      const values = call.room(8 * rows * from), byParameters = call.room(8 * rows * p);
      hcr.must(core[`_hcr_${name}_vjp`](...first, rows, this.parametersIn(call, parameters, rows), call.doubles(given), 0,
        call.doubles(gradient), values, p === 0 ? 0 : byParameters, hcr.errorAt));
      return { values: this.numbers(values, rows * from), parameters: this.numbers(byParameters, rows * p) };
    });
  }

  jvp(map, points, dot, parameters, parametersDot) {
    const { hcr, parameters: p } = this, { core } = hcr;
    const { name, from, to, first } = this.derivative(map);
    const given = table(points, from, map), rows = given.length / from, change = sameRows(dot, from, "dot", rows);
    const moved = parametersDot === undefined ? null : sameRows(parametersDot, p, "parametersDot", rows);
    return hcr.call((call) => {
      const values = call.room(8 * rows * to);
      hcr.must(core[`_hcr_${name}_jvp`](...first, rows, this.parametersIn(call, parameters, rows), call.doubles(given), 0,
        call.doubles(change), moved === null ? 0 : call.doubles(moved), values, hcr.errorAt));
      return this.numbers(values, rows * to);
    });
  }

  projector() {
    const { hcr, handles } = this;
    this.handle();
    if (handles.projector === 0)
      hcr.call((call) => {
        const out = call.room(4);
        hcr.must(hcr.core._hcr_projector_create(handles.region, 0, out, hcr.errorAt));
        handles.projector = hcr.core.HEAPU32[out / 4];
      });
    return handles.projector;
  }

  project(points, parameters) {
    const { hcr, dimension: n } = this, { core } = hcr;
    const given = table(points, n, "project"), rows = given.length / n, projector = this.projector();
    return hcr.call((call) => {
      const values = call.room(8 * rows * n), out = call.room(4 * rows), contacts = call.room(24 * rows * n);
      hcr.must(core._hcr_project(projector, rows, this.parametersIn(call, parameters, rows),
        call.doubles(given), values, out, contacts, hcr.errorAt));
      const constraints = new Uint32Array(rows * n), multipliers = new Float64Array(rows * n);
      for (let k = 0; k < rows * n; k++) {
        multipliers[k] = core.HEAPF64[contacts / 8 + 3 * k];
        constraints[k] = core.HEAPU32[contacts / 4 + 6 * k + 4];
      }
      const outcomes = core.HEAPU32.slice(out / 4, out / 4 + rows);
      return new Result(this.numbers(values, rows * n), n, { outcomes, constraints, multipliers });
    });
  }

  check(points, parameters) {
    const { hcr, dimension: n } = this, { core } = hcr;
    const given = table(points, n, "check"), rows = given.length / n;
    return hcr.call((call) => {
      const inside = call.room(rows), which = call.room(4 * rows);
      hcr.must(core._hcr_check(this.handle(), rows, this.parametersIn(call, parameters, rows), call.doubles(given),
        inside, which, hcr.errorAt));
      return {
        inside: Array.from(core.HEAPU8.subarray(inside, inside + rows), (bit) => bit === 1),
        constraints: core.HEAPU32.slice(which / 4, which / 4 + rows),
      };
    });
  }

  violation(points, parameters) {
    const { hcr, dimension: n } = this, { core } = hcr;
    const given = table(points, n, "violation"), rows = given.length / n;
    return hcr.call((call) => {
      const values = call.room(8 * rows), which = call.room(4 * rows);
      hcr.must(core._hcr_violation(this.handle(), rows, this.parametersIn(call, parameters, rows), call.doubles(given),
        values, which, hcr.errorAt));
      return { values: this.numbers(values, rows), constraints: core.HEAPU32.slice(which / 4, which / 4 + rows) };
    });
  }
}

/* What a map gives: numbers by rows, and what is known of each row. */
class Result {
  constructor(values, columns, more) {
    this.values = values;
    this.columns = columns;
    this.rows = values.length / columns;
    Object.assign(this, more);
  }
  row(i) {
    return Array.from(this.values.subarray(i * this.columns, (i + 1) * this.columns));
  }
}

export { Hcr, NONE, Region, Result };
