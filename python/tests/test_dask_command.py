"""`python -m hcr.dask` writes the bytes of one process on a cluster too, also where a worker or itself is killed."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import hcr

pytest.importorskip("dask.dataframe")
pytest.importorskip("pyarrow")
distributed = pytest.importorskip("distributed")
import pandas as pd

from hcr._dask_command import main

TEXT = "var y[3]\nparam cap in [1, 5]\nlog_sum_exp(y) <= cap\ny >= -2"
MAPS = ("project", "encode", "decode", "contract", "check", "predict")
# Dask's own threads warn as they end.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A region, a model and tables of eight files."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "cap.region").write_text(TEXT)
    region, random = hcr.Region(TEXT), np.random.default_rng(3)
    caps = random.uniform(1, 5, (400, 1))
    points = pd.DataFrame(np.hstack([caps, 3 * random.standard_normal((400, 3))]), columns=["cap", *region.names])
    names = [*(f"d:{name}" for name in region.names), "r"]
    polar = pd.DataFrame(np.hstack([random.standard_normal((400, 3)), random.random((400, 1))]), columns=names)
    X = pd.DataFrame(random.standard_normal((400, 2)), columns=["a", "b"])
    hcr.fit(region, X, region.sample(400, 1, caps), parameters=caps, epochs=1, hidden=4).save(folder / "model")
    for name, frame in {"points": points, "polar": polar.assign(cap=caps), "X": X.assign(cap=caps)}.items():
        (folder / name).mkdir()
        for part in range(8):
            frame[50 * part : 50 * part + 50].to_parquet(folder / name / f"{part}.parquet", index=False)
    points.to_csv(folder / "points.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster


def command(folder, map_, out, *options):
    owner = folder / ("model" if map_ == "predict" else "cap.region")
    data = folder / {"decode": "polar", "predict": "X"}.get(map_, "points")
    return [map_, str(owner), str(data), str(out), *options]


def content(out):
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(out).iterdir())}


@pytest.mark.parametrize("map_", MAPS)
def test_the_bytes_of_one_process(folder, cluster, tmp_path, map_, capsys):
    code = 1 if map_ == "check" else 0
    assert main(command(folder, map_, tmp_path / "alone")) == code
    assert main(command(folder, map_, tmp_path / "many", "--scheduler", cluster.scheduler_address)) == code
    assert content(tmp_path / "alone") == content(tmp_path / "many")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alone", "many"]
    got = pd.read_parquet(tmp_path / "alone").to_numpy()
    given = pd.read_parquet(command(folder, map_, "")[2])
    cap = given.pop("cap").to_numpy()[:, None]
    owner = hcr.load_model(folder / "model") if map_ == "predict" else hcr.Region(TEXT)
    wanted = getattr(owner, map_)(given.to_numpy(), cap)
    np.testing.assert_array_equal(got[:, 0] if map_ == "check" else got, wanted)
    said = capsys.readouterr().out.splitlines()
    rows = f"{int(wanted.sum())} of 400 rows inside, decided exactly" if map_ == "check" else "400 rows"
    assert said == [rows, rows]


def test_csv(folder, tmp_path):
    assert main(["project", str(folder / "cap.region"), str(folder / "points.csv"), str(tmp_path / "out")]) == 0
    assert main(command(folder, "project", tmp_path / "wanted")) == 0
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "out"), pd.read_parquet(tmp_path / "wanted"))


# A part takes longer to map than a process takes to be killed.
SLOW = "var y[40]\nnorm(y, 3) <= 1\nlog_sum_exp(y) <= 4\nsum(exp(y)) <= 45"


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    """A region, a table of 24 parts, and what they become."""
    folder = tmp_path_factory.mktemp("slow")
    (folder / "slow.region").write_text(SLOW)
    (folder / "in").mkdir()
    region, random = hcr.Region(SLOW), np.random.default_rng(4)
    for part in range(24):
        frame = pd.DataFrame(random.standard_normal((60, 40)), columns=region.names)
        frame.to_parquet(folder / "in" / f"{part:02}.parquet", index=False)
    assert main(["project", str(folder / "slow.region"), str(folder / "in"), str(folder / "wanted")]) == 0
    return folder


def start(slow, out, *options):
    whole = [sys.executable, "-m", "hcr.dask", "project", slow / "slow.region", slow / "in", out, *options]
    return subprocess.Popen(list(map(str, whole)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_parts(out, least):
    """Until so many parts are written; how many are."""
    for _ in range(6000):
        count = len(list(pathlib.Path(f"{out}.partial").glob("part-*")))
        if count >= least:
            return count
        time.sleep(0.05)
    raise AssertionError("no part was written within five minutes")


def test_a_worker_is_killed(slow, cluster, tmp_path):
    with distributed.Client(cluster) as client:
        workers = list(client.run(os.getpid).values())
    running = start(slow, tmp_path / "out", "--scheduler", cluster.scheduler_address)
    assert wait_for_parts(tmp_path / "out", 2) < 24
    os.kill(workers[0], signal.SIGKILL)
    said, messages = running.communicate(timeout=300)
    assert running.returncode == 0, messages
    assert said == "1440 rows\n"
    assert content(tmp_path / "out") == content(slow / "wanted")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_resume(slow, tmp_path, capsys):
    out, partial = tmp_path / "out", tmp_path / "out.partial"
    running = start(slow, out)
    wait_for_parts(out, 3)
    running.kill()
    running.communicate(timeout=60)
    kept = {path.name: path.stat().st_mtime_ns for path in partial.glob("part-*")}
    assert 3 <= len(kept) < 24 and not out.exists()
    (partial / ".part-000023.parquet.half").write_bytes(b"PAR1")  # of a process that was killed while it wrote
    again = ["project", str(slow / "slow.region"), str(slow / "in"), str(out)]
    assert main(again) == 2
    assert "go on with --resume" in capsys.readouterr().err
    assert main(["contract", *again[1:], "--resume"]) == 2
    assert "parts of another run" in capsys.readouterr().err
    assert main([*again, "--resume"]) == 0
    assert content(out) == content(slow / "wanted")
    assert {name: (out / name).stat().st_mtime_ns for name in kept} == kept
    assert main([*again, "--resume"]) == 2
    assert "is there already" in capsys.readouterr().err


def test_refused(folder, tmp_path, capsys):
    region, out = str(folder / "cap.region"), str(tmp_path / "out")
    assert main(["project", region, str(tmp_path / "nowhere"), out]) == 4
    assert main(["project", str(tmp_path / "none.region"), str(folder / "points"), out]) == 4
    assert main(["project", region, str(folder / "X"), out]) == 3
    assert "has no column 'y[0]'" in capsys.readouterr().err
    (tmp_path / "wrong.region").write_text("var y[3]\nnorm(z) <= 1")
    assert main(["project", str(tmp_path / "wrong.region"), str(folder / "points"), out]) == 3
    assert "wrong.region:2:6" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["wrong.region"]
    with pytest.raises(SystemExit) as ended:
        main(["frob", region, str(folder / "points"), out])
    assert ended.value.code == 2
