# %% [markdown]
# # For controllers: an input that keeps the state safe
#
# A drone in the plane is told to fly straight to its goal. A tree stands in the way. At each step
# the wanted acceleration is replaced by the nearest one that keeps a control barrier function of the
# tree, and the limits of the motors, exactly: [`hcr.control.Barrier`](../control.md).

# %%
import matplotlib.pyplot as plt
import numpy as np
from hcr.control import Barrier

tree, radius, goal = np.array([2.0, 0.15]), 0.7, np.array([4.0, 0.0])
stay = Barrier("var a[2]\nnorm(a) <= 4", 1, largest=200.0)

# %% [markdown]
# With r = |x − tree|² − radius², h = dr/dt + 2 r is a barrier of second order: h ≥ 0 keeps r ≥ 0. Its
# derivative is affine in the acceleration a: dh/dt = 2|v|² + 2 d·a + 4 d·v, with d = x − tree.


# %%
def fly(safe, seconds=8.0, step=0.02):
    x, v, path = np.array([0.0, 0.0]), np.zeros(2), []
    for _ in range(int(seconds / step)):
        a = 1.5 * (goal - x) - 2.2 * v
        a *= min(1.0, 3.9 / max(np.linalg.norm(a), 1e-9))
        if safe:
            d = x - tree
            h = 2 * d @ v + 2 * (d @ d - radius**2)
            a, _ = stay(a, value=[h], drift=[2 * v @ v + 4 * d @ v], control=[2 * d], rate=3.0)
        v = v + step * a
        x = x + step * v
        path.append(x)
    return np.array(path)


free, kept = fly(False), fly(True)
nearest = [np.linalg.norm(path - tree, axis=1).min() for path in (free, kept)]
print(f"nearest to the tree's middle, of radius {radius}: {nearest[0]:.3f} without, {nearest[1]:.3f} with the filter")
assert nearest[1] > radius - 0.02  # steps of 20 ms: the barrier is one of continuous time

# %%
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.add_patch(plt.Circle(tree, radius, color="#1c6b3c", alpha=0.3))
axes.plot(*free.T, "--", color="#b3261e", label="as told")
axes.plot(*kept.T, color="#0b63b5", label="filtered")
axes.plot(*goal, "k+", markersize=12)
axes.set_aspect("equal")
axes.legend(frameon=False)
plt.show()

# %% [markdown]
# Policies that are trained with their limits, densities with the right log-probability, Gymnasium
# and Stable-Baselines3: [policies and controllers](../control.md).
