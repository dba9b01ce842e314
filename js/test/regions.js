/* A region of each kind of constraint; the tests here and those in the browser share them. */
export const REGIONS = {
  box: "var y[4]\n-1 <= y <= [1, 2, 3, 4]",
  linear: "var y[6]\n0 <= y <= 10\nabs(diff(y)) <= 1.5\nsum(y) <= 31",
  varying: "var y[3]\nparam price[3] in [0.5, 2]\n0 <= y <= 4\nprice @ y <= 6\norigin = [0.2, 0.2, 0.2]",
  quadratic: "var y[3]\nnorm(y - [1, 0, 0]) <= 2\nquad_form(y, [[2, 0.5, 0], [0.5, 1, 0], [0, 0, 3]]) <= 5",
  cone: "var f[3]\nnorm(f[:2]) <= 0.6 * f[2]\n0.5 <= f[2] <= 6",
  lmi: "var r[3]\npsd([[1, r[0], r[1]], [r[0], 1, r[2]], [r[1], r[2], 1]])",
  expression: "var x[2]\nexp(x[0]) + exp(-x[1]) <= 6\nnorm(x, 3) <= 3\nlog_sum_exp(x) <= 2",
  equality: "var w[5]\nw >= 0\nsum(w) == 1\nsum(entropy(w)) >= 1.2",
  union: "var y[2]\nunion:\n abs(y[0]) <= 3\n abs(y[1]) <= 0.8\nor\n norm(y) <= 1.6\nend\norigin = [0, 0]",
  except: "var p[2]\nnorm(p, inf) <= 4\nexcept norm(p - [2, 1]) <= 0.9\norigin = [0, 0]",
};

/* Steps of many sizes, the same on every machine: a xorshift generator. */
export function steps(count, columns, size) {
  let state = 88172645463325252n;
  const next = () => {
    state ^= (state << 13n) & 0xffffffffffffffffn;
    state ^= state >> 7n;
    state ^= (state << 17n) & 0xffffffffffffffffn;
    return Number(state >> 11n) / 2 ** 53;
  };
  return Float64Array.from({ length: count * columns }, () => size * (next() - 0.5) * 4 ** (3 * next() - 1));
}
