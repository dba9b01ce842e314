"""Samples whose limits contradict each other: the least violation, conflicts, exactness, derivatives, every face."""

from fractions import Fraction

import numpy as np
import pytest

import hcr

N, STEP = 24, 1.5
PLAN = f"""
var p[{N}]
param cap[{N}] in [0, 10]
param low[{N}] in [-2, 9]
param last in [0, 10]
low <= p
p <= cap
abs(p[0] - last) <= {STEP}
abs(diff(p)) <= {STEP}
"""
# Slacks are larger than violations by 2^-36 of a row's terms, here up to 20, and there are 96.
ROOM = 20 * 2.0**-36


def linprog(*arguments, **options):
    return pytest.importorskip("scipy.optimize").linprog(*arguments, **options)


@pytest.fixture(scope="module")
def plan():
    return hcr.Region(PLAN)


def samples(count, seed):
    rng = np.random.default_rng(seed)
    limits = rng.uniform(3, 10, (count, N)), rng.uniform(-2, 5, (count, N)), rng.uniform(0, 10, (count, 1))
    return np.concatenate(limits, 1), rng


def rows_of(x):
    """A y <= b of one sample of PLAN."""
    cap, low, last = x[:N], x[N : 2 * N], x[2 * N]
    eye, ramp = np.eye(N), np.diff(np.eye(N), axis=0)
    first = eye[:1]
    A = np.concatenate([eye, -eye, first, -first, ramp, -ramp])
    b = np.concatenate([cap, -low, [last + STEP, STEP - last], np.full(2 * (N - 1), STEP)])
    return A, b


def least(A, b, weights, hard=()):
    """The least Σ weight · violation by HiGHS; None: hard rows contradict each other."""
    m, n = A.shape
    upper = [0 if i in hard else None for i in range(m)]
    found = linprog(
        np.r_[np.zeros(n), weights],
        A_ub=np.c_[A, -np.eye(m)],
        b_ub=b,
        bounds=[(None, None)] * n + [(0, top) for top in upper],
        method="highs",
    )
    return found.fun


def test_least_violation_is_that_of_a_linear_program(plan):
    x, _ = samples(120, 0)
    slacks, (_, outcome) = plan.relaxation.slacks(x), plan.relaxation(x, outcomes=True)
    assert (outcome == hcr.Outcome.RELAXED).sum() > 60
    for i in range(len(x)):
        best = least(*rows_of(x[i]), np.ones(96))
        assert abs(slacks[i].sum() - best) <= 96 * ROOM + 1e-9
        assert (slacks[i].max() > 0) == (outcome[i] == hcr.Outcome.RELAXED) == (best > 1e-9)


def test_results_are_inside_the_relaxed_limits_in_fractions(plan):
    x, rng = samples(200, 1)
    relaxation, v = plan.relaxation, rng.normal(0, 3, (200, N))
    slack, relaxed = relaxation.slacks(x), relaxation(x)
    polar = np.c_[rng.normal(size=(200, N)), rng.uniform(size=200)]
    results = [plan.contract(v, x, on_empty="relax"), plan.soften(v, x, on_empty="nearest")]
    results += [plan.decode(polar, x, on_empty="relax"), plan.project(v, x, on_empty="relax")]
    # Which row each slack is of, told by the text and the element.
    where = {}
    for k, limit in enumerate(relaxation.constraints):
        where.setdefault(limit.text, []).append(k)
    order = [where["p <= cap"], where["low <= p"], where[f"abs(p[0] - last) <= {STEP}"]]
    ramps = where[f"abs(diff(p)) <= {STEP}"]
    assert [len(k) for k in order] == [N, N, 2] and len(ramps) == 2 * (N - 1)
    for y in results:
        assert np.isfinite(y).all()
        for i in range(0, 200, 7):
            if not slack[i].any():
                continue
            F = [Fraction(value) for value in y[i]]
            s = [Fraction(value) for value in slack[i]]
            cap, low = ([Fraction(value) for value in x[i, k * N : (k + 1) * N]] for k in (0, 1))
            last, step = Fraction(x[i, 2 * N]), Fraction(STEP)
            for j in range(N):
                assert F[j] - cap[j] <= s[order[0][j]]
                assert low[j] - F[j] <= s[order[1][j]]
            assert abs(F[0] - last) - step <= max(s[k] for k in order[2])
            for j in range(N - 1):
                assert abs(F[j + 1] - F[j]) - step <= max(s[k] for k in ramps[2 * j : 2 * j + 2])
    assert relaxation.region.check(results[0], relaxed)[slack.any(1)].all()


