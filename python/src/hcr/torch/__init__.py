"""The maps as PyTorch functions, and layers that end, or stand inside, any network.

Gradients, `torch.compile` (without graph breaks), `torch.export`, `torch.func.vmap` and autocast work. On the CPU the C
kernels run, on NVIDIA's GPUs the region's own (`kernels`); on other devices torch's own operations do, for boxes, rows,
quadratics and cones: regions with other kinds go by way of the CPU there.
"""

from . import distributions
from .barriers import barrier_rows
from .c_export import export_c
from .cvxpy_layer import CvxpyLayer
from .functions import contract, decode, encode, gauge, minimise, project, soften, soften_inverse
from .modules import Constrain, HCRHead
from .network import Blend, Network

__all__ = [
    "Blend",
    "Constrain",
    "CvxpyLayer",
    "HCRHead",
    "Network",
    "barrier_rows",
    "contract",
    "decode",
    "distributions",
    "encode",
    "export_c",
    "gauge",
    "minimise",
    "project",
    "soften",
    "soften_inverse",
]
