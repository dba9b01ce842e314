"""Policies of torch as C: the C compiler takes them without a warning, they do what torch does, and stay inside."""

from __future__ import annotations

import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import hcr

torch = pytest.importorskip("torch")

from torch import nn

import hcr.torch

if shutil.which("gcc") is None:
    pytest.skip("gcc isn't here", allow_module_level=True)

PARTS = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "export"
WARNINGS = ["-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wdouble-promotion", "-Werror"]
ARM = ["arm-none-eabi-gcc", "-std=c99", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]
QEMU = ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-monitor", "none", "-kernel"]
REGIONS = {
    "disc": "var u[2]\nnorm(u) <= 1",
    "moving": "param cap in [0.5, 2]\nvar y[2]\n0 <= y <= 1\nsum(y) <= cap",
    "simplex": "var y[3]\ny >= 0\nsum(y) == 1",
    "open": "var y[2]\ny >= 1\nunbounded",
}
# Prints y of states that grow, some far beyond the region's size, the last not a number.
DRIVER = """
#include <math.h>
#include <stdio.h>
#include "pilot_policy.h"
int main(void) {
    unsigned seed = 1u;
    for (unsigned i = 0u; i < 300u; i++) {
        float state[PILOT_STATE];
        pilot_real y[PILOT_OUTPUTS];
        for (unsigned j = 0u; j < PILOT_STATE; j++) {
            seed = seed * 1664525u + 1013904223u;
            state[j] = ((float)(seed >> 8) / 8388608.0f - 1.0f) * 0.05f * (float)(i + 1u);
        }
        if (i == 299u) {
            state[0] = (float)NAN;
        }
#if PILOT_PARAMETERS
        const pilot_real x[1] = {(pilot_real)0.5 + (pilot_real)i / (pilot_real)256};
        const int outcome = pilot_act(state, x, y);
#else
        const int outcome = pilot_act(state, y);
#endif
        printf("%d", outcome);
        for (unsigned j = 0u; j < PILOT_OUTPUTS; j++) {
            printf(" %.17g", (double)y[j]);
        }
        printf("\\n");
    }
    return 0;
}
"""


def network(outputs: int) -> nn.Module:
    torch.manual_seed(outputs)
    inner = nn.Sequential(nn.Linear(16, 12), nn.SiLU(), nn.Dropout(), nn.Linear(12, 8, bias=False), nn.ReLU())
    return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), inner, nn.ELU(), nn.Linear(8, outputs), nn.Identity()).eval()


def ran(command: list, **options) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(folder: pathlib.Path, main: str, compiler: tuple[str, ...]) -> str:
    files = [folder / name for name in ("pilot.c", "pilot_policy.c", main)]
    ran([*compiler, *WARNINGS, "-I", folder, *files, "-lm", "-o", folder / "program"])
    return ran([folder / "program"])


def on_cortex(folder: pathlib.Path, main: str) -> str:
    files = [folder / name for name in ("pilot.c", "pilot_policy.c", main)]
    link = ["--specs=rdimon.specs", "-T", PARTS / "memory.ld", "-lm", "-o", folder / "program.elf"]
    ran([*ARM, "-O2", "-I", folder, *files, PARTS / "start.c", *link])
    return ran([*QEMU, folder / "program.elf"])


def has_cortex() -> bool:
    return all(shutil.which(name) for name in (ARM[0], QEMU[0])) and PARTS.is_dir()


def results(text: str, single: bool) -> tuple[np.ndarray, np.ndarray]:
    rows = [line.split() for line in text.splitlines()]
    y = np.array([[float(v) for v in row[1:]] for row in rows], np.float32 if single else np.float64)
    return y, np.array([int(row[0]) for row in rows])


def assert_inside(text: str, region: hcr.Region, single: bool) -> None:
    y, outcomes = results(text, single)
    assert len(y) == 300 and outcomes[-1] == 4 and (outcomes[:-1] != 4).all()  # PILOT_BAD_VALUE
    x = 0.5 + np.arange(300)[:, None] / 256 if region.p else None
    assert region.check(y, None if x is None else x.astype(y.dtype)).all()


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("kind", ["contract", "soften", "decode", "tanh"])
@pytest.mark.parametrize("name", REGIONS)
def test_policy(name, kind, single, tmp_path):
    region = hcr.Region(REGIONS[name])
    policy = network(region.n + 1 if kind == "decode" else region.freedom)
    states = 3 * torch.randn(16, 4)
    hcr.torch.export_c(policy, tmp_path, region, kind, name="pilot", single=single, states=states)
    (tmp_path / "driver.c").write_text(DRIVER)
    for compiler in (("gcc", "-std=c99"), ("g++", "-std=c++17", "-x", "c++")):
        assert "16 states: as expected" in built(tmp_path, "pilot_policy_test.c", compiler)
    text = built(tmp_path, "driver.c", ("gcc", "-std=c99"))
    if name != "open" or kind != "decode":  # nothing stops some directions: the origin, with that outcome
        assert_inside(text, region, single)
    if has_cortex() and single and name == "moving":
        assert "as expected" in on_cortex(tmp_path, "pilot_policy_test.c")
        assert_inside(on_cortex(tmp_path, "driver.c"), region, single)