def test_single_precision(plan):
    x, rng = samples(200, 2)
    x, v = x.astype(np.float32), rng.normal(0, 3, (200, N)).astype(np.float32)
    y, outcome = plan.contract(v, x, outcomes=True, on_empty="relax")
    relaxed = plan.relaxation(x)
    lost = outcome == hcr.Outcome.RELAXED
    assert y.dtype == relaxed.dtype == np.float32 and lost.sum() > 100
    assert plan.relaxation.region.check(y[lost], relaxed[lost]).all()
    double = plan.relaxation.slacks(x.astype(np.float64))
    assert np.abs(plan.relaxation.slacks(x) - double).max() < 20 * 2.0**-12  # the room of single precision


def test_priorities_go_before_weights():
    region = hcr.Region(
        "var y[3]\nparam a[3] in [-7, 7]\nparam total in [1, 20]\n"
        "-9 <= y <= 9\n"
        "soft weight 3: y >= a\n"
        "soft priority 2 weight 2: y[0] <= 2\n"
        "soft priority 2: y[1:] <= 4\n"
        "soft priority 3: sum(y) <= total\n"
    )
    rng = np.random.default_rng(0)
    x = np.c_[rng.uniform(0, 7, (100, 3)), rng.uniform(1, 20, 100)]
    softness = region.relaxation.softness
    assert {(soft.priority, soft.weight) for soft in softness} == {(1, 3.0), (2, 2.0), (2, 1.0), (3, 1.0)}
    cost = np.array([soft.weight for soft in softness])
    level = np.array([soft.priority for soft in softness])
    slack = region.relaxation.slacks(x)
    for i in range(100):
        a, total = x[i, :3], x[i, 3]
        first = 0.0
        second = 2 * max(a[0] - 2, 0) + max(a[1] - 4, 0) + max(a[2] - 4, 0)
        third = max(a.sum() - total, 0)  # y = a is the least that the first two allow
        got = [(cost * slack[i])[level == k].sum() for k in (1, 2, 3)]
        np.testing.assert_allclose(got, [first, second, third], atol=1e-8)


def test_hard_limits_that_contradict_each_other_stay_lost():
    region = hcr.Region("var y\nparam a in [-3, 7]\n-9 <= y <= 9\ny >= a\ny <= 4\nsoft: y <= 3")
    _, outcome = region.relaxation([[2.0], [3.5], [6.0], [9.0]], outcomes=True)
    assert [hcr.Outcome(o).name for o in outcome] == ["INSIDE", "RELAXED", "NO_ORIGIN", "OUT_OF_RANGE"]
    y, told = region.contract(np.zeros((4, 1)), [[2.0], [3.5], [6.0], [9.0]], outcomes=True, on_empty="relax")
    assert np.isnan(y[:, 0]).tolist() == [False, False, True, True]
    assert told[1] == hcr.Outcome.RELAXED and told[2] == hcr.Outcome.NO_ORIGIN
    why = region.why([6.0])
    assert {limit.constraint.text for limit in why.conflict} == {"y >= a", "y <= 4"} or {
        limit.constraint.text for limit in why.conflict
    } == {"y >= a", "soft: y <= 3"}


def empty(A, b):
    found = linprog(np.zeros(A.shape[1]), A_ub=A, b_ub=b, bounds=(None, None), method="highs")
    return found.status == 2


