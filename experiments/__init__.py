"""The experiments of Signorelli and Lombardi (arXiv 2504.08415), over the Python package: `python -m experiments`."""

import os

# One thread a training and a map: problems run beside each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
