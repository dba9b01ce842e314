"""Trains one network in several processes, each with a share of every batch: the weights of two are those of one.

    pip install './python[examples]'
    python python/examples/distributed.py
    torchrun --nproc-per-node 2 python/examples/distributed.py

`HCRHead` is a module like any other: DistributedDataParallel sums its gradients. A batch is cut into two shares. One
process adds up their gradients one after the other, two processes add them up between them, and the sum of two numbers
doesn't depend on which comes first: both end with the same bits, which the digest at the end shows. More processes than
two agree to rounding.
"""

import argparse
import hashlib
import os

try:
    import torch
    from torch.nn.parallel import DistributedDataParallel
except ImportError as missing:
    raise SystemExit(f"distributed.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
import hcr.torch

SHARES, BATCH, INPUTS = 2, 64, 12

REGION = """
var y[8]
0 <= y <= 1
abs(y[1:] - y[:-1]) <= 0.2
sum(y) <= 5
"""


def data(rows):
    """Inputs, and targets that depend on them smoothly."""
    random = torch.Generator().manual_seed(1)
    x = torch.randn(rows, INPUTS, generator=random)
    waves = torch.arange(8) / 3.0
    return x, torch.sigmoid(x[:, :1] + x[:, 1:2] * torch.sin(waves + x[:, 2:3]))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--steps", type=int, default=300)
    steps = arguments.parse_args().steps
    processes, own = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))
    torch.set_num_threads(1)  # the bits of a product depend on how many threads share it
    torch.manual_seed(0)

    region = hcr.Region(REGION)
    net = torch.nn.Sequential(torch.nn.Linear(INPUTS, 32), torch.nn.ReLU(), hcr.torch.HCRHead(32, region, "contract"))
    model = net
    if processes > 1:
        torch.distributed.init_process_group("gloo")
        model = DistributedDataParallel(net)
    shares = SHARES if processes == 1 else processes
    mine = range(SHARES) if processes == 1 else [own]

    x, y = data(4096)
    adam = torch.optim.Adam(net.parameters(), 1e-3)
    order = torch.Generator().manual_seed(2)
    for step in range(steps):
        batch = torch.randint(len(x), (BATCH,), generator=order).tensor_split(shares)  # the same in every process
        adam.zero_grad()
        total = 0.0
        for share in mine:
            loss = torch.nn.functional.mse_loss(model(x[batch[share]]), y[batch[share]])
            # The mean over the shares: DistributedDataParallel divides by the number of processes.
            (loss * processes / shares).backward()
            total += loss.item() / len(mine)
        adam.step()
        if own == 0 and (step + 1) % max(steps // 5, 1) == 0:
            print(f"step {step + 1}: loss {total:.4f}")

    weights = torch.cat([parameter.detach().flatten() for parameter in net.parameters()])
    if own == 0:
        print("inside:", bool(region.check(net(x).detach().numpy()).all()))
        print("weights:", hashlib.sha256(weights.numpy().tobytes()).hexdigest()[:16])
    if processes > 1:
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