def test_conflicts_are_irreducible_and_changes_mend_them(plan):
    x, _ = samples(60, 3)
    numbers = {}
    A, _ = rows_of(x[0])
    for k, limit in enumerate(plan.relaxation.constraints):
        numbers[limit] = k
    where = {}
    for k, limit in enumerate(plan.relaxation.constraints):
        where.setdefault(limit.text, []).append(k)
    row = {k: j for j, k in enumerate(where["p <= cap"])} | {k: N + j for j, k in enumerate(where["low <= p"])}
    checked = 0
    for i in range(60):
        A, b = rows_of(x[i])
        conflict = plan.relaxation.conflict(x[i])
        assert bool(conflict) == empty(A, b - 1e-12)
        signs = []
        for limit in conflict:
            k = numbers[limit.constraint]
            signs.append(k)
        # Ramps and the first row: of both sides the one that is in the conflict is told by which makes it empty.
        pairs = [[row[k]] if k in row else _sides(plan, k) for k in signs]
        if not conflict:
            continue
        chosen = _that_contradict(A, b, pairs)
        assert chosen is not None
        for k in range(len(chosen)):
            rest = chosen[:k] + chosen[k + 1 :]
            assert not empty(A[rest], b[rest])
        for limit, r in zip(conflict, chosen, strict=True):
            hard = set(range(len(b))) - {r}
            best = least(A, b, np.ones(len(b)), hard)
            if np.isfinite(limit.change):
                assert abs(limit.change - best) < 1e-8
            else:
                assert best is None
        checked += 1
    assert checked > 30


def _sides(plan, k):
    """The rows of `rows_of` that slack k of a ramp may be of."""
    limit = plan.relaxation.constraints[k]
    if "last" in limit.text:
        return [2 * N, 2 * N + 1]
    same = [j for j, other in enumerate(plan.relaxation.constraints) if other.text == limit.text]
    element = same.index(k) // 2
    return [2 * N + 2 + element, 2 * N + 2 + N - 1 + element]


def _that_contradict(A, b, pairs):
    """One row of each pair, such that they contradict each other."""
    choices = [[]]
    for pair in pairs:
        choices = [[*chosen, r] for chosen in choices for r in pair]
    return next((chosen for chosen in choices[:4096] if empty(A[chosen], b[chosen])), None)


@pytest.mark.parametrize("name", ["contract", "soften", "project"])
@pytest.mark.parametrize("on_empty", ["relax", "nearest"])
def test_derivatives_are_finite_and_those_of_differences(plan, name, on_empty):
    x, rng = samples(60, 4)
    v, bar = rng.normal(0, 3, (60, N)), rng.normal(size=(60, N))
    map = getattr(plan, name)
    by_v, by_x = map.vjp(v, bar, x, on_empty=on_empty)
    assert np.isfinite(by_v).all() and np.isfinite(by_x).all()
    off = []
    for i in range(60):
        step_v, step_x = rng.normal(size=N), rng.normal(size=plan.p)

        def along(t, i=i, step_v=step_v, step_x=step_x):
            return (map(v[i] + t * step_v, x[i] + t * step_x, on_empty=on_empty) * bar[i]).sum()

        numeric = (along(1e-6) - along(-1e-6)) / 2e-6
        off.append(abs(numeric - by_v[i] @ step_v - by_x[i] @ step_x) / max(1, abs(numeric)))
    # A kink between both points is in a few of a thousand samples.
    assert np.sort(off)[-3] < 1e-5


def test_derivatives_beside_a_fixed_sum():
    """Results aren't drawn in for the grid of exact sums, whose step is as large as the room of slacks: there were
    jumps of an eighth of the way, in some of these samples. Roundings to it are 3e-11, so differences are good for
    1e-3."""
    text = PLAN.replace("low <= p\n", "soft: low <= p\n").replace("p <= cap\n", "soft: p <= cap\n")
    text = text.replace("param last", "param total in [50, 200]\nparam last")
    plan = hcr.Region(text + "sum(p) == total\n")
    x, rng = samples(60, 4)
    x = np.insert(x, 2 * N, rng.uniform(90, 150, 60), 1)
    v, bar = rng.normal(0, 3, (60, N)), rng.normal(size=(60, N))
    outcome = plan.contract(v, x, on_empty="relax", outcomes=True)[1]
    assert (outcome == hcr.Outcome.RELAXED).sum() > 30
    by_v, by_x = plan.contract.vjp(v, bar, x, on_empty="relax")
    off = []
    for i in range(60):
        step_v, step_x = rng.normal(size=N), rng.normal(size=plan.p)

        def along(t, i=i, step_v=step_v, step_x=step_x):
            return (plan.contract(v[i] + t * step_v, x[i] + t * step_x, on_empty="relax") * bar[i]).sum()

        numeric = (along(1e-6) - along(-1e-6)) / 2e-6
        off.append(abs(numeric - by_v[i] @ step_v - by_x[i] @ step_x) / max(1, abs(numeric)))
    assert max(off) < 1e-3


