"""An optimisation proxy: a network that answers with nearly optimal points, learnt from the objective alone.

    pip install './python[examples]'
    python python/examples/proxy.py [--steps 2000]

The problems are  minimise ½ y'Qy + p'y  subject to  A y = b, G y <= h,  with Q, A, b, G, h given and p changing from
instance to instance: 100 outputs, 50 equalities and 50 inequalities, drawn as Donti, Rolnick and Kolter (DC3, ICLR
2021) draw theirs. The loss is the objective itself. Every answer is feasible, the first of an untrained network too;
how far from optimal they are, an exact solver says (OSQP at tight tolerances).
"""

import argparse
import time

import numpy as np

try:
    import osqp
    import scipy.sparse as sparse
    import torch
except ImportError as missing:  # before anything is trained
    raise SystemExit(f"proxy.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
import hcr.torch

N, EQUALITIES, ROWS = 100, 50, 50


def problem(random):
    """Q (a diagonal), A, b, G, h: feasible for sure, since |G A⁺ b| <= Σ|G A⁺| |b|."""
    q = random.random(N)
    A, G = random.standard_normal((EQUALITIES, N)), random.standard_normal((ROWS, N))
    b = random.uniform(-1, 1, EQUALITIES)
    return q, A, b, G, np.abs(G @ np.linalg.pinv(A)).sum(1)


def optima(q, A, b, G, h, p):
    solver = osqp.OSQP()
    rows = sparse.vstack([sparse.csc_matrix(A), sparse.csc_matrix(G)]).tocsc()
    low, high = np.r_[b, np.full(ROWS, -np.inf)], np.r_[b, h]
    solver.setup(
        sparse.diags(q).tocsc(), p[0], rows, low, high, eps_abs=1e-9, eps_rel=1e-9, max_iter=100_000, verbose=False
    )
    values = []
    for one in p:
        solver.update(q=one)
        y = solver.solve().x
        values.append(0.5 * y @ (q * y) + one @ y)
    return np.array(values)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--steps", type=int, default=2000)
    options = arguments.parse_args()
    random = np.random.default_rng(17)
    torch.manual_seed(0)
    q, A, b, G, h = problem(random)

    # What the inequalities leave open reaches to infinity, but optima don't: a wide box closes it. A⁺ b is as near to 0
    # as the equalities allow, where the network's first answers should be.
    region = hcr.Region.from_rows(G, h, A_eq=A, b_eq=b, bounds=(-50, 50), origin=np.linalg.pinv(A) @ b)
    print(region, f"with {region.freedom} coordinates free")

    Q = torch.tensor(q, dtype=torch.float32)

    def objective(y, p):
        return 0.5 * (Q * y.square()).sum(-1) + (p * y).sum(-1)

    net = torch.nn.Sequential(
        torch.nn.Linear(N, 200),
        torch.nn.ReLU(),
        torch.nn.Linear(200, 200),
        torch.nn.ReLU(),
        hcr.torch.HCRHead(200, region),
    )
    optimiser = torch.optim.Adam(net.parameters(), 2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, options.steps)
    for step in range(options.steps):
        p = torch.rand(256, N)
        loss = objective(net(p), p).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % max(options.steps // 5, 1) == 0:
            print(f"step {step:4}  objective {loss.item():.4f}")

    p = torch.tensor(random.random((200, N)), dtype=torch.float32)
    with torch.no_grad():
        start = time.perf_counter()
        y = net(p)
        seconds = time.perf_counter() - start
    inside = region.check(y.numpy())
    print(f"feasible: {inside.sum()} of {len(inside)}; {1e6 * seconds / len(p):.1f} µs an instance")
    assert inside.all()
    best = optima(q, A, b, G, h, p.numpy().astype(np.float64))
    gap = (objective(y, p).numpy() - best) / np.abs(best)
    print(f"relative suboptimality: mean {gap.mean():.2e}, largest {gap.max():.2e}")


if __name__ == "__main__":
    main()
