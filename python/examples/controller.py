"""A policy that can't leave the safe inputs: four thrusts, learnt by rolling out the dynamics.

    pip install './python[examples]'
    python python/examples/controller.py [--steps 200]

A mass in the plane is pushed to the origin by four thrusters. Safe means: each gives 0 to 1, together at most 2,
opposite ones differ by at most 0.6, and the push is at most 0.7. The policy's last layer keeps to that for every
state, also for those that were never seen.
"""

import argparse

try:
    import torch
except ImportError as missing:
    raise SystemExit(f"controller.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
import hcr.torch

SAFE = """
var thrust[4]                                   # to the right, left, up, down
0 <= thrust <= 1
sum(thrust) <= 2
abs(thrust[0] - thrust[1]) <= 0.6
abs(thrust[2] - thrust[3]) <= 0.6
norm([thrust[0] - thrust[1], thrust[2] - thrust[3]]) <= 0.7
"""
TIME, HORIZON = 0.2, 30


def roll_out(policy, state):
    """The cost of driving states (rows, 4), positions and velocities, and where they end."""
    cost = 0.0
    for _ in range(HORIZON):
        thrust = policy(state)
        push = torch.stack([thrust[:, 0] - thrust[:, 1], thrust[:, 2] - thrust[:, 3]], 1)
        position, velocity = state[:, :2], state[:, 2:]
        velocity = velocity + TIME * push
        state = torch.cat([position + TIME * velocity, velocity], 1)
        cost = cost + TIME * (state.square().sum(1) + 0.01 * thrust.square().sum(1)).mean()
    return cost, state


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--steps", type=int, default=200)
    options = arguments.parse_args()
    torch.manual_seed(0)
    safe = hcr.Region(SAFE)
    print(safe)
    policy = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.Tanh(), hcr.torch.HCRHead(32, safe, "contract"))
    optimiser = torch.optim.Adam(policy.parameters(), 3e-3)
    for step in range(options.steps):
        cost, end = roll_out(policy, torch.randn(64, 4))
        optimiser.zero_grad()
        cost.backward()
        optimiser.step()
        if step % max(options.steps // 5, 1) == 0:
            print(f"step {step:4}  cost {cost.item():7.3f}  left to go {end[:, :2].norm(dim=1).mean().item():.3f}")
    with torch.no_grad():
        thrusts = policy(1000 * torch.randn(100_000, 4))
    inside = safe.check(thrusts.numpy()).all()
    print(f"100,000 states far outside of those seen: every input safe, decided exactly: {inside}")
    assert inside


if __name__ == "__main__":
    main()