def test_torch_gives_the_same(plan):
    torch = pytest.importorskip("torch")
    import hcr.torch

    x, rng = samples(40, 5)
    v, bar = rng.normal(0, 3, (40, N)), rng.normal(size=(40, N))
    expected, (by_v, by_x) = plan.contract(v, x, on_empty="relax"), plan.contract.vjp(v, bar, x, on_empty="relax")
    given, parameters = (torch.tensor(a, requires_grad=True) for a in (v, x))
    result = hcr.torch.contract(given, plan, parameters, on_empty="relax")
    result.backward(torch.tensor(bar))
    np.testing.assert_array_equal(result.detach().numpy(), expected)
    np.testing.assert_allclose(given.grad.numpy(), by_v, atol=1e-12)
    np.testing.assert_allclose(parameters.grad.numpy(), by_x, atol=1e-12)
    layer = hcr.torch.Constrain(plan, on_empty="relax")
    np.testing.assert_array_equal(layer(given, parameters).detach().numpy(), expected)
    batched = torch.func.vmap(lambda a, b: hcr.torch.contract(a, plan, b, on_empty="relax"))(given, parameters)
    np.testing.assert_array_equal(batched.detach().numpy(), expected)


def test_jax_gives_the_same():
    jax = pytest.importorskip("jax")
    import hcr.jax

    region = hcr.Region("var y[2]\nparam need in [0, 7]\n0 <= y <= 2\nsoft: sum(y) >= need")
    jax.config.update("jax_enable_x64", True)
    try:
        v, x = np.array([[0.3, -0.4], [0.3, 0.2]]), np.array([[6.0], [1.0]])
        bar = np.array([[1.0, 2.0], [3.0, -1.0]])
        value, pull = jax.vjp(lambda a, b: hcr.jax.contract(a, region, b, on_empty="relax"), v, x)
        np.testing.assert_array_equal(np.asarray(value), region.contract(v, x, on_empty="relax"))
        for gradient, other in zip(pull(bar), region.contract.vjp(v, bar, x, on_empty="relax"), strict=True):
            np.testing.assert_allclose(np.asarray(gradient), other, atol=1e-12)
    finally:
        jax.config.update("jax_enable_x64", False)


def test_rows_whose_coefficients_move_and_equalities():
    region = hcr.Region(
        "var u[3]\nparam a[6], b[2], total in [-2, 2]\n".replace(", total in", "\nparam total in")
        + "-1 <= u <= 1\nsum(u) == total\n"
        "soft: a[:3] @ u <= b[0]\nsoft weight 2: a[3:] @ u <= b[1]\n"
    )
    rng = np.random.default_rng(6)
    x = np.c_[rng.normal(size=(200, 6)), rng.normal(-1, 1, (200, 2)), rng.uniform(-2, 2, 200)]
    slack, relaxed = region.relaxation.slacks(x), region.relaxation(x)
    given = slack.any(1)
    assert 30 < given.sum() < 190
    y, outcome = region.contract(rng.normal(size=(200, 3)), x, outcomes=True, on_empty="relax")
    assert np.isfinite(y).all()
    assert region.relaxation.region.check(y[given], relaxed[given]).all()
    assert (outcome[given] == hcr.Outcome.RELAXED).all()
    for i in range(200):
        A = np.concatenate([x[i, :6].reshape(2, 3), np.eye(3), -np.eye(3)])
        b = np.r_[x[i, 6:8], np.ones(6)]
        m = len(b)
        found = linprog(
            np.r_[0, 0, 0, 1, 2, np.zeros(6)],
            A_ub=np.c_[A, -np.eye(m)],
            b_ub=b,
            A_eq=np.r_[np.ones(3), np.zeros(m)][None],
            b_eq=x[i, 8:],
            bounds=[(None, None)] * 3 + [(0, None)] * 2 + [(0, 0)] * 6,
            method="highs",
        )
        assert abs(slack[i] @ [1, 2] - found.fun) < 1e-8
    bar = rng.normal(size=(200, relaxed.shape[1]))
    gradient = region.relaxation.vjp(x, bar)
    assert np.isfinite(gradient).all()
    off = []
    for i in np.flatnonzero(given):
        d = rng.normal(size=region.p)
        d[8] *= abs(x[i, 8]) < 1.99
        numeric = ((region.relaxation(x[i] + 1e-6 * d) - region.relaxation(x[i] - 1e-6 * d)) @ bar[i]) / 2e-6
        off.append(abs(numeric - gradient[i] @ d) / max(1, abs(numeric)))
    assert np.quantile(off, 0.95) < 1e-4  # next to a vertex of the least violation a move may jump


