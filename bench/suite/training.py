"""Training steps (forward, loss, backward, Adam; batch 32): hcr beside PyTorch with its default and its fused Adam."""

import statistics
import time

from . import programs

BATCH, STEPS, TURNS = 32, 150, 3


def networks():
    import torch

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

    made = {f"dense 128-{width}-769": (lambda width=width: dense(width), (BATCH, 128), 769) for width in (128, 768)}
    for width in (32, 64, 128):
        made[f"lstm 48 steps, {width} wide"] = (lambda width=width: Forecaster(width), (BATCH, 48, 1), 48)
    return made


def torch_times(network, fused, steps):
    import torch

    make, shape, outputs = network
    net, x, y = make(), torch.randn(shape), torch.randn(BATCH, outputs)
    optimiser = torch.optim.Adam(net.parameters(), fused=fused)
    times = []
    for _ in range(steps + 20):
        start = time.perf_counter()
        optimiser.zero_grad()
        loss = torch.nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimiser.step()
        times.append(1e6 * (time.perf_counter() - start))
    return statistics.median(times[20:])


def measure(results, options):
    peers = {"PyTorch": False, "PyTorch, fused Adam": True}
    try:
        import torch

        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float32)
        made = networks()
    except ImportError as missing:
        results.leave_out("training", "PyTorch", missing)
        made = {}
    times = {}
    for _ in range(1 if options.quick else TURNS):
        for name, median in programs.lines(options, "train_step"):
            times.setdefault((name, "hcr"), []).append(float(median))
        for name, network in made.items():
            for by, fused in peers.items():
                times.setdefault((name, by), []).append(torch_times(network, fused, 2 if options.quick else STEPS))
    for (name, by), taken in times.items():
        results.add("training", name, "step", by, statistics.median(taken), precision="single", batch=BATCH)
