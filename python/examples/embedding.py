"""A constrained layer in the middle of a network, trained end to end.

    pip install './python[examples]'
    python python/examples/embedding.py [--steps 400]

Spectra of mixtures are explained by an unmixing network: an encoder, shares of four substances as the embedding, and a
decoder that learns the substances' spectra. Shares are not negative, sum to 1, and none of the two rare substances
exceeds a fifth: a region in the middle. So every embedding is a mixture, whatever comes in. Spectra alone don't say
which entry is which substance: forty mixtures of known shares, as a laboratory calibrates with, do.
"""

import argparse

import numpy as np

try:
    import torch
except ImportError as missing:
    raise SystemExit(f"embedding.py needs {missing.name}: pip install './python[examples]'") from None

import hcr
import hcr.torch

SHARES = """
var share[4]
share >= 0
sum(share) == 1
share[2:] <= 0.2
"""
CHANNELS, KNOWN = 30, 40


def mixtures(random, count):
    """Spectra (count, CHANNELS) of four bell-shaped lines, mixed, with noise; and the true shares."""
    at = np.linspace(0, 1, CHANNELS)
    lines = np.exp(-(((at - np.array([[0.15], [0.4], [0.6], [0.85]])) / 0.08) ** 2))
    rare = 0.2 * random.random((count, 2))
    first = random.random((count, 1)) * (1 - rare.sum(1, keepdims=True))
    shares = np.hstack([first, 1 - first - rare.sum(1, keepdims=True), rare])
    return torch.tensor(shares @ lines + 0.01 * random.standard_normal((count, CHANNELS)), dtype=torch.float32), shares


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--steps", type=int, default=400)
    options = arguments.parse_args()
    random = np.random.default_rng(3)
    torch.manual_seed(0)
    region = hcr.Region(SHARES)
    print(region, f"with {region.freedom} coordinates free")

    spectra, shares = mixtures(random, 2000)
    encoder = torch.nn.Sequential(
        torch.nn.Linear(CHANNELS, 32), torch.nn.ReLU(), hcr.torch.HCRHead(32, region, "soften")
    )
    decoder = torch.nn.Linear(4, CHANNELS, bias=False)
    optimiser = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], 1e-2)
    known = torch.tensor(shares[:KNOWN], dtype=torch.float32)
    for step in range(options.steps):
        batch = spectra[torch.randint(len(spectra), (128,))]
        loss = (decoder(encoder(batch)) - batch).square().mean()
        loss = loss + (encoder(spectra[:KNOWN]) - known).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % max(options.steps // 5, 1) == 0:
            print(f"step {step:4}  loss {loss.item():.5f}")

    with torch.no_grad():
        embedding = encoder(torch.cat([spectra, 100 * torch.randn_like(spectra)])).numpy()
    inside = region.check(embedding).all()
    correlation = [np.corrcoef(embedding[KNOWN : len(shares), j], shares[KNOWN:, j])[0, 1] for j in range(4)]
    print(f"correlation of learnt with true shares, of mixtures that weren't known: {np.round(correlation, 2)}")
    print(f"every embedding is a mixture, for noise too: {inside}")
    assert inside


if __name__ == "__main__":
    main()
