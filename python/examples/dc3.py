"""A proxy for optimisation problems whose equalities change from instance to instance, on the benchmark of DC3.

    python python/examples/dc3.py [--data qp-simple-100-50-50-test.npz] [--steps 2000]

Donti, Rolnick and Kolter (DC3, ICLR 2021, arXiv 2104.12225) minimise ½ y'Qy + p'y subject to A y = x, G y <= h, with
100 outputs, 50 equalities and 50 inequalities; x, uniform in [−1, 1]^50, is an instance's own. The network learns from
the objective alone. Its answers are inside the region at tolerance 0 and on the equalities to rounding, before training
too.

The file has Q, p, A, G, h, instances X and their optima Ystar; without one, a problem is drawn as DC3 draws them, and
the optima are OSQP's.
"""

import argparse
import time

import numpy as np
import torch

import hcr
import hcr.torch

N, EQUALITIES, ROWS = 100, 50, 50


def drawn(random, count):
    """A problem, as DC3 draws it: G y <= h can be met whatever x is, since |G A⁺ x| <= Σ|G A⁺|."""
    import osqp
    import scipy.sparse as sparse

    q, p = random.random(N), random.random(N)
    A, G = random.standard_normal((EQUALITIES, N)), random.standard_normal((ROWS, N))
    h = np.abs(G @ np.linalg.pinv(A)).sum(1)
    X = random.uniform(-1, 1, (count, EQUALITIES))
    solver, optima = osqp.OSQP(), []
    rows, below = sparse.csc_matrix(np.r_[A, G]), np.full(ROWS, -np.inf)
    limits = {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iter": 100_000, "verbose": False}
    solver.setup(sparse.diags(q).tocsc(), p, rows, np.r_[X[0], below], np.r_[X[0], h], **limits)
    for x in X:
        solver.update(l=np.r_[x, below], u=np.r_[x, h])
        optima.append(solver.solve().x)
    return np.diag(q), p, A, G, h, X, np.array(optima)


def read(path):
    data = np.load(path)
    Q, p, A, G, h, X, Y = (data[name] for name in ("Q", "p", "A", "G", "h", "X", "Ystar"))
    return Q[0], p[0, :, 0], A[0], G[0], h[0, :, 0], X[:, :, 0], Y[:, :, 0]


def origin(A, G):
    """O(x) = K x near A⁺ x, the least point with A y = x, which touches G y <= h in a corner of the range. Another K,
    with A K = I too, has G K = 0: a tenth of it leaves a tenth of h everywhere."""
    least = np.linalg.pinv(A)
    free = np.linalg.svd(A)[2][len(A) :].T  # directions with A y = 0
    level = least - free @ np.linalg.pinv(G @ free) @ G @ least
    K = 0.9 * least + 0.1 * level
    return np.r_[np.zeros((1, A.shape[1])), K.T]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", help="an .npz file with the problem")
    arguments.add_argument("--steps", type=int, default=2000)
    told = arguments.parse_args()
    random = np.random.default_rng(17)
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    Q, p, A, G, h, X, Y = read(told.data) if told.data else drawn(random, 200)

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
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, told.steps)
    start = time.perf_counter()
    for step in range(told.steps):
        x = 2 * torch.rand(128, len(A)) - 1
        loss = objective(head(encoder(x), x)).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % max(told.steps // 8, 1) == 0:
            print(f"step {step:5}  objective {loss.item():.4f}  {time.perf_counter() - start:.0f} s", flush=True)

    x = torch.tensor(X)
    with torch.no_grad():
        start = time.perf_counter()
        y = head(encoder(x), x)
        seconds = time.perf_counter() - start
    inside = region.check(y.numpy(), X)
    worst = region.violation(y.numpy(), X)[0].max()
    print(f"feasible at tolerance 0: {inside.sum()} of {len(inside)}; worst inequality {worst:.1e}")
    print(f"worst equality {region.residual(y.numpy(), X).max():.1e}; {1e6 * seconds / len(X):.0f} µs an instance")
    assert inside.all()
    found, best = objective(y).numpy(), objective(torch.tensor(Y)).numpy()
    gap = (found - best) / np.abs(best)
    print(f"objective {found.mean():.3f}, optimal {best.mean():.3f}")
    print(f"relative suboptimality: mean {gap.mean():.2e}, largest {gap.max():.2e}")
    print("all feasible: True")


if __name__ == "__main__":
    main()
