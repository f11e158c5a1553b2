"""Data for engines, and one session of Spark with a Connect server, for all tests that need it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import warnings

import numpy as np
import pytest


def java_17() -> bool:
    """Whether there is a Java that Spark runs on."""
    if shutil.which("java") is None:
        return False
    said = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(\d+)', said.stderr)
    return found is not None and int(found.group(1)) >= 17


class Served:
    """A session of Spark on this machine, the address at which it serves Connect, and its end."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"sc://127.0.0.1:{port}"
        os.environ["PYSPARK_PYTHON"] = sys.executable
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pyspark.sql import SparkSession

            self.classic = (
                SparkSession.builder.master("local[1]")
                .config("spark.ui.enabled", "false")
                .config("spark.ui.showConsoleProgress", "false")
                .config("spark.sql.shuffle.partitions", "1")
                .config("spark.default.parallelism", "1")
                .config("spark.log.level", "OFF")
                .config("spark.sql.adaptive.enabled", "false")
                # Tiny queries: to compile them takes longer than to run them.
                .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
                .config("spark.sql.codegen.wholeStage", "false")
                .config("spark.plugins", "org.apache.spark.sql.connect.SparkConnectPlugin")
                .config("spark.connect.grpc.binding.port", str(port))
                .getOrCreate()
            )

    def connect(self):
        """Open a session by Connect."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pyspark.sql.connect.session import SparkSession

            return SparkSession.builder.remote(self.address).create()

    def kill(self) -> None:
        """End the server as a crash would."""
        self.classic.sparkContext._gateway.proc.kill()


@pytest.fixture(scope="session")
def spark():
    pytest.importorskip("pyspark", reason="Spark is not installed (extra 'spark')")
    if not java_17():
        pytest.skip("Spark needs Java 17 or newer")
    served = Served()
    yield served
    proc = served.classic.sparkContext._gateway.proc
    proc.kill()
    proc.wait()


@pytest.fixture
def served(spark):
    """Spark, unless a test of its end was here before."""
    if spark.classic.sparkContext._gateway.proc.poll() is not None:
        pytest.skip("Spark was ended by another test")
    return spark


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Ratings and predictions of a few items, as CSV and as Parquet."""
    import duckdb

    folder = tmp_path_factory.mktemp("engine")
    rng = np.random.default_rng(5)
    rows, said = ["item,rater,label"], ["item,judge,lm:a,lm:b,lm:c"]
    for item in range(120):
        p = rng.dirichlet([0.6, 0.8, 0.5])
        who = rng.permutation(9)[: rng.integers(1, 7)]
        rows.extend(f"{item},w{rater},{'abc'[rng.choice(3, p=p)]}" for rater in who)
        q = np.round(0.8 * p + 0.2 * rng.dirichlet([1, 1, 1]), 1) + 0.1
        q = q / q.sum()
        if item % 29:
            said.append(f"{item},{'abc'[rng.choice(3, p=p)]},{q[0]:.3f},{q[1]:.3f},{q[2]:.3f}")
    rows.insert(7, "3,w99,NA")
    for name, lines in (("ratings", rows), ("predictions", said)):
        path = folder / f"{name}.csv"
        path.write_text("\n".join(lines) + "\n")
        duckdb.sql(f"COPY (FROM read_csv('{path}')) TO '{path.with_suffix('.parquet')}'")
    return folder
