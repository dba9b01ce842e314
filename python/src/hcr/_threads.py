"""How many threads a large batch takes."""

from __future__ import annotations

import os


def _default() -> int:
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_threads = _default()
_forked = False


def set_threads(count: int) -> None:
    """Sets how many threads the maps take for a large batch; results don't depend on it.

    At first it is the value of ``OMP_NUM_THREADS``, or one a core. `hcr.torch` takes ``torch.get_num_threads()``
    instead.

    >>> import hcr
    >>> before = hcr.get_threads()
    >>> hcr.set_threads(1)
    >>> hcr.get_threads()
    1
    >>> hcr.set_threads(before)
    """
    global _threads
    if count < 1:
        raise ValueError(f"{count} threads: there must be at least one")
    _threads = count


def get_threads() -> int:
    """How many threads the maps take for a large batch."""
    return _threads


def limit(wanted: int) -> int:
    """`wanted`, but 1 in a process that was forked: OpenMP's threads don't survive a fork, and would be waited for."""
    return 1 if _forked else wanted


def _after_fork() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
