"""How many threads a large batch takes."""

from __future__ import annotations

import ctypes
import os

#: HCR_MOST_THREADS of hcr.h.
MOST = 4096


def _default() -> int:
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    if wanted.isdecimal() and 0 < int(wanted) <= MOST:
        return int(wanted)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


#: The count itself, where the library's calls from XLA find it.
count = ctypes.c_size_t(_default())
_forked = False


def set_threads(wanted: int) -> None:
    """Sets how many threads the maps take for a large batch; results don't depend on it.

    At first it is the value of ``OMP_NUM_THREADS``, where that is from 1 to 4096, or one a core. `hcr.torch` takes
    ``torch.get_num_threads()`` instead.

    >>> import hcr
    >>> before = hcr.get_threads()
    >>> hcr.set_threads(1)
    >>> hcr.get_threads()
    1
    >>> hcr.set_threads(before)
    """
    if not 1 <= wanted <= MOST:
        raise ValueError(f"{wanted} threads: there must be from 1 to {MOST}")
    count.value = wanted


def get_threads() -> int:
    """How many threads the maps take for a large batch."""
    return count.value


def limit(wanted: int) -> int:
    """`wanted`, but 1 in a process that was forked: OpenMP's threads don't survive a fork, and would be waited for."""
    return 1 if _forked else wanted


def _after_fork() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
