"""Models of the C trainer."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from conftest import make

import hcr


@pytest.fixture(scope="module")
def data():
    X = np.random.default_rng(1).random((200, 4))
    return X, X[:, :3] + 0.1


@pytest.mark.parametrize("encoder", hcr.model.ENCODERS)
@pytest.mark.parametrize("head", [head for head in hcr.model.HEADS if head != "simple"])
def test_predictions_are_inside(encoder, head, data):
    X, Y = data
    model = hcr.fit(make("ball"), X, Y, encoder=encoder, head=head, epochs=3, hidden=8)
    assert model.report.epochs == 3 and np.isfinite(model.report.training_loss)
    assert encoder in repr(model) and head in repr(model)
    for single in (False, True):
        assert make("ball").check(model.predict(100 * X, single=single)).all()


def test_saving_and_copies(data, tmp_path):
    X, Y = data
    model = hcr.fit(make("ball"), X, Y, epochs=2, input_names=list("abcd"))
    want = model.predict(X)
    model.save(tmp_path / "model")
    loaded = hcr.load_model(tmp_path / "model")
    assert loaded.input_names == tuple("abcd") and loaded.output_names == make("ball").names
    assert loaded.region == make("ball") and loaded.region.text == make("ball").text
    for again in (loaded, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(again.predict(X), want)
        assert again.to_bytes() == model.to_bytes()
    with pytest.raises(hcr.FileError):
        hcr.load_model(tmp_path / "nowhere")
    (tmp_path / "cut").write_bytes(model.to_bytes()[:-10])
    with pytest.raises(hcr.InvalidError):
        hcr.load_model(tmp_path / "cut")


def test_shapes_and_outcomes(data):
    X, Y = data
    model = hcr.fit(make("ball"), X, Y, epochs=1)
    one = model.predict(X[0])
    assert one.shape == (3,) and (one == model.predict(X)[0]).all()
    assert model.predict(X[:0]).shape == (0, 3)
    y, outcome = model.predict([[np.nan, 0, 0, 0]], outcomes=True)
    assert np.isnan(y).all() and outcome == hcr.Outcome.BAD_VALUE
    with pytest.raises(hcr.InvalidError, match="4"):
        model.predict(X[:, :3])
    with pytest.raises(hcr.InvalidError, match="rows"):
        hcr.fit(make("ball"), X, Y[:5])
    with pytest.raises(hcr.InvalidError, match="no head"):
        hcr.fit(make("ball"), X, Y, head="none")


def test_c34_columns_are_found_by_name(data):
    pandas = pytest.importorskip("pandas")
    X, Y = data
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model = hcr.fit(make("ball"), frame, Y, epochs=1)
    np.testing.assert_array_equal(model.predict(frame[["d", "b", "a", "c"]].assign(e=1)), model.predict(X))
    with pytest.raises(hcr.InvalidError, match="no column 'c'"):
        model.predict(frame[["a", "b", "d"]])


def test_progress_stops_training_and_passes_on_what_it_raises(data):
    X, Y = data
    seen = []

    def stop(progress: hcr.Progress) -> bool:
        seen.append(progress)
        return progress.epoch == 2

    model = hcr.fit(make("ball"), X, Y, epochs=50, progress=stop)
    assert model.report.epochs == 2 and seen[-1].epochs == 50

    def fail(progress: hcr.Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hcr.fit(make("ball"), X, Y, progress=fail)


def test_checkpoint_and_resume(data, tmp_path):
    X, Y = data
    options = {"seed": 3, "checkpoint": tmp_path / "c", "resume": True}
    whole = hcr.fit(make("ball"), X, Y, epochs=4, seed=3)
    hcr.fit(make("ball"), X, Y, epochs=4, progress=lambda p: p.epoch == 2, **options)
    resumed = hcr.fit(make("ball"), X, Y, epochs=4, **options)
    np.testing.assert_array_equal(resumed.predict(X), whole.predict(X))


def test_losses():
    """The pinball loss at a level has that share of the targets below; weights of 0 leave rows out."""
    random = np.random.default_rng(3)
    X = random.random((1000, 2))
    Y = 0.3 * X + 0.3 * random.random((1000, 2))
    region = hcr.Region("var y[2]\n0 <= y <= 1\nsum(y) <= 1.1")
    weights = np.where(np.arange(1000) % 2 == 0, 1.0, 0.0)
    wrong = np.where(weights[:, None] > 0, Y, 0.0)
    for level in (0.1, 0.9):
        model = hcr.fit(region, X, wrong, loss="pinball", quantile=level, sample_weight=weights, epochs=100, rate=3e-3)
        predicted = model.predict(X)
        assert region.check(predicted).all()
        assert abs((predicted >= Y).mean() - level) < 0.06  # two deviations of 1,000 rows and of training are 0.05
    for loss in ("absolute", "huber"):
        assert hcr.fit(region, X, Y, loss=loss, epochs=2).tensors()[1]["loss"] == loss
    with pytest.raises(hcr.Error, match="head hcr is trained on encoded targets"):
        hcr.fit(region, X, Y, loss="huber", head="hcr")
    with pytest.raises(hcr.Error, match="there is no loss 'mse': there are squared"):
        hcr.fit(region, X, Y, loss="mse")
    with pytest.raises(hcr.Error, match=r"sample_weight has the shape \(3,\): it must have \(1000,\)"):
        hcr.fit(region, X, Y, sample_weight=[1, 2, 3])
    with pytest.raises(hcr.Error, match=r"row 4 .* has nan"):
        hcr.fit(region, X, Y, sample_weight=np.where(np.arange(1000) == 4, np.nan, 1.0))


def test_quantiles(tmp_path):
    """Quantiles of real shape: in order, each level inside, shares of targets near the levels, the same from a file."""
    random = np.random.default_rng(4)
    X = random.random((1200, 2))
    x = 0.8 + 0.6 * random.random((1200, 1))
    region = hcr.Region("var y[2]\nparam most in [0.7, 1.5]\n0 <= y <= 1\nsum(y) <= most")
    Y = region.project(0.3 * X + 0.4 * random.random((1200, 2)), x)
    levels = (0.1, 0.5, 0.9)
    options = {"quantiles": levels, "epochs": 40, "rate": 3e-3, "validation": 0.3, "calibrate": True}
    model = hcr.fit(region, X[:800], Y[:800], parameters=x[:800], **options)
    assert model.quantiles == levels and model.region == region.quantiles(levels)
    got, outcomes = model.predict(X[800:], x[800:], outcomes=True)
    assert got.shape == (400, 2, 3) and outcomes.shape == (400,)
    assert (np.diff(got) >= 0).all()
    for k, level in enumerate(levels):
        assert region.check(np.ascontiguousarray(got[..., k]), x[800:]).all()
        assert abs((got[..., k] >= Y[800:]).mean() - level) < 0.06  # three deviations of 400 rows
    single = model.predict(X[800:], x[800:], single=True)
    assert single.dtype == np.float32 and (np.diff(single) >= 0).all()
    model.save(tmp_path / "model")
    loaded = hcr.load_model(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X, x), model.predict(X, x))
    assert loaded.quantiles == levels and loaded.predict(X[0], x[0]).shape == (2, 3)
    with pytest.raises(hcr.Error, match="quantiles are learnt by the pinball loss"):
        hcr.fit(region, X, Y, parameters=x, quantiles=levels, loss="huber")
    with pytest.raises(hcr.Error, match=r"level 1 .* is 0\.1"):
        hcr.fit(region, X, Y, parameters=x, quantiles=[0.5, 0.1])
    with pytest.raises(hcr.Error, match="it must be a list of levels"):
        hcr.fit(region, X, Y, parameters=x, quantiles=[])


def test_samples(tmp_path):
    """Paths of outputs that rise and fall together, in a region that moves: all inside, in both precisions, drawn as
    the targets are, the same from a file."""
    random = np.random.default_rng(6)

    def draw(count):
        X, x = random.random((count, 2)), 0.9 + 0.6 * random.random((count, 1))
        together = (0.1 + 0.2 * X[:, :1]) * random.standard_normal((count, 1))
        return X, x, region.project(0.4 * X[:, 1:] + 0.3 + np.hstack([together, -together]), x)

    region = hcr.Region("var y[2]\nparam most in [0.7, 1.6]\n0 <= y\nsum(y) <= most")
    X, x, Y = draw(2000)
    model = hcr.fit(region, X, Y, parameters=x, samples=8, epochs=40, rate=3e-3)
    assert model.samples == 8 and model.input_names[2:4] == ("noise[0]", "noise[1]")
    X, x, Y = draw(1000)
    paths, outcomes = model.predict(X, x, samples=100, outcomes=True)
    assert paths.shape == (1000, 100, 2) and outcomes.shape == (1000, 100)
    for single in (False, True):
        inside = model.predict(X, x, single=single)
        assert region.check(inside, np.broadcast_to(x[:, None], (1000, 8, 1)).astype(inside.dtype)).all()
    # Of a thousand rows each, four standard errors: where the targets rank among their paths, and their deviations.
    assert abs((Y[:, None] >= paths).mean() - 0.5) < 0.04
    inner = ((np.quantile(paths, 0.1, axis=1) <= Y) & (np.quantile(paths, 0.9, axis=1) >= Y)).mean()
    assert abs(inner - 0.8) < 0.06
    assert np.corrcoef(*(paths - paths.mean(1, keepdims=True)).reshape(-1, 2).T)[0, 1] < -0.7
    wide = X[:, 0] > 0.5
    assert paths[wide].std(axis=1).mean() > 1.3 * paths[~wide].std(axis=1).mean()
    np.testing.assert_array_equal(model.predict(X[0], x[0], seed=3), model.predict(X[:1], x[:1], seed=3)[0])
    assert (model.predict(X[0], x[0], seed=4) != model.predict(X[0], x[0], seed=3)).any()
    model.save(tmp_path / "model")
    loaded = hcr.load_model(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X, x), model.predict(X, x))
    assert loaded.samples == 8 and loaded.to_bytes() == model.to_bytes()
    with pytest.raises(hcr.Error, match="from 2 to 64"):
        hcr.fit(region, X, Y, parameters=x, samples=1)
    with pytest.raises(hcr.Error, match="encoded targets"):
        hcr.fit(region, X, Y, parameters=x, samples=8, head="hcr")
    plain = hcr.fit(region, X, Y, parameters=x, epochs=1)
    with pytest.raises(hcr.Error, match="this model makes no samples"):
        plain.predict(X, x, samples=3)


def test_blends(tmp_path):
    """Of a real kind of series: inside exactly, no worse on the validation rows than its members, the same from a
    file, and up to float32's rounding in torch."""
    random = np.random.default_rng(5)
    hours = np.arange(700)
    series = 2 + np.sin(hours * 2 * np.pi / 24) + 0.1 * random.standard_normal(700)
    windows = np.lib.stride_tricks.sliding_window_view(series, 72)
    X, Y = windows[:, :48], windows[:, 48:]
    region = hcr.Region("var y[24]\n0 <= y <= 3.5\nabs(y[1:] - y[:-1]) <= 0.8")
    options = {"epochs": 5, "hidden": 8, "validation": 0.3}
    blend = hcr.fit(region, X, Y, blend=["hcr-project", "hcr-contract"], season=24, **options)
    alone = hcr.fit(region, X, Y, head="hcr-project", **options)
    predicted = blend.predict(X)
    assert region.check(predicted).all() and region.check(blend.predict(X, single=True)).all()
    assert blend.report.validation_mse < alone.report.validation_mse
    assert "seasonal" in blend.summary
    blend.save(tmp_path / "model")
    np.testing.assert_array_equal(hcr.load_model(tmp_path / "model").predict(X), predicted)
    quantiles = hcr.fit(region, X, Y, members=2, season=24, quantiles=[0.1, 0.9], **options).predict(X)
    assert (np.diff(quantiles) >= 0).all() and region.check(quantiles[..., 0].copy()).all()
    with pytest.raises(hcr.Error, match="there is no head 'best'"):
        hcr.fit(region, X, Y, blend=["best"])
    with pytest.raises(hcr.Error, match="can't be blended"):
        hcr.fit(region, X, Y, blend=["hcr", "simple"])
    torch = pytest.importorskip("torch")
    rows = np.concatenate([X, 3 * random.standard_normal((10_000, 48))]).astype(np.float32)
    with torch.no_grad():
        found = blend.to_torch()(torch.from_numpy(rows)).numpy()
    assert region.check(found).all()
    np.testing.assert_allclose(found, blend.predict(rows, single=True), atol=2e-5)
    for other in (blend, hcr.fit(region, X, Y, season=24, epochs=1)):
        with pytest.raises(hcr.Error, match="a blend is no single network"):
            hcr.torch.Network(other)
