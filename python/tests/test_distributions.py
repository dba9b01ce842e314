"""Densities on regions: they integrate to 1, samples follow them, derivatives are right."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hcr

torch = pytest.importorskip("torch")
stats = pytest.importorskip("scipy.stats")

import hcr.torch
from hcr.torch.distributions import Softened, SoftenTransform

# name: text, parameters of one sample, points a side of the grid over the free outputs
REGIONS = {
    "interval": ("var y\n-1 <= y <= 3", None, 4000),
    "box": ("var y[2]\n-1 <= y <= [2, 1]", None, 500),
    "disc": ("var y[2]\nnorm(y - 0.3) <= 1", None, 500),
    "polytope": ("var y[2]\ny >= 0\ny[0] + 2*y[1] <= 2\ny[0] - y[1] <= 1", None, 500),
    "cone": ("var y[3]\nnorm(y[:2]) <= y[2]\ny[2] <= 2", None, 120),
    "simplex": ("var y[3]\ny >= 0\nsum(y) == 1", None, 500),
    "matrix": ("var y[3]\npsd([[1 + y[0], y[1]], [y[1], 1 + y[2]]])\ny[0] + y[2] <= 1", None, 120),
    "star": ("var y[2]\nunion:\n    norm(y) <= 1\nor\n    abs(y) <= [0.5, 2]\nend\norigin = [0, 0]", None, 500),
    "moving": ("param cap in [0.5, 2]\nvar y[2]\n0 <= y <= 1\nsum(y) <= cap", [0.8], 500),
    "sold": ("param sold in [0.5, 2]\nvar y[3]\n0 <= y <= 1\nsum(y) == sold", [1.3], 500),
}

WAYS = [*((name, "soften") for name in REGIONS), *((name, "tanh") for name in ("interval", "disc", "polytope", "sold"))]


def policy(name: str, squash: str = "soften", validate: bool | None = None) -> tuple[hcr.Region, Softened]:
    text, x, _ = REGIONS[name]
    region = hcr.Region(text)
    k = region.freedom
    mean = 0.3 * torch.arange(1, k + 1, dtype=torch.float64)
    shrink = 1 if squash == "soften" else 0.3  # tanh comes so near the frontier that a grid doesn't see it
    base = torch.distributions.Normal(shrink * mean, shrink * (0.7 + 0.2 * mean))
    x = None if x is None else torch.tensor(x, dtype=torch.float64)
    return region, Softened(base, region, x, squash, validate_args=validate)


def quadrature(name: str, squash: str, density=None) -> tuple[np.ndarray, np.ndarray]:
    """Points of a grid inside the region, in its free outputs, and density × cell at each; torch's density, or that
    given."""
    region, policy_ = policy(name, squash, validate=False)
    if density is None:
        density = lambda y: policy_.log_prob(torch.from_numpy(y)).exp().numpy()  # noqa: E731
    count = REGIONS[name][2]
    lower, upper = (bound[region.free] for bound in region.bounds)
    middles = (np.arange(count) + 0.5) / count
    grid = np.stack(np.meshgrid(*[middles] * region.freedom, indexing="ij"), -1).reshape(-1, region.freedom)
    free = lower + grid * (upper - lower)
    points = free
    if region.equalities:  # both have a sum that is given, and its first output follows
        total = REGIONS[name][1][0] if REGIONS[name][1] else 1.0
        assert region.free.tolist() == [1, 2]
        points = np.column_stack([total - free.sum(1), free])
    x = REGIONS[name][1]
    inside = region.encode(points, x)[:, -1] < 1 - 1e-9  # next to the frontier the density is 0 here
    return free[inside], density(points[inside]) * np.prod((upper - lower) / count)


def assert_follow(y: np.ndarray, free: np.ndarray, mass: np.ndarray) -> None:
    """Each free output of samples against the distribution that a density has: Kolmogorov and Smirnov's test."""
    for j in range(free.shape[1]):
        order = np.argsort(free[:, j])
        distribution = np.cumsum(mass[order])
        cdf = lambda t, at=free[order, j], total=distribution: np.interp(t, at, total)  # noqa: E731
        assert stats.kstest(y[:, j], cdf).pvalue > 1e-4  # of some 60 such tests


@pytest.mark.parametrize(("name", "squash"), WAYS)
def test_density_integrates_to_one(name, squash):
    _, mass = quadrature(name, squash)
    assert np.isfinite(mass).all()
    assert mass.sum() == pytest.approx(1, abs=5e-3)  # the grid's error: cells that the frontier cuts