def test_a_wrong_network_is_noticed(tmp_path):
    """The self-test fails where a weight is another."""
    region = hcr.Region(REGIONS["disc"])
    hcr.torch.export_c(network(2), tmp_path, region, "soften", name="pilot")
    source = (tmp_path / "pilot_policy.c").read_text()
    start = source.index("bias_3[] = {") + len("bias_3[] = {")
    (tmp_path / "pilot_policy.c").write_text(source[:start] + "9.0f + " + source[start:])
    with pytest.raises(AssertionError, match="not as expected"):
        built(tmp_path, "pilot_policy_test.c", ("gcc", "-std=c99"))


@pytest.mark.parametrize("kind", ["contract", "soften", "decode"])
def test_a_network_that_ends_in_a_region(kind, tmp_path):
    region = hcr.Region(REGIONS["disc"])
    policy = nn.Sequential(network(5), hcr.torch.HCRHead(5, region, kind))
    hcr.torch.export_c(policy, tmp_path, name="pilot")
    assert "as expected" in built(tmp_path, "pilot_policy_test.c", ("gcc", "-std=c99"))
    other = nn.Sequential(network(2 + (kind == "decode")), hcr.torch.Constrain(region, kind))
    hcr.torch.export_c(other, tmp_path, name="pilot")
    assert "as expected" in built(tmp_path, "pilot_policy_test.c", ("gcc", "-std=c99"))


def test_refusals(tmp_path):
    region = hcr.Region(REGIONS["disc"])
    for policy, arguments, told in (
        (network(3), (region, "soften"), "gives 3 numbers for 2 free outputs"),
        (network(2), (region, "project"), "kind is 'project'"),
        (nn.Sequential(nn.Linear(4, 2), nn.GELU()), (region, "soften"), r"no C for the layer GELU"),
        (nn.Sequential(nn.Tanh(), nn.Linear(4, 2)), (region, "soften"), "begin with a Linear layer"),
        (nn.Sequential(network(5), hcr.torch.HCRHead(5, region)), (region, "soften"), "leave region and kind out"),
        (nn.Sequential(network(5), hcr.torch.HCRHead(5, region, "project")), (), "C has no HCRHead"),
    ):
        with pytest.raises(hcr.Error, match=told):
            hcr.torch.export_c(policy, tmp_path, *arguments)
    with pytest.raises(hcr.Error, match="name"):
        hcr.torch.export_c(network(2), tmp_path, region, "soften", name="A b")
    assert not list(tmp_path.glob("*policy*"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("algorithm", ["SAC", "PPO"])
def test_stable_baselines3(algorithm, tmp_path):
    """A trained policy, on the Cortex-M4 too: what it does without exploring."""
    gymnasium = pytest.importorskip("gymnasium")
    baselines = pytest.importorskip("stable_baselines3")
    from hcr.stable_baselines3 import PPOPolicy, SACPolicy, export_c

    limits = hcr.Region("param speed in [-8, 8]\nvar torque\n-2 <= torque <= 2\nabs(torque + 0.2*speed) <= 2")
    options = {"region": limits, "parameters": lambda seen: seen[..., 2:], "net_arch": [32, 16]}
    policy = SACPolicy if algorithm == "SAC" else PPOPolicy
    arguments = {"learning_starts": 20, "batch_size": 16} if algorithm == "SAC" else {"n_steps": 32, "batch_size": 16}
    env = gymnasium.make("Pendulum-v1")
    model = getattr(baselines, algorithm)(policy, env, policy_kwargs=options, seed=1, device="cpu", **arguments)
    model.learn(64)
    seen = torch.randn(16, 3)
    export_c(model, tmp_path, name="pilot", states=seen)
    assert "as expected" in built(tmp_path, "pilot_policy_test.c", ("gcc", "-std=c99"))
    # The self-test's expectations are of the layers: those of the policy itself.
    text = (tmp_path / "pilot_policy_test.c").read_text()
    numbers = {
        table: [float.fromhex(v.rstrip("f")) for v in text.split(f"{table}[] = {{")[1].split("}")[0].split(", ")]
        for table in ("expected", "x")
    }
    model.policy.set_training_mode(False)
    parameters = torch.tensor(numbers["x"])[:, None]
    model.policy._limits["parameters"] = lambda _: parameters
    if algorithm == "SAC":
        model.policy.actor._limits["parameters"] = lambda _: parameters
    with torch.no_grad():
        actions = model.policy._predict(seen, deterministic=True)
    np.testing.assert_allclose(actions[:, 0], numbers["expected"], rtol=0, atol=1e-5)  # float32 of numbers up to 2
    if has_cortex():
        assert "as expected" in on_cortex(tmp_path, "pilot_policy_test.c")
