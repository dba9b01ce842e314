"""HardNet's two small problems (Min and Azizan, arXiv 2410.10807; github.com/azizanlab/hardnet), in a few lines each.

    pip install './python[examples]'
    python python/examples/hardnet.py [--steps 300]

`toy` fits a function of one number between bounds that depend on it and meet in part of its range. `barrier` steers a
unicycle past two ellipses: a network's input is taken to the nearest one that keeps both barrier rows, whose
coefficients depend on the state. Every result is checked, decided exactly.
"""

import argparse

try:
    import torch
except ImportError as missing:
    raise SystemExit(f"hardnet.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
import hcr.torch

BETWEEN = hcr.Region("param low in [-3, 4], high in [-3, 4]\nvar y[1]\nlow <= y <= high")
INPUTS = hcr.Region(
    "param rows[2, 2] in [-1000, 1000], right[2] in [-100000, 100000]\nvar u[2]\n-500 <= u <= 500\nrows @ u <= right"
)
CENTRES, RADII = torch.tensor([[-2.25, 0.5], [-0.8, 0.0]]), torch.tensor([[0.5, 0.75], [0.5, 0.5]])


def network(inputs, outputs):
    layers = (torch.nn.Linear(inputs, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU())
    return torch.nn.Sequential(*layers, torch.nn.Linear(64, outputs)).double()


def toy(steps):
    def pieces(x, *values):
        return torch.where(x <= -1, values[0], torch.where(x <= 0, -2.0, torch.where(x <= 1, values[1], values[2])))

    def problem(x):
        wave, far = torch.sin(torch.pi * (x + 1) / 2), x.clamp(min=0.5)
        low = pieces(x, 5 * wave**2 - 2, (4 - 9 * (x - 2 / 3) ** 2) * x - 2, 3 / far**3 - 2)
        high = pieces(x, -3 * wave, 3 - 4 * (x - 0.5) ** 2, torch.full_like(x, 2.0))
        return torch.cat([low, high], 1), pieces(x, -5 * wave - 2, 2 - 9 * (x - 2 / 3) ** 2, 3 / far**2 - 2)

    net, x = network(1, 1), torch.rand(50, 1, dtype=torch.double) * 2.4 - 1.2
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    for _ in range(steps):
        bounds, y = problem(x)
        loss = ((hcr.torch.project(net(x), BETWEEN, bounds) - y) ** 2).mean()
        optimizer.zero_grad(), loss.backward(), optimizer.step()
    bounds, _ = problem(torch.linspace(-2, 2, 401, dtype=torch.double)[:, None])
    y = hcr.torch.project(net(torch.linspace(-2, 2, 401, dtype=torch.double)[:, None]), BETWEEN, bounds)
    return bool(BETWEEN.check(y.detach().numpy(), bounds.numpy()).all())


def clearance(state):
    """h = d/dt e + 10 e for each ellipse, e = |(p − centre)/radii|² − 1 at a point ahead of the axle."""
    way, across = torch.stack([state[2].cos(), state[2].sin()]), torch.stack([-state[2].sin(), state[2].cos()])
    point, velocity = state[:2] + 0.1 * way, state[3] * way + 0.1 * state[4] * across
    value, rate = torch.func.jvp(lambda p: (((p - CENTRES) / RADII) ** 2).sum(1) - 1, (point,), (velocity,))
    return rate + 10 * value


def rows(state):
    """dh/dt >= −20 h, as rows of the input: what each of u's numbers does, and what is left of it without them."""
    slope, still = torch.vmap(torch.func.jacrev(clearance))(state), torch.zeros_like(state[:, :2])
    drift = torch.cat(
        [state[:, 3:4] * state[:, 2:3].cos(), state[:, 3:4] * state[:, 2:3].sin(), state[:, 4:], still], 1
    )
    right = (slope @ drift[:, :, None])[..., 0] + 20 * torch.vmap(clearance)(state)
    return drift, torch.cat([-slope[:, :, 3:].flatten(1), right], 1)


def barrier(steps):
    spread = torch.tensor([0.5, 0.5, -torch.pi / 8, 0, 0], dtype=torch.double)
    first = torch.tensor([-4.0, 0, -torch.pi / 8, 0, 0]) + torch.rand(200, 5, dtype=torch.double) * spread
    first = first[(torch.vmap(clearance)(first) > 0).all(1)]
    net, inside = network(5, 2), True
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    for _ in range(max(steps // 50, 1)):
        state, cost = first, 0.0
        for _ in range(50):
            drift, x = rows(state)
            u = hcr.torch.project(20 * net(state), INPUTS, x)
            inside &= bool(INPUTS.check(u.detach().numpy(), x.detach().numpy()).all())
            state = state + 0.02 * (drift + torch.cat([torch.zeros_like(state[:, :3]), u], 1))
            cost = cost + (100 * state[:, :2] ** 2).sum(1).mean() + 0.1 * (u**2).sum(1).mean()
        optimizer.zero_grad(), cost.backward(), optimizer.step()
    return inside


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=300)
    steps = parser.parse_args().steps
    torch.manual_seed(0)
    print(f"between the bounds, all 401: {toy(steps)}")
    print(f"both barriers kept by every input, decided exactly: {barrier(steps)}")