@pytest.mark.parametrize(("name", "squash"), WAYS)
def test_samples_follow_the_density(name, squash):
    torch.manual_seed(3)
    region, policy_ = policy(name, squash)
    y = policy_.sample((4000,))
    x = REGIONS[name][1]
    assert region.check(y.numpy(), x).all()
    assert_follow(y[:, region.free].numpy(), *quadrature(name, squash))


@pytest.mark.parametrize("squash", ["soften", "tanh"])
@pytest.mark.parametrize("name", REGIONS)
def test_inverse_and_determinant(name, squash):
    region, policy_ = policy(name)
    x = policy_.x
    transform = SoftenTransform(region, x, squash, cache_size=0)
    torch.manual_seed(4)
    v = (2 if squash == "soften" else 0.5) * torch.randn(20, region.freedom, dtype=torch.float64)
    y = transform(v)
    torch.testing.assert_close(transform.inv(y), v, rtol=1e-9, atol=1e-9)  # 1 − gauge loses digits far out
    free = region.free.tolist()
    for row in range(len(v)):
        jacobian = torch.autograd.functional.jacobian(lambda w: transform(w)[free], v[row])
        expected = torch.linalg.slogdet(jacobian)[1]
        torch.testing.assert_close(transform.log_abs_det_jacobian(v[row], y[row]), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "squash"),
    [
        *((name, "soften") for name in ("box", "disc", "polytope", "cone", "simplex", "moving", "sold")),
        ("disc", "tanh"),
        ("sold", "tanh"),
    ],
)
def test_gradients(name, squash):
    region, policy_ = policy(name)
    mean = policy_.base_dist.base_dist.loc.clone().requires_grad_()
    deviation = policy_.base_dist.base_dist.scale.clone().requires_grad_()
    x = None if policy_.x is None else policy_.x.clone().requires_grad_()
    torch.manual_seed(5)
    v = policy_.base_dist.sample((4,))
    y = SoftenTransform(region, policy_.x, squash)(v).clone()

    def made(mean, deviation, x):
        return Softened(torch.distributions.Normal(mean, deviation), region, x, squash, validate_args=False)

    given = (mean, deviation) if x is None else (mean, deviation, x)
    torch.autograd.gradcheck(lambda m, d, *x: made(m, d, *(x or (None,))).log_prob(y), given)

    def surprise(mean, deviation, *x):  # of what is drawn: as a policy's loss has it
        drawn = made(mean, deviation, *(x or (None,)))
        torch.manual_seed(6)
        y = drawn.rsample()
        return drawn.log_prob(y), y

    torch.autograd.gradcheck(surprise, given)
    if name == "moving":
        torch.autograd.gradgradcheck(surprise, given)
    if not region.equalities:  # else a step of one output leaves the region
        torch.autograd.gradcheck(lambda y: made(mean, deviation, x).log_prob(y), y.requires_grad_())


@pytest.mark.parametrize("name", REGIONS)
def test_soften_inverse(name):
    """NumPy's, in C, against torch's, by the formula, with its derivatives."""
    text, x, _ = REGIONS[name]
    region, given = hcr.Region(text), () if x is None else (x,)
    y = region.sample(20, 1, *given)
    v = region.soften_inverse(y, *given)
    np.testing.assert_allclose(region.soften(v, *given), y, rtol=0, atol=1e-12)
    at = torch.from_numpy(y).requires_grad_()
    parameters = [torch.tensor(x, dtype=torch.float64, requires_grad=True)] if x else []
    expected = hcr.torch.soften_inverse(at, region, *parameters)
    size = expected.abs().max().item()
    np.testing.assert_allclose(v, expected.detach(), rtol=0, atol=1e-9 * size)
    bar = np.random.default_rng(2).standard_normal(v.shape)
    expected.backward(torch.from_numpy(bar))
    found = region.soften_inverse.vjp(y, bar, *given)
    by_y, by_x = found if x else (found, None)
    if not region.equalities:  # else torch's are of a point that may leave them
        np.testing.assert_allclose(by_y, at.grad, rtol=1e-6, atol=1e-6 * np.abs(by_y).max())
        assert by_x is None or np.allclose(by_x, parameters[0].grad, rtol=1e-6)
    beyond = region.origin + 1.5 * (region.sample(1, 3, *given, frontier=True)[0] - region.origin)
    if not (x or region.equalities):
        inverse, outcome = region.soften_inverse(beyond, outcomes=True)
        assert np.isnan(inverse).all() and outcome == hcr.Outcome.OUTSIDE
        assert np.isnan(region.soften_inverse.vjp(beyond, bar[0])).all()