def test_outputs_that_an_equality_with_a_parameter_determines():
    region = hcr.Region(PLAN.replace("low <= p", "param total in [20, 160]\nsum(p) == total\nlow <= p"))
    x, rng = samples(200, 8)
    x = np.c_[x, rng.uniform(20, 160, 200)]
    y, outcome = region.contract(rng.normal(0, 3, (200, N)), x, outcomes=True, on_empty="relax")
    assert np.isfinite(y).all() and (outcome == hcr.Outcome.RELAXED).sum() > 100
    np.testing.assert_allclose(y.sum(1), x[:, -1], rtol=1e-12)
    slack = region.relaxation.slacks(x)
    for i in range(40):
        A, b = rows_of(x[i])
        found = linprog(
            np.r_[np.zeros(N), np.ones(96)],
            A_ub=np.c_[A, -np.eye(96)],
            b_ub=b,
            A_eq=np.r_[np.ones(N), np.zeros(96)][None],
            b_eq=x[i, -1:],
            bounds=[(None, None)] * N + [(0, None)] * 96,
            method="highs",
        )
        assert abs(slack[i].sum() - found.fun) <= 96 * ROOM + 1e-9 * found.fun


def test_compiled_regions_and_quantiles_keep_what_is_soft():
    text = "var y[2]\nparam a in [0, 7]\n-9 <= y <= 9\nsoft weight 5 priority 2: y >= a\ny <= 4"
    region = hcr.Region(text)
    again = hcr.Region.from_bytes(region.to_bytes())
    assert again.relaxation.softness == region.relaxation.softness
    assert len(region.quantiles([0.1, 0.9]).relaxation.softness) == 4
    relaxed = region.relaxation.region
    copied = hcr.Region.from_bytes(relaxed.to_bytes())
    z = region.relaxation([[6.0]])
    np.testing.assert_array_equal(copied.contract([[1.0, 2.0]], z), relaxed.contract([[1.0, 2.0]], z))


def test_whole_numbers_meet_more_limits_than_bind():
    """Some of the limits that the point of least violation meets depend on those that hold it: origins leave them, too.
    There is a result, and slacks have no more than 2^-36 of the largest terms, those of the sum, as room, of two
    samples up to 2^-24 (without CLP, where origins are others, one has that), but where HiGHS finds that relaxed
    limits leave no inside: no point is further than a hundredth of 2^-33 from all of them, which sums of 400 have as
    rounding."""
    n, rng = 8, np.random.default_rng(1)
    region = hcr.Region(
        f"var load[{n}]\nparam cap[{n}] in [0, 100]\nparam sold in [10, 800]\nload >= 0\nabs(diff(load)) <= 15\n"
        "soft priority 1 weight 2: sum(load) >= sold\nsoft priority 2: load <= cap"
    )
    cap = rng.integers(10, 70, (6000, n)) * (rng.random((6000, n)) > 0.25)
    x = np.c_[cap, rng.integers(30, 40 * n, 6000)].astype(float)
    z, outcome = region.relaxation(x, outcomes=True)
    x, z = x[outcome == hcr.Outcome.RELAXED], z[outcome == hcr.Outcome.RELAXED]
    y, outcome = region.contract(rng.normal(0, 9, (len(x), n)), x, on_empty="relax", outcomes=True)
    lost, unit, ramp = outcome != hcr.Outcome.RELAXED, 2.0**-33, np.diff(np.eye(n), axis=0)
    assert len(x) > 3000 and lost.sum() < 5 and np.isfinite(y[~lost]).all()
    room = z[~lost, -n - 1] / (2 * 2 * x[~lost, n])  # which is twice what is left
    assert (room > 2.0**-36).sum() <= 2 and room.max() <= 2.0**-24
    for sample, relaxed in zip(x[lost], z[lost], strict=True):
        slack, top = relaxed[n + 1 : -n - 1], sample[:n] + relaxed[n + 2 : -n - 1]
        free = top > 0
        y = relaxed[-n:] * free
        A = np.r_[np.eye(n)[free], -np.eye(n)[free], ramp, -ramp, -np.ones((1, n))]
        b = np.r_[top[free], np.zeros(free.sum()), np.full(2 * n - 2, 15), slack[0] - sample[n]]
        room = linprog(
            np.r_[np.zeros(n), -1],
            A_ub=np.c_[A, np.ones(len(b))],
            b_ub=(b - A @ y) / unit,
            bounds=[(None, None) if is_free else (0, 0) for is_free in free] + [(None, 1000)],
        )
        assert -room.fun <= 0.01


