# %% [markdown]
# # Coming from RAYEN, cvxpylayers, Πnet or clip()
#
# What you write today, and what it becomes. All results here are inside at tolerance 0. The tests of the Python
# package compare with RAYEN, Πnet and cvxpylayers themselves: the same results, to their tolerances.

# %%
import hcr
import numpy as np

raw = np.random.default_rng(0).normal(size=(1000, 4)) * 3

# %% [markdown]
# ## From `clip()`
#
# `np.clip` handles bounds, and nothing that ties outputs together:

# %%
region = hcr.Region("var y[4]\n0 <= y <= 1\nsum(y) <= 2")
clipped = np.clip(raw, 0, 1)
print(f"clip: {region.check(clipped).mean():.0%} inside; project: {region.check(region.project(raw)).mean():.0%}")
box = hcr.Region("var y[4]\n0 <= y <= 1")
off = np.abs(box.project(raw) - clipped).max()
print(f"of bounds alone, project gives clip's results, to {off:.0e}")
assert off <= 1e-12  # the margin next to a bound

# %% [markdown]
# `softmax(x)` for shares that sum to 1 leaves no way to limit a share. A region has both:

# %%
shares = hcr.Region("var w[4]\n0 <= w <= 0.4\nsum(w) == 1")
w = shares.project(raw)
print(f"largest share {w.max()}, sums are 1 exactly: {np.all(w.sum(1) == 1)}")

# %% [markdown]
# ## From RAYEN
#
# RAYEN's layer takes a step from an interior point, and shortens it where it leaves the set: that is
# `contract`. Its constraints become text, or come as matrices:

# %%
A, b = np.array([[1.0, 2, 0, 1], [-1, 1, 1, 0]]), np.array([3.0, 2.0])
P = np.diag([1.0, 2, 3, 4])
same = hcr.Region("var y[4]\nA @ y <= b\nquad_form(y, P) <= 2\n", A=A, b=b, P=P)
y = same.contract(raw)
print(same.check(y).all(), f"largest A y − b in floating point: {(y @ A.T - b).max():.1e}")

# %% [markdown]
# In PyTorch, `rayen.constraint_module` becomes `hcr.torch.Constrain(region, "contract")`. Linear,
# quadratic, second-order cone and matrix inequalities all have their lines in
# [the language](../region-language.md).
#
# ## From cvxpylayers
#
# A problem that projects becomes `hcr.torch.CvxpyLayer(problem, parameters=…, variables=…)`, with the
# same arguments and the same result, or, without CVXPY:

# %%
limits = hcr.Region("param cap in [0.5, 2]\nvar y[4]\ny >= 0\nsum(y) <= cap")
cap = np.random.default_rng(1).uniform(0.5, 2, (1000, 1))
y = limits.project(raw, cap)
print(
    limits.check(y, cap).all(),
    "by the parameter:",
    limits.project.vjp(raw, np.ones_like(y), cap)[1][:3].ravel().round(3),
)

# %% [markdown]
# [The nearest point as a layer](../nearest.md) has the details, and the speeds.
#
# ## From Πnet
#
# Πnet projects onto equalities, bounds and rows by splitting, up to a tolerance. `project` gives the
# nearest point to 1e-8 and exactly inside, also for cones and matrix inequalities:

# %%
rows = hcr.Region(
    "var y[4]\nA @ y == 1\n-1 <= y <= 1\nC @ y <= 0.5\n", A=[[1.0, 1, 1, 1]], C=[[1.0, -1, 0, 0], [0, 0, 1, -1]]
)
y = rows.project(raw)
print(rows.check(y).all(), f"equality off by at most {np.abs(y.sum(1) - 1).max():.1e}")
