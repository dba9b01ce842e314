/* A plane or space through a region's origin, in which two or three outputs are coordinates. */

/* lift[k] changes output axes[k] by 1, the other axes not at all, and other outputs as little as the equalities allow:
 * with P the projection onto them, E the axes and M = E'PE it is P E M⁻¹. P E comes from contract, which takes
 * directions within the equalities. null: the equalities leave no picture along these axes. */
function findLift(region, axes) {
  const n = region.dimension;
  const unit = axes.map((j) => Array.from({ length: n }, (_, i) => (i === j ? 1 : 0)));
  if (region.freedom === n) return unit;
  const gauges = region.gauge(unit.flat()).values, origin = region.origin;
  const steps = unit.map((e, k) => e.map((x) => x * (gauges[k] > 0 ? 0.5 / gauges[k] : 1)));
  const moved = region.contract(steps.flat());
  const lift = axes.map((axis, k) => moved.row(k).map((y, i) => (y - origin[i]) / steps[k][axis]));
  for (let k = 0; k < axes.length; k++) {
    const pivot = lift[k][axes[k]];
    if (!(pivot > 1e-7)) return null;
    lift[k] = lift[k].map((x) => x / pivot);
    for (let i = 0; i < axes.length; i++)
      if (i !== k) {
        const factor = lift[i][axes[k]];
        lift[i] = lift[i].map((x, j) => x - factor * lift[k][j]);
      }
  }
  return lift;
}

export function makeSlice(region, axes) {
  const lift = findLift(region, axes), origin = [...region.origin];
  if (lift === null) {
    const names = region.outputNames;
    throw new Error(`The equalities leave no picture of ${axes.map((j) => names[j]).join(", ")}: choose other outputs.`);
  }
  return {
    axes, origin,
    centre: axes.map((j) => origin[j]),
    /* The step from the origin to the point of the slice with these coordinates. */
    step(place) {
      const v = new Array(region.dimension).fill(0);
      axes.forEach((axis, k) => {
        const t = place[k] - origin[axis];
        for (let j = 0; j < v.length; j++) v[j] += t * lift[k][j];
      });
      return v;
    },
  };
}

/* How far the region reaches from the origin along each axis, at least a share of the longest. */
function findSpan(region, slice) {
  const ends = [];
  slice.axes.forEach((_, k) => {
    for (const sign of [1, -1]) {
      const place = [...slice.centre];
      place[k] += sign;
      const gauge = region.gauge(slice.step(place)).values[0];
      ends.push(gauge > 0 ? 1 / gauge : Infinity);
    }
  });
  const finite = ends.filter((end) => Number.isFinite(end) && end > 0);
  const usual = finite.length > 0 ? Math.max(...finite) : 1;
  return slice.axes.map((_, k) => {
    const pair = [ends[2 * k], ends[2 * k + 1]].filter(Number.isFinite);
    return pair.length > 0 ? Math.max(...pair) : usual;
  });
}

function cast(region, slice, directions) {
  const steps = directions.flatMap((d) => slice.step(slice.centre.map((c, k) => c + d[k])));
  const { values, constraints } = region.gauge(steps);
  return directions.map((d, i) => ({
    place: values[i] > 0 ? slice.centre.map((c, k) => c + d[k] / values[i]) : null, // null: nothing stops the ray
    far: d, number: values[i] > 0 ? constraints[i] : null,
  }));
}

const RAYS = 720, BETWEEN = 12;

/* The frontier as rays see it, closer where the active constraint changes; of star domains also what they don't see. */
export function castPlane(region, slice) {
  const span = findSpan(region, slice);
  const along = (angle) => [span[0] * Math.cos(angle), span[1] * Math.sin(angle)];
  const step = (2 * Math.PI) / RAYS;
  const angles = Array.from({ length: RAYS }, (_, i) => i * step);
  const first = cast(region, slice, angles.map(along));
  const more = angles.filter((_, i) => first[i].number !== first[(i + 1) % RAYS].number)
    .flatMap((angle) => Array.from({ length: BETWEEN - 1 }, (_, k) => angle + ((k + 1) / BETWEEN) * step));
  const rays = [...angles.map((angle, i) => ({ angle, ...first[i] })),
    ...cast(region, slice, more.map(along)).map((ray, i) => ({ angle: more[i], ...ray }))]
    .sort((a, b) => a.angle - b.angle);
  const spokes = cast(region, slice, Array.from({ length: 24 }, (_, i) => along((i * Math.PI) / 12)));
  return { centre: slice.centre, span, rays, spokes, whole: region.isConvex ? null : findWhole(region, slice, rays) };
}

const LINES = 240;

/* All of the set, seen or not, as stretches of the lines of a grid: [left, right, height]. The worst constraint's value
 * is nearly linear between two points of a line, which gives the ends. */
function findWhole(region, slice, rays) {
  const ends = [0, 1].map((k) => {
    const at = rays.filter((ray) => ray.place !== null).map((ray) => ray.place[k]);
    const low = Math.min(...at), high = Math.max(...at), room = 0.25 * (high - low);
    return [low - room, high + room];
  });
  const size = ends.map(([low, high]) => (high - low) / LINES), n = region.dimension;
  const place = (i, j) => [ends[0][0] + (i + 0.5) * size[0], ends[1][0] + (j + 0.5) * size[1]];
  const points = new Float64Array(LINES * LINES * n);
  for (let j = 0; j < LINES; j++)
    for (let i = 0; i < LINES; i++)
      slice.step(place(i, j)).forEach((x, k) => (points[(j * LINES + i) * n + k] = slice.origin[k] + x));
  const { values } = region.violation(points), pieces = [];
  for (let j = 0; j < LINES; j++) {
    const value = (i) => values[j * LINES + i];
    const crossing = (out, into) => {
      const share = value(out) / (value(out) - value(into)), [a] = place(out, j), [b] = place(into, j);
      return Number.isFinite(share) ? a + share * (b - a) : b;
    };
    for (let i = 0, end; i < LINES; i = end + 1) {
      for (end = i; end < LINES && value(end) <= 0; end++);
      if (end > i)
        pieces.push([i === 0 ? place(i, j)[0] : crossing(i - 1, i),
          end === LINES ? place(end - 1, j)[0] : crossing(end, end - 1), place(i, j)[1]]);
    }
  }
  return { size, pieces };
}

const CELLS = 36;

/* The frontier in space, by directions through a grid on each face of a cube, whose lines hold the corners and edges of
 * boxes: six faces of (CELLS + 1)² points, row by row. */
export function castSpace(region, slice) {
  const span = findSpan(region, slice), directions = [];
  const ticks = Array.from({ length: CELLS + 1 }, (_, k) => Math.tan((Math.PI / 4) * ((2 * k) / CELLS - 1)));
  for (const axis of [0, 1, 2])
    for (const side of [1, -1])
      for (const a of ticks)
        for (const b of ticks) {
          const d = [a, b];
          d.splice(axis, 0, side);
          directions.push(d.map((x, k) => span[k] * x));
        }
  return { centre: slice.centre, span, cells: CELLS, rays: cast(region, slice, directions) };
}
