# %% [markdown]
# # Why exactly?
#
# A constraint that holds to 1e-9 doesn't hold. What comes after the model asks with `<=`: a simulator refuses the
# schedule, an auditor finds the position over its limit, `sqrt(cap - load)` is NaN, and one row in a million stops the
# night's run. A tolerance on top moves the question to the next reader, whose tolerance is another. Where every result
# satisfies every inequality in exact arithmetic, nobody needs one.
#
# ## The formula isn't enough
#
# The way along a ray has a closed form: y = O + v / max(1, γ). Here it is in NumPy, for a region of 48 hours, and
# beside it what hcr gives. Both are checked in rational arithmetic.

# %%
import hcr
import matplotlib.pyplot as plt
import numpy as np

region = hcr.Region("var load[48]\n0 <= load <= 900\nabs(diff(load)) <= 50\nsum(load) <= 30000")
steps = np.random.default_rng(0).normal(0, 400, (100_000, 48))


def formula(v):
    return region.origin + v / np.maximum(1, region.gauge(v))[:, None]


for name, y in [("formula", formula(steps)), ("hcr", region.contract(steps))]:
    worst = region.violation(y)[0].max()
    print(f"{name}: {region.check(y).mean():.1%} inside at tolerance 0; the worst limit is at {worst:+.1e}")
assert region.check(region.contract(steps)).all()

# %% [markdown]
# The formula is right, and rounding puts its result on the one or the other side of the frontier, as it happens. A
# smaller step, "to be safe", is either too small to help or gives away what the limit allows. hcr knows how much
# rounding can do to a row, a cone or a matrix ([the derivation](../exactness.md)), and stops short of the frontier by
# that and no more:

# %%
print(f"given up: {region.margin.double:.1e} of the radius in double precision, {region.margin.single:.1e} in single")

# %% [markdown]
# ## A frontier under the microscope
#
# One limit, `y[0] + 3 * y[1] <= 2`, in single precision, a few millionths around a point of the frontier. The dots are
# all the numbers that there are; those above the line are forbidden. Red is where the formula ends, blue is where hcr
# does, for the same rays.

# %%
small = hcr.Region("var y[2]\ny[0] + 3 * y[1] <= 2\ny >= -0.1\norigin = [0, 0]")
angle = np.linspace(0.62, 0.62 + 6e-6, 60)
rays = (9 * np.c_[np.cos(angle), np.sin(angle)]).astype(np.float32)
gauge = small.gauge(rays)
plain = (rays / np.maximum(1, gauge)[:, None]).astype(np.float32)
kept = small.contract(rays)
assert small.check(kept).all()
unit = 2.0**-24
middle = np.round(plain.mean(0) / unit) * unit
print(f"given up here: {small.margin.single:.1e} of the radius")
figure, axes = plt.subplots(figsize=(9, 4.4), layout="constrained")
x = np.array([-26, 26])
axes.fill_between(x, -(x + (middle @ [1, 3] - 2) / unit) / 3, 14, color="#fdecea")
grid = np.stack(np.meshgrid(np.arange(-26, 27), np.arange(-24, 14, 0.5)), -1).reshape(-1, 2)
axes.plot(*grid.T, ".", color="0.75", markersize=1.5)
for points, colour, label in ((plain, "#b3261e", "formula"), (kept, "#0b63b5", "hcr")):
    inside = small.check(points).mean()
    axes.plot(*((points - middle) / unit).T, "o", color=colour, markersize=5, label=f"{label}: {inside:.0%} inside")
axes.set(xlim=(-26, 26), ylim=(-24, 14), xlabel="y[0], in units of 2⁻²⁴", ylabel="y[1]")
axes.legend(loc="lower left")
plt.show()

# %% [markdown]
# ## Beside others
#
# The share of results that satisfy every inequality at tolerance 0, from [performance](../performance.md), which has
# the regions, versions and times:
#
# | layer | what it does | inside |
# |---|---|---:|
# | RAYEN | along a ray | 53–68 % |
# | cvxpylayers | nearest point | 0–70 % |
# | Πnet, 50 steps | nearest point | 0–49 % |
# | DAQP | nearest point | 0–63 % |
# | ProxQP's layer | nearest point | 0–14 % |
# | qpth | nearest point | 0–100 % |
# | hcr | both | 100 % |
#
# Most of what they miss by is 1e-7 to 1e-15, which is what their authors promise. It is inside "up to a tolerance";
# the question is who pays for that.