def test_refusals(plan):
    with pytest.raises(hcr.Error, match="no parameters"):
        hcr.Region("var y\n0 <= y <= 1").relaxation  # noqa: B018
    with pytest.raises(hcr.Error, match="kind cone"):
        hcr.Region("var y[2]\nparam r in [1, 2]\nnorm(y) <= r").relaxation  # noqa: B018
    with pytest.raises(hcr.Error, match="on_empty='relaxed'"):
        plan.contract(np.zeros(N), samples(1, 0)[0][0], on_empty="relaxed")
    with pytest.raises(hcr.Error, match="no points to be near"):
        plan.decode(np.zeros(N + 1), samples(1, 0)[0][0], on_empty="nearest")


def test_barriers_that_no_input_keeps():
    from hcr.control import Barrier

    rng = np.random.default_rng(7)
    late = Barrier("var u[2]\n-1 <= u <= 1", 2, on_empty="relax", weights=[1.0, 4.0])
    value, drift, control = rng.normal(size=(300, 2)), rng.normal(-1, 1, (300, 2)), rng.normal(size=(300, 2, 2))
    u, outcome = late(rng.normal(size=(300, 2)), value, drift, control)
    assert np.isfinite(u).all() and (np.abs(u) <= 1).all()
    gone = outcome == hcr.Outcome.RELAXED
    assert 50 < gone.sum() < 290
    short = np.maximum(-(drift + value + (control @ u[..., None])[..., 0]), 0)
    for i in np.flatnonzero(gone)[:60]:
        A = np.concatenate([-control[i], np.eye(2), -np.eye(2)])
        b = np.r_[drift[i] + value[i], np.ones(4)]
        best = least(A, b, np.r_[1, 4, np.ones(4)], hard=range(2, 6))
        assert abs(short[i] @ [1, 4] - best) < 1e-8


@pytest.mark.parametrize("head", ["hcr-contract", "hcr-soften", "hcr-direct", "hcr", "hcr-project"])
@pytest.mark.parametrize("apart", [True, False])
def test_models_predict_within_relaxed_limits(plan, head, apart):
    """Rows without a point are inside the relaxed limits in exact arithmetic; the others have the same bits."""
    x, rng = samples(300, 7)
    inputs = rng.standard_normal((len(x), 3))
    targets = plan.contract(rng.standard_normal((len(x), N)), x, on_empty="relax")
    has_point = ~np.isnan(plan.contract(np.zeros((len(x), N)), x)).any(axis=1)
    assert 20 < has_point.sum() < 280
    given = x if apart else None
    if apart:
        model = hcr.fit(plan, inputs[has_point], targets[has_point], parameters=x[has_point], head=head, epochs=2)
    else:
        names = [*(f"z{k}" for k in range(3)), *plan.parameters.names]
        frame = pytest.importorskip("pandas").DataFrame(np.concatenate([inputs, x], axis=1), columns=names)
        inputs = frame
        model = hcr.fit(plan, frame[has_point], targets[has_point], head=head, epochs=2)
    for single in (False, True):
        plain, outcomes = model.predict(inputs, given, single=single, outcomes=True)
        relaxed, found = model.predict(inputs, given, single=single, outcomes=True, on_empty="relax")
        empty = outcomes == hcr.Outcome.NO_ORIGIN
        assert (empty == ~has_point).all()
        assert np.array_equal(relaxed[~empty], plain[~empty])
        assert (found[~empty] == outcomes[~empty]).all()
        assert (found[empty] == hcr.Outcome.RELAXED).all()
        wide = plan.relaxation(x.astype(relaxed.dtype))
        assert plan.relaxation.region.check(relaxed[empty], wide[empty]).all()
    with pytest.raises(hcr.InvalidError, match="must be 'nan' or 'relax'"):
        model.predict(inputs, given, on_empty="nearest")
