"""Training steps: hcr beside PyTorch, on one thread, in one run.

    python bench/train_step.py build/bench_train_step

prints, for each network, the median of a step in microseconds with hcr and with PyTorch (its default and its fused Adam),
and how many times faster hcr is. The two take turns, so that what else the machine does falls on both.
"""

import platform
import statistics
import subprocess
import sys
import time

import torch

BATCH, STEPS, TURNS = 32, 150, 3


class Forecaster(torch.nn.Module):
    """An LSTM over a series of single values, its last state through a linear layer."""

    def __init__(self, width):
        super().__init__()
        self.encoder = torch.nn.LSTM(1, width, batch_first=True)
        self.head = torch.nn.Linear(width, 48)

    def forward(self, x):
        return self.head(self.encoder(x)[0][:, -1])


def dense(width):
    return torch.nn.Sequential(torch.nn.Linear(128, width), torch.nn.ReLU(), torch.nn.Linear(width, 769))


NETWORKS = {
    "dense 128-128-769": (lambda: dense(128), (BATCH, 128), 769),
    "dense 128-768-769": (lambda: dense(768), (BATCH, 128), 769),
    "lstm 48 steps, 32 wide": (lambda: Forecaster(32), (BATCH, 48, 1), 48),
    "lstm 48 steps, 64 wide": (lambda: Forecaster(64), (BATCH, 48, 1), 48),
    "lstm 48 steps, 128 wide": (lambda: Forecaster(128), (BATCH, 48, 1), 48),
}


def torch_times(name, fused):
    make, shape, outputs = NETWORKS[name]
    network, x, y = make(), torch.randn(shape), torch.randn(BATCH, outputs)
    optimiser = torch.optim.Adam(network.parameters(), fused=fused)
    times = []
    for _ in range(STEPS + 20):
        start = time.perf_counter()
        optimiser.zero_grad()
        loss = torch.nn.functional.mse_loss(network(x), y)
        loss.backward()
        optimiser.step()
        times.append(1e6 * (time.perf_counter() - start))
    return times[20:]


def processor():
    try:
        with open("/proc/cpuinfo") as info:
            return next(line.split(":")[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def measure(program):
    """Yields, for each network, its name and the microseconds of hcr, PyTorch and PyTorch with its fused Adam."""
    torch.set_num_threads(1)
    ours = {name: [] for name in NETWORKS}
    theirs = {name: {False: [], True: []} for name in NETWORKS}
    for _ in range(TURNS):
        for line in subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines():
            name, median, _ = line.split("\t")
            ours[name].append(float(median))
        for name in NETWORKS:
            for fused in (False, True):
                theirs[name][fused].append(statistics.median(torch_times(name, fused)))
    for name in NETWORKS:
        yield name, statistics.median(ours[name]), *(statistics.median(theirs[name][fused]) for fused in (False, True))


def main(program):
    print(f"{processor()}, one thread, PyTorch {torch.__version__}; medians, microseconds a step, batch {BATCH}")
    print(f"{'network':26}{'hcr':>8}{'torch':>8}{'fused':>8}{'ratio':>8}{'fused':>8}")
    for name, mine, plain, fused in measure(program):
        print(f"{name:26}{mine:8.0f}{plain:8.0f}{fused:8.0f}{plain / mine:8.2f}{fused / mine:8.2f}")


if __name__ == "__main__":
    main(sys.argv[1])
