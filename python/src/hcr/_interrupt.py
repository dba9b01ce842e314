"""Calls that may take minutes, and that Ctrl-C ends."""

from __future__ import annotations

import threading
from collections.abc import Callable

from . import _library


class Stop:
    """How a long call is ended: a flag, and the callback that reads it."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self.callback = _library.StopCallback(lambda _: self._asked.is_set())

    def ask(self) -> None:
        self._asked.set()


def run(make: Callable[[Stop], int], drop: Callable[[int], None]) -> int:
    """What `make` gives, an address. `make` runs in a thread of its own, since a signal is heard only by a main thread
    that isn't in a call; the exception that it raises ends the wait at once. What is made nevertheless is dropped."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        return make(stop)
    made: list[int] = []
    failed: list[BaseException] = []
    lock, abandoned = threading.Lock(), False

    def work() -> None:
        try:
            address = make(stop)
        except BaseException as reason:
            failed.append(reason)
            return
        with lock:
            if abandoned:
                drop(address)
            else:
                made.append(address)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.1)  # a signal may reach another thread, which doesn't wake this one
    except BaseException:
        stop.ask()
        with lock:
            abandoned = True
            for address in made:
                drop(address)
        thread.join(0.5)  # mostly it is over by then, and nothing goes on behind the caller's back
        raise
    if failed:
        raise failed[0]
    return made[0]
