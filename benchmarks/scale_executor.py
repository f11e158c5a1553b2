"""Executors of Spark that are lost in the middle of a query: the same answer, or one message.

Usage: python benchmarks/scale_executor.py

A cluster of two executors on this machine, each a process of its own. While a query runs one is
killed; then, in another run, both. Takes some minutes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from scale_data import PREDICTIONS, RATINGS, write

SIZE = 200_000


def main(folder: Path) -> None:
    """Survey while executors are killed."""
    ratings, predictions = str(folder / "r.parquet"), str(folder / "p.parquet")
    write(Path(ratings), RATINGS, SIZE)
    write(Path(predictions), PREDICTIONS, SIZE // 10)
    session = cluster(folder)
    from headcount import DataError, survey

    options: dict[str, Any] = {"bootstrap": 50, "rng": 1, "together": False}
    wanted = survey(ratings, predictions, **options)
    frames = [session.read.parquet(one) for one in (ratings, predictions)]
    for number in (1, 2):
        killer = Killer(session, number)
        killer.start()
        start = time.perf_counter()
        try:
            found = survey(*frames, **options)
            worths = [[one.worth.value for one in each.classifiers] for each in (found, wanted)]
            said = "the answer of data in memory" if worths[0] == worths[1] else "another answer"
        except DataError as error:
            said = f"'{error}'"
        finally:
            killer.done.set()
            killer.join()
        seconds = time.perf_counter() - start
        print(f"{killer.killed} of two executors killed ({seconds:.0f} s): {said}.", flush=True)
    session.stop()


def cluster(folder: Path) -> Any:
    """Start executors; what they write goes into a folder."""
    import pyspark
    from pyspark.sql import SparkSession

    installed, home = Path(pyspark.__file__).parent, folder / "spark"
    home.mkdir()
    for part in ("bin", "jars"):
        (home / part).symlink_to(installed / part)
    os.environ |= {"SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    return (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.local.dir", str(folder))
        .getOrCreate()
    )


class Killer(threading.Thread):
    """Kills so many executors while a job runs."""

    def __init__(self, session: Any, number: int) -> None:
        super().__init__(daemon=True)
        self.context, self.number = session.sparkContext, number
        self.killed, self.done = 0, threading.Event()

    def run(self) -> None:
        """Look every so often, until they were killed or it is done."""
        while not self.killed and not self.done.wait(0.2):
            running = self._executors()
            if len(running) >= self.number and self.context.statusTracker().getActiveJobsIds():
                for process in running[: self.number]:
                    os.kill(process, signal.SIGKILL)
                    self.killed += 1

    def _executors(self) -> list[int]:
        """Processes of the executors of this session."""
        listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True)
        mine = ("CoarseGrainedExecutorBackend", self.context.applicationId)
        return [
            int(line.split()[0])
            for line in listed.stdout.splitlines()
            if all(sign in line for sign in mine) and "/bin/java" in line
        ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(Path(made))
