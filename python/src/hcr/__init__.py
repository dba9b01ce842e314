"""Outputs of learned models that satisfy hard constraints, exactly.

`Region` says which outputs are allowed and maps points into them. `hcr.torch`, `hcr.jax`, `hcr.sklearn` and
`hcr.onnx` bring that to the libraries they are named for, which are imported with them and not before. `fit` and
`load_model` train and read models by the C library alone.
"""

from ._library import __version__
from ._ranges import ranges
from ._records import Constraint, Margin, Outcome, Parameters, Visibility
from ._relaxation import Relaxation
from ._threads import get_threads, set_threads
from .builder import Builder
from .errors import Error, FileError, InvalidError, OutOfMemoryError, UnsupportedError
from .model import FitReport, Model, Progress, fit, load_model
from .region import Region

__all__ = [
    "Builder",
    "Constraint",
    "Error",
    "FileError",
    "FitReport",
    "InvalidError",
    "Margin",
    "Model",
    "OutOfMemoryError",
    "Outcome",
    "Parameters",
    "Progress",
    "Region",
    "Relaxation",
    "UnsupportedError",
    "Visibility",
    "__version__",
    "fit",
    "get_threads",
    "load_model",
    "ranges",
    "set_threads",
]
