"""HardNet's two small problems (Min and Azizan, arXiv 2410.10807; github.com/azizanlab/hardnet), in a few lines each.

    pip install './python[examples]'
    python python/examples/hardnet.py [--steps 300]

`toy` fits a function of one number between bounds that depend on it and meet in part of its range. `barrier` steers a
unicycle past two ellipses: a network's input is taken to the nearest one that keeps both barrier rows, whose
coefficients depend on the state. Results are checked, decided exactly.
"""

import argparse

try:
    import torch
except ImportError as missing:
    raise SystemExit(f"hardnet.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
import hcr.torch

torch.set_default_dtype(torch.float64)


def network(inputs, outputs):
    layers = (torch.nn.Linear(inputs, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU())
    return torch.nn.Sequential(*layers, torch.nn.Linear(64, outputs))


def train(net, steps, loss):
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    for _ in range(steps):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()


BETWEEN = hcr.Region("param low in [-3, 4], high in [-3, 4]\nvar y[1]\nlow <= y <= high")


def pieces(x, *values):
    return torch.where(x <= -1, values[0], torch.where(x <= 0, -2.0, torch.where(x <= 1, values[1], values[2])))


def problem(x):
    wave, far = torch.sin(torch.pi * (x + 1) / 2), x.clamp(min=0.5)
    low = pieces(x, 5 * wave**2 - 2, (4 - 9 * (x - 2 / 3) ** 2) * x - 2, 3 / far**3 - 2)
    high = pieces(x, -3 * wave, 3 - 4 * (x - 0.5) ** 2, torch.full_like(x, 2.0))
    return torch.cat([low, high], 1), pieces(x, -5 * wave - 2, 2 - 9 * (x - 2 / 3) ** 2, 3 / far**2 - 2)


def toy(net, steps):
    x = torch.rand(50, 1) * 2.4 - 1.2
    bounds, y = problem(x)
    train(net, steps, lambda: ((hcr.torch.project(net(x), BETWEEN, bounds) - y) ** 2).mean())
    x = torch.linspace(-2, 2, 401)[:, None]
    bounds, _ = problem(x)
    y = hcr.torch.project(net(x), BETWEEN, bounds)
    return bool(BETWEEN.check(y.detach().numpy(), bounds.numpy()).all())


INPUTS = hcr.Region("param slope[2, 2], drift[2]\nvar u[2]\n-500 <= u <= 500\nslope @ u + drift >= 0")
CENTRES, RADII = torch.tensor([[-2.25, 0.5], [-0.8, 0.0]]), torch.tensor([[0.5, 0.75], [0.5, 0.5]])


def motion(state, u):
    return torch.cat([state[3] * torch.stack([state[2].cos(), state[2].sin()]), state[4:], u])


def ellipses(state):
    point = state[:2] + 0.1 * torch.stack([state[2].cos(), state[2].sin()])
    return (((point - CENTRES) / RADII) ** 2).sum(1) - 1


def drive(net, state):
    cost, inside = 0.0, True
    for _ in range(50):
        x = torch.cat([row.flatten(1) for row in hcr.torch.barrier_rows(ellipses, motion, state, 2, (10, 20))], 1)
        u = hcr.torch.project(20 * net(state), INPUTS, x)
        inside &= bool(INPUTS.check(u.detach().numpy(), x.detach().numpy()).all())
        state = state + 0.02 * torch.vmap(motion)(state, u)
        cost = cost + (100 * state[:, :2] ** 2).sum(1).mean() + 0.1 * (u**2).sum(1).mean()
    return cost, inside


def barrier(net, steps):
    at = torch.tensor([-4, 0, -torch.pi / 8, 0, 0]) + torch.rand(200, 5) * torch.tensor([0.5, 0.5, -torch.pi / 8, 0, 0])
    train(net, max(steps // 50, 1), lambda: drive(net, at)[0])
    return drive(net, at)[1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=300)
    steps = parser.parse_args().steps
    torch.manual_seed(0)
    print(f"between the bounds, all 401: {toy(network(1, 1), steps)}")
    print(f"both barriers kept by every input, decided exactly: {barrier(network(5, 2), steps)}")
