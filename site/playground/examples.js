/* One for each kind of constraint. */
export const EXAMPLES = [
  ["Bounds and ramps", `# Hourly load, a day ahead: bounds, and no jumps.
var load[24]
const most = 900
const step = 120

0 <= load <= most
abs(load[1:] - load[:-1]) <= step
load[18] >= 300
`],
  ["Balance (equality)", `# Three stations meet the demand: results add up exactly.
var hydro, gas, wind
param demand in [60, 120]

0 <= hydro <= 40
10 <= gas <= 80
0 <= wind <= 35
hydro + gas + wind == demand
gas - hydro <= 45
`],
  ["Polygon (rows)", `# Rows: the frontier is made of lines.
var y[2]

y >= 0
2 * y[0] + y[1] <= 10
y[0] + 3 * y[1] <= 15
y[0] - y[1] <= 3
`],
  ["Ellipsoid and disc (quadratic)", `# Shares of three assets, and a limit on risk.
var share[3]
const covariance = [[0.040, 0.006, 0.004],
                    [0.006, 0.090, 0.010],
                    [0.004, 0.010, 0.160]]
const risk = 0.18

share >= 0
sum(share) <= 1
quad_form(share, covariance) <= risk ** 2
`],
  ["Cone", `# A friction cone: the push is at most a share of the load.
var force[3]
const friction = 0.6

norm(force[:2]) <= friction * force[2]
0.5 <= force[2] <= 6
`],
  ["Matrix inequality", `# The elliptope: matrices of correlations of three things.
var r[3]

psd([[1,    r[0], r[1]],
     [r[0], 1,    r[2]],
     [r[1], r[2], 1]])
`],
  ["Expressions", `# Functions of convex programming, proved convex.
var x[2]

exp(x[0]) + exp(-x[1]) <= 6
log_sum_exp([x[0] - x[1], x[1]]) <= 2.5
norm(x, 3) <= 3
sqrt(x[0] + 4) + x[1] >= 0.2
`],
  ["Entropy on the simplex", `# Shares that are spread out.
var w[3]

w >= 0
sum(w) == 1
sum(entropy(w)) >= 0.75
`],
  ["Union", `# At least one of three bodies: a star domain.
var y[2]

union:
    abs(y[0]) <= 3
    abs(y[1]) <= 0.8
or
    abs(y[0]) <= 0.8
    abs(y[1]) <= 3
or
    norm(y) <= 1.6
end
origin = [0, 0]
`],
  ["Obstacles (except)", `# Two obstacles: grey is what the origin doesn't see.
var p[2]

norm(p, inf) <= 4
except norm(p - [2, 1]) <= 0.9
except norm(p - [-1.5, -2]) <= 0.7
origin = [0, 0]
`],
  ["Star", `# A star domain by a function that isn't convex.
var y[2]

norm(y) <= 3
star:
    y[0] ** 2 - y[1] ** 2 <= 1.5
end
origin = [0, 0]
`],
  ["Limits that move (parameters)", `# The sliders move the parameters of a sample.
var y[2]
param c[2] in [-1, 1]
param r in [1, 2]
param slope in [0.5, 2]

norm(y - c) <= r
slope * y[0] + y[1] <= 1.5
`],
  ["Octahedron (three outputs)", `# Choose an output for "depth" to see it in space.
var y[3]

norm(y, 1) <= 2
norm(y) <= 1.35
y[2] >= -1
`],
  ["Unbounded", `# Reaches to infinity: contract and soften work all the same.
var y[2]

y[1] >= square(y[0]) - 2
unbounded
origin = [0, 1]
`],
];
