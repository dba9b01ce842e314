"""A proxy for optimisation problems whose equalities change from instance to instance, on the benchmark of DC3.

    pip install './python[examples]'
    python python/examples/dc3.py [--data qp-simple-100-50-50-test.npz] [--steps 2000] [--polish 1]

Donti, Rolnick and Kolter (DC3, ICLR 2021, arXiv 2104.12225) minimise ½ y'Qy + p'y subject to A y = x, G y <= h, with
100 outputs, 50 equalities and 50 inequalities; x, uniform in [−1, 1]^50, is an instance's own. The network learns from
the objective alone. Its answers are inside the region at tolerance 0 and on the equalities to rounding, before training
too.

The file has Q, p, A, G, h and instances X; without one, a problem is drawn as DC3 draws them. Optima are DAQP's, an
exact active-set solver's.
"""

import argparse
import time

import numpy as np

try:
    import daqp
    import torch
except ImportError as missing:  # before anything is trained
    raise SystemExit(f"dc3.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
import hcr.torch

N, EQUALITIES, ROWS = 100, 50, 50


def drawn(random, count):
    """A problem, as DC3 draws it: G y <= h can be met whatever x is, since |G A⁺ x| <= Σ|G A⁺|."""
    q, p = random.random(N), random.random(N)
    A, G = random.standard_normal((EQUALITIES, N)), random.standard_normal((ROWS, N))
    h = np.abs(G @ np.linalg.pinv(A)).sum(1)
    return np.diag(q), p, A, G, h, random.uniform(-1, 1, (count, EQUALITIES))


def read(path):
    data = np.load(path)
    Q, p, A, G, h, X = (data[name] for name in ("Q", "p", "A", "G", "h", "X"))
    return Q[0], p[0, :, 0], A[0], G[0], h[0, :, 0], X[:, :, 0]


def optima(Q, p, A, G, h, X):
    """The optimum of each instance, and the seconds that all took."""
    rows, below, equality = np.r_[A, G], np.full(len(G), -1e30), 5
    sense = np.r_[np.full(len(A), equality), np.zeros(len(G))].astype(np.int32)
    start = time.perf_counter()
    found = [daqp.solve(Q, p, rows, np.r_[x, h], np.r_[x, below], sense)[0] for x in X]
    return np.array(found), time.perf_counter() - start


def per_instance(run, count):
    """The best of some runs over `count` instances, in µs each."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1e6 * min(times) / count


def origin(A, G):
    """O(x) = K x near A⁺ x, the least point with A y = x, which touches G y <= h in a corner of the range. Another K,
    with A K = I too, has G K = 0: a tenth of it leaves a tenth of h everywhere."""
    least = np.linalg.pinv(A)
    free = np.linalg.svd(A)[2][len(A) :].T  # directions with A y = 0
    level = least - free @ np.linalg.pinv(G @ free) @ G @ least
    K = 0.9 * least + 0.1 * level
    return np.r_[np.zeros((1, A.shape[1])), K.T]


def report(name, found, best):
    gap = (found - best) / np.abs(best)
    print(f"{name}: objective {found.mean():.3f}, optimal {best.mean():.3f}; ", end="")
    print(f"relative suboptimality: mean {gap.mean():.2e}, largest {gap.max():.2e}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", help="an .npz file with the problem")
    arguments.add_argument("--steps", type=int, default=2000)
    arguments.add_argument("--polish", type=int, default=1, help="steps down the gradient with a projection")
    options = arguments.parse_args()
    random = np.random.default_rng(17)
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    Q, p, A, G, h, X = read(options.data) if options.data else drawn(random, 200)

    # What the inequalities leave open reaches to infinity, but optima don't: a wide box closes it.
    region = hcr.Region.from_rows(
        np.c_[G, np.zeros((len(G), len(A)))],
        h,
        A_eq=np.c_[A, -np.eye(len(A))],
        bounds=(-50, 50),
        parameters={"x": (-np.ones(len(A)), np.ones(len(A)))},
        origin=origin(A, G),
    )
    print(region, f"its origin is {region.origin_form}")

    def objective(y):
        return 0.5 * (torch.tensor(np.diag(Q)) * y.square()).sum(-1) + y @ torch.tensor(p)

    encoder = torch.nn.Sequential(
        torch.nn.Linear(len(A), 200), torch.nn.ReLU(), torch.nn.Linear(200, 200), torch.nn.ReLU()
    )
    head = hcr.torch.HCRHead(200, region, kind="contract")
    optimiser = torch.optim.Adam([*encoder.parameters(), *head.parameters()], 1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, options.steps)
    start = time.perf_counter()
    for step in range(options.steps):
        x = 2 * torch.rand(128, len(A)) - 1
        loss = objective(head(encoder(x), x)).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % max(options.steps // 8, 1) == 0:
            print(f"step {step:5}  objective {loss.item():.4f}  {time.perf_counter() - start:.0f} s", flush=True)

    x = torch.tensor(X)
    with torch.no_grad():
        v = head.linear(encoder(x))
        y = head(encoder(x), x)
        whole = per_instance(lambda: head(encoder(x), x), len(X))
    offsets = v.numpy()
    map_alone = per_instance(lambda: region.contract(offsets, X), len(X))
    Y, seconds = optima(Q, p, A, G, h, X)
    polished, step_length = y, 1 / np.linalg.eigvalsh(Q)[-1]

    def polish(y):
        return hcr.torch.project(y - step_length * (y @ torch.tensor(Q) + torch.tensor(p)), region, x)

    for _ in range(options.polish):
        polished = polish(polished)
    step_time = per_instance(lambda: polish(y), len(X))
    print(
        f"µs an instance: network {whole:.1f}, of which the map {map_alone:.1f}; a polishing step {step_time:.1f}; ",
        end="",
    )
    print(f"solver {1e6 * seconds / len(X):.1f}")
    best = objective(torch.tensor(Y)).numpy()
    for name, points in (("network", y), (f"after {options.polish} polishing steps", polished)):
        inside = region.check(points.numpy(), X)
        worst = region.violation(points.numpy(), X)[0].max()
        print(
            f"{name}: feasible at tolerance 0: {inside.sum()} of {len(inside)}; worst inequality {worst:.1e}; ", end=""
        )
        print(f"worst equality {region.residual(points.numpy(), X).max():.1e}")
        assert inside.all()
        found = objective(points).numpy()
        report(name, found, best)
        if options.data:
            print(
                f"on the last 833, which DC3 is tested on: {found[-833:].mean():.3f}, optimal {best[-833:].mean():.3f}"
            )
    print("all feasible: True")


if __name__ == "__main__":
    main()