def test_single_precision_and_the_frontier():
    region, _ = policy("polytope")
    torch.manual_seed(7)
    wide = Softened(torch.distributions.Normal(torch.zeros(1000, 2), 1e6), region)
    y = wide.sample()
    assert y.dtype == torch.float32
    assert region.check(y.numpy()).all()
    assert torch.isfinite(wide.log_prob(y)).all()  # from v
    assert torch.isfinite(wide.log_prob(y.clone())).all()  # from the rounded point
    assert torch.isnan(hcr.torch.soften_inverse(torch.tensor([5.0, 5.0]), region)).all()
    with pytest.raises(ValueError, match="within the support"):
        wide.log_prob(torch.full((1000, 2), 5.0))


def test_an_interval_has_the_squashed_gaussian_of_soft_actor_critic():
    region = hcr.Region("var y\n-1 <= y <= 1")
    normal = torch.distributions.Normal(torch.tensor([[0.3], [-2.0]], dtype=torch.float64), 0.8)
    theirs = torch.distributions.TransformedDistribution(normal, torch.distributions.TanhTransform())
    y = torch.tensor([[0.7], [-0.99]], dtype=torch.float64)
    mine = Softened(normal, region, squash="tanh")
    torch.testing.assert_close(mine.log_prob(y), theirs.log_prob(y).squeeze(-1), rtol=1e-12, atol=0)
    torch.testing.assert_close(mine.mode, normal.mean.tanh(), rtol=1e-12, atol=0)


def test_samples_without_an_interior():
    """Their results are right, and their density is NaN; others beside them have theirs."""
    region = hcr.Region("param cap[3] in [0, 2]\nparam total in [0, 4]\nvar y[3]\n0 <= y <= cap\nsum(y) >= total")
    assert region.origin_form == "checked"
    x = torch.tensor([[1, 1, 1, 1], [1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 3], [2, 1, 1, 0.5]], dtype=torch.float64)
    base = torch.distributions.Normal(torch.zeros(5, 3, dtype=torch.float64), 1.0)
    y = (drawn := Softened(base, region, x)).rsample()
    assert region.check(y.numpy(), x.numpy()).all()
    assert torch.isfinite(drawn.log_prob(y)).tolist() == [True, False, False, False, True]


@pytest.mark.parametrize("on_empty", ["relax", "nearest"])
def test_samples_whose_limits_contradict(on_empty):
    """They have what contract gives with relaxed limits, no density, and no part in gradients by it; others have the
    same bits as without them."""
    region = hcr.Region("param need in [-4, 4]\nvar y[2]\n-1 <= y <= 1\nsoft: sum(y) >= need")
    x = torch.tensor([[0.5], [3.0], [-2.0], [2.5]], dtype=torch.float64)
    torch.manual_seed(11)
    mean = torch.randn(4, 2, dtype=torch.float64, requires_grad=True)
    transform = SoftenTransform(region, x, "tanh", on_empty=on_empty)
    y, determinant = transform.forward_and_log_det(mean)
    empty = torch.tensor([False, True, False, True])
    alone = SoftenTransform(region, x[~empty], "tanh").forward_and_log_det(mean[~empty])
    assert torch.equal(y[~empty], alone[0]) and torch.equal(determinant[~empty], alone[1])
    assert torch.equal(y[empty], hcr.torch.contract(mean[empty], region, x[empty], on_empty=on_empty))
    np.testing.assert_allclose(y[empty].detach(), 1, atol=1e-9)  # the point of least violation, and the slack's room
    assert determinant.isnan().equal(empty)
    (determinant.nan_to_num() + y.sum(-1)).sum().backward()
    assert torch.isfinite(mean.grad).all()


def test_entropy_expand_and_mode():
    region, policy_ = policy("disc")
    torch.manual_seed(8)
    drawn = policy_.sample((200_000,))
    exact = -policy_.log_prob(drawn).mean()
    assert policy_.entropy(200_000).item() == pytest.approx(exact.item(), abs=0.02)  # both by samples
    wider = policy_.expand((3,))
    assert wider.sample().shape == (3, 2)
    assert wider.log_prob(wider.sample()).shape == (3,)
    torch.testing.assert_close(policy_.mode, hcr.torch.soften(policy_.base_dist.mean, region))
    assert math.isinf(policy_.log_prob(drawn).max().item()) is False


