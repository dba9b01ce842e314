/* The library in a thread of its own, so that typing never waits. One message in, one out, with its number. */
import { load, HcrError, NONE, OUTCOMES } from "./hcr/index.js";
import { castPlane, castSpace, makeSlice } from "./slice.js";

let hcr = null;
let region = null; // of the text that compiled last; with parameters
let fixed = null; // that region at one sample's parameters

const jobs = {
  compile({ text, parameters }) {
    const begun = performance.now();
    const made = hcr.region(text);
    region?.free();
    if (fixed !== region) fixed?.free();
    fixed = null;
    region = made;
    const p = region.parameters;
    const lower = [...region.parameterLower], upper = [...region.parameterUpper];
    const middle = lower.map((low, k) => (low + upper[k]) / 2);
    const fits = parameters?.length === p && parameters.every((x, k) => x >= lower[k] && x <= upper[k]);
    return {
      about: region.describe(),
      explanation: region.explain(),
      outputs: region.outputNames,
      parameters: region.parameterNames.map((name, k) => ({ name, lower: lower[k], upper: upper[k] })),
      at: fits ? parameters : middle,
      milliseconds: performance.now() - begun,
    };
  },

  /* The region of one sample: for all that follows. */
  settle({ parameters }) {
    if (fixed !== region) fixed?.free();
    fixed = null;
    fixed = region.parameters === 0 ? region : region.fixedAt(parameters);
    return { constraints: Array.from({ length: fixed.constraints }, (_, k) => fixed.constraint(k)) };
  },

  plane({ axes, span }) {
    return castPlane(fixed, makeSlice(fixed, axes), span);
  },

  space({ axes }) {
    return castSpace(fixed, makeSlice(fixed, axes));
  },

  /* Every map of one point, given by its place in the slice. */
  maps({ axes, place, radius }) {
    const slice = makeSlice(fixed, axes), v = slice.step(place);
    const point = v.map((x, j) => slice.origin[j] + x);
    const see = (name, result) => {
      const y = result.row(0), number = result.constraints[0];
      return { name, y, place: axes.map((j) => y[j]), number: number === NONE ? null : number,
        outcome: OUTCOMES[result.outcomes[0]], inside: fixed.check(y).inside[0] };
    };
    const contract = fixed.contract(v);
    const rows = [see("contract", contract), see("soften", fixed.soften(v)), see("decode", fixed.decode([...v, radius]))];
    if (fixed.isConvex) rows.splice(2, 0, see("project", fixed.project(point)));
    return { point, gauge: contract.gauges[0], rows };
  },

  table({ rows, parameters, map }) {
    const from = new Float64Array(rows), n = region.dimension;
    let origins = null;
    if (map !== "project") {
      origins = region.contract(new Float64Array(from.length), parameters).values;
      for (let k = 0; k < from.length; k++) from[k] -= origins[k];
    }
    const result = region[map](from, parameters);
    const { inside } = region.check(result.values, parameters);
    return { values: result.values, outcomes: Array.from(result.outcomes, (o) => OUTCOMES[o]), inside, columns: n };
  },

  exportC({ options, parameters }) {
    void parameters;
    return region.exportC(options);
  },
};

addEventListener("message", async ({ data: { number, job, ...given } }) => {
  try {
    hcr ??= await load();
    /* A question about the region before this one, asked while the new one was compiled. */
    if (given.axes && (fixed === null || given.axes.some((j) => j >= fixed.dimension))) {
      postMessage({ number, stale: true });
      return;
    }
    postMessage({ number, result: jobs[job](given) });
  } catch (error) {
    const { message, code, line, column, file } = error;
    const known = error instanceof HcrError;
    if (!known) console.error(error);
    postMessage({ number, error: { message, code: known ? code : "fault", line, column, file } });
  }
});
