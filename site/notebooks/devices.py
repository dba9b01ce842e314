# %% [markdown]
# # For devices: the guarantee as C99
#
# A region becomes C source with its own self-test: no library, no allocation, in single precision
# where that is what the processor has. Here a friction cone limits what a gripper does.

# %%
import pathlib
import subprocess
import tempfile

import hcr
import numpy as np

text = """
var force[3]
norm(force[:2]) <= 0.6 * force[2]   # the push is at most a share of the load
0.5 <= force[2] <= 6
"""
region = hcr.Region(text)
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "grip.region").write_text(text)
export = ["hcr", "export", "c", "grip.region", "-o", "grip", "--single", "--name", "grip"]
print(subprocess.run(export, cwd=folder, check=True, capture_output=True, text=True).stdout)
for path in sorted((folder / "grip").iterdir()):
    print(f"{path.name:16} {path.stat().st_size:6} bytes")

# %% [markdown]
# Any C99 compiler takes it; `grip_test.c` runs the maps and compares them with results from here.

# %%
flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror"]
subprocess.run(["cc", *flags, "grip.c", "grip_test.c", "-lm", "-o", "grip_test"], cwd=folder / "grip", check=True)
print(subprocess.run(["./grip_test"], cwd=folder / "grip", check=True, capture_output=True, text=True).stdout)

# %% [markdown]
# The same floats as here, for any input:

# %%
steps = np.random.default_rng(0).normal(size=(1000, 3)).astype(np.float32) * 4
results = region.contract(steps)
print(results.dtype, region.check(results).all())

# %% [markdown]
# Whole trained models, CUDA, sizes and instruction counts: [on a device](../export.md).