def test_positive_definite_actions():
    """A 6 × 6 gain matrix that is positive definite, as a policy's action."""
    places = [(i, j) for i in range(6) for j in range(i + 1)]
    index = {place: k for k, place in enumerate(places)}
    rows = ", ".join("[" + ", ".join(f"y[{index[max(i, j), min(i, j)]}]" for j in range(6)) + "]" for i in range(6))
    trace = " + ".join(f"y[{index[i, i]}]" for i in range(6))
    region = hcr.Region(f"var y[21]\npsd([{rows}])\n{trace} <= 12")
    torch.manual_seed(9)
    policy_ = Softened(torch.distributions.Normal(torch.zeros(500, 21, dtype=torch.float64), 3.0), region)
    y = policy_.rsample()
    assert region.check(y.numpy()).all()
    matrices = np.zeros((500, 6, 6))
    for k, (i, j) in enumerate(places):
        matrices[:, i, j] = matrices[:, j, i] = y[:, k].numpy()
    assert (np.linalg.eigvalsh(matrices) > 0).all()
    assert torch.isfinite(policy_.log_prob(y)).all()


def test_refusals():
    region, _ = policy("simplex")
    with pytest.raises(hcr.Error, match="v has 3 coordinates for 2 free ones"):
        SoftenTransform(region)(torch.zeros(3))
    with pytest.raises(hcr.Error, match="squash is 'sigmoid'"):
        SoftenTransform(region, squash="sigmoid")


@pytest.mark.filterwarnings("ignore:hcr.jax calls the C library")  # as built without XLA's headers
@pytest.mark.parametrize(("name", "squash"), WAYS)
def test_jax_density_integrates_to_one_and_samples_follow_it(name, squash):
    jax = pytest.importorskip("jax")
    import hcr.jax

    region, policy_ = policy(name, squash)
    base = policy_.base_dist.base_dist
    jax.config.update("jax_enable_x64", True)
    try:
        x = None if policy_.x is None else jax.numpy.asarray(policy_.x.numpy())
        mine = hcr.jax.Softened(*(jax.numpy.asarray(a.numpy()) for a in (base.loc, base.scale)), region, x, squash)
        free, mass = quadrature(name, squash, lambda y: np.exp(np.asarray(mine.log_prob(jax.numpy.asarray(y)))))
        assert mass.sum() == pytest.approx(1, abs=5e-3)  # the grid's error: cells that the frontier cuts
        y = np.asarray(mine.sample(jax.random.key(5), (4000,)))
        assert region.check(y, REGIONS[name][1]).all()
        assert_follow(y[:, region.free], free, mass)
    finally:
        jax.config.update("jax_enable_x64", False)


@pytest.mark.filterwarnings("ignore:hcr.jax calls the C library")  # as built without XLA's headers
@pytest.mark.parametrize(("name", "squash"), WAYS)
def test_jax_agrees(name, squash):
    jax = pytest.importorskip("jax")
    import hcr.jax

    region, policy_ = policy(name, squash)
    base = policy_.base_dist.base_dist
    jax.config.update("jax_enable_x64", True)  # for callbacks too, which run on a thread of their own
    try:
        x = None if policy_.x is None else jax.numpy.asarray(policy_.x.numpy())
        mine = hcr.jax.Softened(*(jax.numpy.asarray(a.numpy()) for a in (base.loc, base.scale)), region, x, squash)
        y, log_prob = jax.jit(lambda p, key: p.sample_and_log_prob(key, (50,)))(mine, jax.random.key(1))
        assert region.check(y, REGIONS[name][1]).all()
        expected = policy_.log_prob(torch.tensor(np.asarray(y))).numpy()
        np.testing.assert_allclose(log_prob, expected, rtol=1e-7, atol=1e-7)  # 1 − gauge loses digits far out
        np.testing.assert_allclose(mine.log_prob(y), expected, rtol=1e-9, atol=1e-9)
        assert mine.entropy(jax.random.key(2), 20_000) == pytest.approx(policy_.entropy(20_000).item(), abs=0.1)

        def loss(p):
            y, log_prob = p.sample_and_log_prob(jax.random.key(3), (4,))
            return (log_prob + y.sum(-1)).sum()

        from jax.test_util import check_grads

        check_grads(loss, (mine,), order=1, modes=["rev"], atol=1e-5, rtol=1e-5)
        single = hcr.jax.Softened(mine.mean.astype("float32"), mine.deviation.astype("float32"), region, x, squash)
        assert region.check(single.sample(jax.random.key(4), (50,)), REGIONS[name][1]).all()
    finally:
        jax.config.update("jax_enable_x64", False)
