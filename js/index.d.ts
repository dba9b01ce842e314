/** Starts the library. `wasm`: where hcr.wasm is (a URL, or its bytes); beside the package when nothing is said. */
export function load(options?: { wasm?: string | URL | BufferSource }): Promise<Hcr>;

/** Numbers as rows: a flat array, or an array of rows. */
export type Rows = ArrayLike<number> | ReadonlyArray<ArrayLike<number>>;
export type Constant = number | ReadonlyArray<number> | Float64Array | ReadonlyArray<ReadonlyArray<number>>;
export type MapName = "gauge" | "encode" | "decode" | "contract" | "soften" | "softenInverse" | "project";
export type Precision = "double" | "single";

export interface TextOptions {
  /** Named values, in place of `const` statements or in addition to them. */
  constants?: Record<string, Constant>;
  /** What messages call the text; "region" when nothing is said. */
  file?: string;
}

export interface Hcr {
  readonly version: string;
  /** Compiles region text (docs/region-language.md). Throws an HcrError. */
  region(text: string, options?: TextOptions): Region;
  /** The first mistake of a text, by its language alone, without looking for the region's origin; null: none. */
  check(text: string, options?: TextOptions): HcrError | null;
  /** A compiled region, such as `region.compiled()` and `hcr compile` give. */
  read(bytes: Uint8Array): Region;
  /** A file for `read("name")` in region text. */
  writeFile(name: string, content: string | Uint8Array): void;
}

/** A set of allowed outputs. It never changes. Its memory is freed with it, or by `free()` at once. */
export interface Region {
  /** n, the number of outputs, and p, that of parameters. */
  readonly dimension: number;
  readonly parameters: number;
  readonly outputNames: string[];
  readonly parameterNames: string[];
  /** Strictly inside; of a region with parameters, at the middle of their range. */
  readonly origin: Float64Array;
  /** A box that holds the region. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly parameterLower: Float64Array;
  readonly parameterUpper: Float64Array;
  readonly freedom: number;
  readonly isConvex: boolean;
  readonly isBounded: boolean;
  /** How many inequalities and equalities there are, and where they come from; null for a number that there isn't. */
  readonly constraints: number;
  readonly equalities: number;
  constraint(number: number): ConstraintInfo | null;
  equality(number: number): ConstraintInfo | null;
  /** The share of the radius that is given up so that results are exactly inside. */
  margin(precision?: Precision): number;

  /** Steps v from the origin to the gauge: origin + v/gauge is on the frontier. */
  gauge(v: Rows, parameters?: Rows): MapResult;
  /** Steps v from the origin to origin + v, or to where the ray along v leaves the region. */
  contract(v: Rows, parameters?: Rows): MapResult;
  /** Steps v from the origin to origin + v/(1 + gauge(v)): one-to-one. */
  soften(v: Rows, parameters?: Rows): MapResult;
  softenInverse(points: Rows, parameters?: Rows): MapResult;
  /** Points to a direction and a radius, n + 1 numbers. */
  encode(points: Rows, parameters?: Rows): MapResult;
  /** A direction and a radius in [0, 1] to a point. */
  decode(polar: Rows, parameters?: Rows): MapResult;
  /** Points to the nearest points: of a convex region, of a union, beside boxes and polytopes that are cut out. */
  project(points: Rows, parameters?: Rows): ProjectResult;

  /** A derivative, transposed: the gradients by a map's input and by the parameters (rows × p) of what has the gradient
   * `bar` by its result. At a kink it is one of those that meet there. */
  vjp(map: MapName, points: Rows, bar: Rows, parameters?: Rows): { values: Float64Array; parameters: Float64Array };
  /** A derivative, forwards: how a map's result changes when its input does by `dot`, and the parameters by
   * `parametersDot`; where that isn't given they stay. */
  jvp(map: MapName, points: Rows, dot: Rows, parameters?: Rows, parametersDot?: Rows): Float64Array;

  /** Whether points are inside, at tolerance 0, decided in exact arithmetic; else a constraint that is broken. */
  check(points: Rows, parameters?: Rows): { inside: boolean[]; constraints: Uint32Array };
  /** The worst constraint of each point, in floating point: > 0 outside. */
  violation(points: Rows, parameters?: Rows): { values: Float64Array; constraints: Uint32Array };

  /** The region of one sample: its parameters are settled, and its origin is the sample's. */
  fixedAt(parameters: Rows): Region;
  /** What was made of the text: for people, and as data. */
  explain(): string;
  describe(): Record<string, unknown>;
  compiled(): Uint8Array;
  /** The region as C99 source: files by name. */
  exportC(options?: { name?: string; precision?: Precision; gradient?: boolean; origin?: string }): Record<string, string>;
  free(): void;
}

export interface ConstraintInfo {
  kind: "box" | "linear" | "varying" | "quadratic" | "cone" | "lmi" | "expression" | "union" | "except" | "equality";
  file: string;
  text: string;
  line: number;
  column: number;
  row: number;
}

/** Numbers by rows, and what is known of each: `OUTCOMES[outcomes[i]]`; NONE where no constraint is active. */
export interface Result {
  readonly values: Float64Array;
  readonly columns: number;
  readonly rows: number;
  readonly outcomes: Uint32Array;
  row(i: number): number[];
}
export interface MapResult extends Result {
  readonly gauges: Float64Array;
  /** The active constraint of each row's ray. */
  readonly constraints: Uint32Array;
}
export interface ProjectResult extends Result {
  /** n a row: the constraints that hold the result, then NONE, with their multipliers. */
  readonly constraints: Uint32Array;
  readonly multipliers: Float64Array;
}

export const OUTCOMES: readonly string[];
export const NONE: 0xffffffff;

/** What is wrong, where, and what to do about it. */
export class HcrError extends Error {
  /** Such as "syntax", "convexity", "empty", "unbounded": the library's status. */
  readonly code: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
