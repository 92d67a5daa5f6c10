"""What happens to the clients of the concurrency run: pauses, kills, and a metastore that is killed and restarted."""

from __future__ import annotations

import logging
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence

from hive_acid.local import EmbeddedMetastore
from support.spark_target import ClientProcess

LOG = logging.getLogger(__name__)
SHORT_PAUSE_SECONDS = 2.0


class Nemesis:
    """Disturbs them, one thing after another; `happened` counts what."""

    def __init__(
        self,
        places: Sequence[ClientProcess],
        metastore: EmbeddedMetastore,
        long_pause_seconds: float,
        after_a_kill: Callable[[], None],
        seed: int = 5,
    ) -> None:
        """A long pause is one after which the metastore has ended the client's transactions."""
        self._places = places
        self._metastore = metastore
        self._long_pause_seconds = long_pause_seconds
        self._after_a_kill = after_a_kill
        self._random = random.Random(seed)
        self._disturbances = (
            self.kill_client,
            self.pause_shortly,
            self.kill_metastore,
            self.pause_for_long,
            self.pause_jvm,
        )
        self.happened: Counter[str] = Counter()

    def run(self, is_enough: Callable[[], bool], gap_seconds: float) -> None:
        """All disturbances in turn, with gaps, until it is enough; each at least once."""
        turn = 0
        while turn < len(self._disturbances) or not is_enough():
            time.sleep(gap_seconds)
            disturbance = self._disturbances[turn % len(self._disturbances)]
            LOG.info("%s begins", disturbance.__name__)
            disturbance()
            LOG.info("%s has ended", disturbance.__name__)
            self.happened[disturbance.__name__] += 1
            turn += 1

    def pause_shortly(self) -> None:
        """Both halves of a client process stand still, its transactions stay."""
        self._pause(self._choose().session.process_ids, SHORT_PAUSE_SECONDS)

    def pause_for_long(self) -> None:
        """Both halves stand still, and find their transactions ended when they go on."""
        self._pause(self._choose().session.process_ids, self._long_pause_seconds)

    def pause_jvm(self) -> None:
        """The JVM stands still, as in a full garbage collection; heartbeats go on."""
        self._pause(self._choose().session.process_ids[:1], SHORT_PAUSE_SECONDS)

    def kill_client(self) -> None:
        """A client process ends, and there is another one when this returns."""
        place = self._choose()
        place.replace(self._after_a_kill)
        place.session.wait_started()

    def kill_metastore(self) -> None:
        """The metastore ends, and starts again at the same address over the same database."""
        self._metastore.kill()
        self._metastore.restart()

    def _choose(self) -> ClientProcess:
        return self._random.choice(self._places)

    def _pause(self, process_ids: Sequence[int], seconds: float) -> None:
        try:
            for process_id in process_ids:
                os.kill(process_id, signal.SIGSTOP)
            time.sleep(seconds)
        finally:
            for process_id in process_ids:
                os.kill(process_id, signal.SIGCONT)
