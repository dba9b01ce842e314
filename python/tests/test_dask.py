"""Over Dask every row is what the region's own method gives, on any scheduler."""

from __future__ import annotations

import numpy as np
import pytest

import hcr

pytest.importorskip("dask.dataframe")
pytest.importorskip("pyarrow")
import dask.array
import dask.dataframe
import pandas as pd

import hcr.dask

TEXT = "var load[6]\n0 <= load <= 9\nabs(load[1:] - load[:-1]) <= 2"
MOVING = "var y[3]\nparam cap in [1, 5]\nparam low in [-1, 0]\ny >= low\nsum(y) <= cap"


@pytest.fixture
def region():
    return hcr.Region(TEXT)


@pytest.fixture
def moving():
    return hcr.Region(MOVING)


def points(random, rows, n, dtype=np.float64):
    return (4 + 4 * random.standard_normal((rows, n))).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("name", ["project", "encode", "contract", "check", "decode"])
def test_arrays(region, random, name, dtype):
    values = points(random, 103, 7 if name == "decode" else 6, dtype)
    lazy = getattr(hcr.dask, name)(region, dask.array.from_array(values, chunks=(25, 3)))
    wanted = getattr(region, name)(values)
    assert lazy.shape == wanted.shape and lazy.dtype == wanted.dtype
    got = lazy.compute(scheduler="threads", num_workers=2)
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)


def test_batches_of_any_shape(region, random):
    values = points(random, 60, 6).reshape(5, 12, 6)
    lazy = hcr.dask.check(region, dask.array.from_array(values, chunks=(2, 5, 6)))
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), region.check(values))


@pytest.mark.parametrize("name", ["project", "encode", "contract", "check"])
def test_frames(region, random, name):
    values = points(random, 50, 6)
    frame = pd.DataFrame(values, columns=region.names, index=np.arange(50) * 3)
    frame["other"] = "text"
    frame = frame[["other", *region.names[::-1]]]
    lazy = getattr(hcr.dask, name)(region, dask.dataframe.from_pandas(frame, npartitions=3))
    got = lazy.compute(scheduler="threads")
    assert list(got.index) == list(frame.index)
    np.testing.assert_array_equal(got.to_numpy(), getattr(region, name)(values))
    if name == "encode":
        assert list(got.columns) == [*(f"d:{n}" for n in region.names), "r"]
        back = hcr.dask.decode(region, lazy).compute(scheduler="threads")
        assert list(back.columns) == list(region.names)
        np.testing.assert_array_equal(back.to_numpy(), region.decode(region.encode(values)))


def test_frames_of_float32(region, random):
    frame = pd.DataFrame(points(random, 20, 6, np.float32), columns=region.names)
    lazy = hcr.dask.contract(region, dask.dataframe.from_pandas(frame, npartitions=2))
    assert set(lazy.dtypes) == {np.dtype(np.float32)}
    np.testing.assert_array_equal(lazy.compute(scheduler="sync").to_numpy(), region.contract(frame.to_numpy()))


def test_parquet(region, random, tmp_path):
    values = points(random, 90, 6)
    frame = pd.DataFrame(values, columns=region.names)
    frame["unused"] = 1.5
    dask.dataframe.from_pandas(frame, npartitions=4).to_parquet(tmp_path / "in")
    hcr.dask.project(region, tmp_path / "in").to_parquet(tmp_path / "out")
    got = pd.read_parquet(tmp_path / "out")
    np.testing.assert_array_equal(got.to_numpy(), region.project(values))
    assert bool(hcr.dask.check(region, str(tmp_path / "out")).all().compute())


def test_parameters(moving, random):
    values, x = points(random, 40, 3), np.column_stack([random.uniform(1, 5, 40), random.uniform(-1, 0, 40)])
    wanted = moving.project(values, x)
    rows = dask.array.from_array(values, chunks=(15, 3))
    given = dask.array.from_array(x, chunks=(7, 1))
    np.testing.assert_array_equal(hcr.dask.project(moving, rows, given).compute(scheduler="sync"), wanted)
    one = hcr.dask.contract(moving, rows, [2.0, -0.5]).compute(scheduler="sync")
    np.testing.assert_array_equal(one, moving.contract(values, [2.0, -0.5]))
    frame = pd.DataFrame(np.hstack([x[:, ::-1], values]), columns=["low", "cap", *moving.names])
    lazy = hcr.dask.project(moving, dask.dataframe.from_pandas(frame, npartitions=3))
    np.testing.assert_array_equal(lazy.compute(scheduler="sync").to_numpy(), wanted)


def test_predictions(moving, random):
    X = pd.DataFrame(random.standard_normal((60, 4)), columns=list("abcd"))
    x = np.column_stack([random.uniform(1, 5, 60), random.uniform(-1, 0, 60)])
    Y = moving.sample(60, 1, x)
    apart = hcr.fit(moving, X, Y, parameters=x, epochs=2, hidden=4)
    lazy = hcr.dask.predict(apart, dask.array.from_array(X.to_numpy(), chunks=(17, 4)), dask.array.from_array(x))
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), apart.predict(X, x))
    frame = X.assign(cap=x[:, 0], low=x[:, 1])
    lazy = hcr.dask.predict(apart, dask.dataframe.from_pandas(frame, npartitions=2))
    np.testing.assert_array_equal(lazy.compute(scheduler="sync").to_numpy(), apart.predict(X, x))
    quantiles = hcr.fit(moving, X, Y, parameters=x, quantiles=[0.2, 0.8], epochs=1, hidden=4)
    lazy = hcr.dask.predict(quantiles, dask.dataframe.from_pandas(frame, npartitions=2))
    assert tuple(lazy.columns) == quantiles.output_names
    np.testing.assert_array_equal(lazy.compute(scheduler="sync").to_numpy(), quantiles.predict(X, x).reshape(60, -1))
    drawn = hcr.fit(moving, X, Y, parameters=x, samples=2, epochs=1, hidden=4)
    with pytest.raises(hcr.UnsupportedError, match="no paths"):
        hcr.dask.predict(drawn, frame)
    among = hcr.fit(moving, frame, Y, epochs=2, hidden=4)
    lazy = hcr.dask.predict(among, dask.dataframe.from_pandas(frame, npartitions=2))
    np.testing.assert_array_equal(lazy.compute(scheduler="sync").to_numpy(), among.predict(frame))
    assert list(lazy.columns) == list(moving.names)


def test_refused(region, moving, random):
    values = points(random, 8, 6)
    with pytest.raises(hcr.InvalidError, match="last axis must have 6"):
        hcr.dask.project(region, dask.array.from_array(values[:, :5]))
    frame = dask.dataframe.from_pandas(pd.DataFrame(values[:, :5], columns=region.names[:5]), npartitions=1)
    with pytest.raises(hcr.InvalidError, match=r"no column 'load\[5\]'"):
        hcr.dask.project(region, frame)
    with pytest.raises(hcr.InvalidError, match="has parameters"):
        hcr.dask.project(moving, dask.array.from_array(values[:, :3]))
    with pytest.raises(hcr.InvalidError, match="a row each"):
        hcr.dask.project(moving, dask.array.from_array(values[:, :3]), dask.array.ones((7, 2)))
    with pytest.raises(TypeError, match="Dask array"):
        hcr.dask.project(region, values)


def _count_arrivals():
    """In a worker: counts the regions that arrive from now on."""
    import hcr.region

    made = hcr.region.Region.from_bytes
    hcr.region.arrivals = 0

    def counted(content):
        hcr.region.arrivals += 1
        return made(content)

    hcr.region.Region.from_bytes = counted


def _arrivals():
    import hcr.region

    return hcr.region.arrivals


@pytest.mark.filterwarnings("ignore")
def test_a_region_travels_once(region, random):
    distributed = pytest.importorskip("distributed")
    values = points(random, 400, 6)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(_count_arrivals)
        lazy = hcr.dask.project(region, dask.array.from_array(values, chunks=(10, 6)))
        np.testing.assert_array_equal(lazy.compute(), region.project(values))
        assert all(count <= 1 for count in client.run(_arrivals).values())
