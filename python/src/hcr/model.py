"""Models that the library trains: an encoder (one dense or LSTM layer) and a head whose predictions are in a region."""

from __future__ import annotations

import ctypes
import os
import pathlib
import tempfile
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from . import _library
from ._arrays import Array, address, as_bytes, doubles, names_of, row_count, rows, whole
from ._maps import Bad, known_bad
from ._records import Outcome
from ._tensors import read_tensors
from .errors import InvalidError, make
from .region import Region, needs_region

Encoder = Literal["dense", "lstm"]
Head = Literal["hcr", "hcr-direct", "hcr-contract", "simple", "hcr-soften", "hcr-project"]
Loss = Literal["squared", "absolute", "huber", "pinball", "energy"]
ENCODERS = ("dense", "lstm")
HEADS = ("hcr", "hcr-direct", "hcr-contract", "simple", "hcr-soften", "hcr-project")

LOSSES = ("squared", "absolute", "huber", "pinball", "energy")


class Progress(NamedTuple):
    """How far a training is."""

    epoch: int  #: finished
    epochs: int  #: planned
    step: int  #: of this epoch
    steps: int
    training_loss: float  #: mean over the epoch so far
    validation_loss: float  #: NaN without validation


class FitReport(NamedTuple):
    """What a training was: `hcr_fit_report` in hcr_learn.h has the meanings."""

    rows: int
    rows_projected: int
    rows_hidden: int
    rows_validation: int
    epochs: int
    best_epoch: int
    training_loss: float
    validation_loss: float
    training_mse: float
    validation_mse: float
    inside_ratio: float
    seconds: float
    projected: tuple[int, ...] = ()  #: the first 16 of the rows that were projected


class Model:
    """A trained model: `fit` and `load_model` make it. It can be pickled and copied; threads may share it."""

    report: FitReport | None  #: of the training, when this process did it

    def __init__(self, handle: int, report: FitReport | None = None) -> None:
        self._handle, self.report = handle, report
        library = _library.library
        self.inputs: int = library.hcr_model_inputs(handle)
        self.input_names = _names(library.hcr_model_input_names(handle), self.inputs)
        self.summary: str = library.hcr_model_summary(handle).decode()
        text = library.hcr_model_region_text(handle)
        #: the region that predictions are in
        self.region = Region.from_bytes(_library.take_bytes("hcr_region_write", library.hcr_model_region(handle)))
        count = ctypes.c_size_t()
        levels = library.hcr_model_quantiles(handle, ctypes.byref(count))
        #: the quantile levels of each output; None for a model without
        self.quantiles = tuple(levels[: count.value]) if levels else None
        #: how many paths `predict` draws of each row; 0 for a model whose predictions aren't drawn. The last 16 of its
        #: inputs are then noise, which isn't in X
        self.samples: int = library.hcr_model_samples(handle)
        self._noise = 16 if self.samples else 0
        if self.quantiles is None:
            self.region._text = (text or b"").decode()
        self.output_names = self.region.names
        columns = library.hcr_model_parameter_columns(handle)
        #: for each parameter of the region the input that it is; None when they are given apart, and without parameters
        self.parameter_columns = tuple(columns[: self.region.p]) if columns else None

    def __del__(self, free: Any = _library.library.hcr_model_free) -> None:
        if hasattr(self, "_handle"):
            free(self._handle)

    @overload
    def predict(
        self,
        X: npt.ArrayLike,
        parameters: npt.ArrayLike | None = None,
        *,
        single: bool = False,
        outcomes: Literal[False] = False,
        bad: Bad = "nan",
        samples: int | None = None,
        seed: int = 0,
        on_empty: Literal["nan", "relax"] = "nan",
    ) -> Array: ...
    @overload
    def predict(
        self,
        X: npt.ArrayLike,
        parameters: npt.ArrayLike | None = None,
        *,
        single: bool = False,
        outcomes: Literal[True],
        bad: Bad = "nan",
        samples: int | None = None,
        seed: int = 0,
        on_empty: Literal["nan", "relax"] = "nan",
    ) -> tuple[Array, Array]: ...
    @overload
    def predict(
        self,
        X: npt.ArrayLike,
        parameters: npt.ArrayLike | None = None,
        *,
        single: bool = False,
        outcomes: bool,
        bad: Bad = "nan",
        samples: int | None = None,
        seed: int = 0,
        on_empty: Literal["nan", "relax"] = "nan",
    ) -> Any: ...
    def predict(
        self,
        X: npt.ArrayLike,
        parameters: npt.ArrayLike | None = None,
        *,
        single: bool = False,
        outcomes: bool = False,
        bad: Bad = "nan",
        samples: int | None = None,
        seed: int = 0,
        on_empty: Literal["nan", "relax"] = "nan",
    ) -> Any:
        """Predictions.

        Args:
            X: (rows, inputs) or (inputs,); a data frame's columns are found by name.
            parameters: (rows, p) or (p,), those of the region, for a model that was given them apart.
            single: give float32, exactly inside as such.
            outcomes: whether to return an `Outcome` a row, too.
            bad: what stands for rows with a NaN or an infinity, ``"nan"`` or ``"origin"``.
            samples, seed: of a model of samples: how many paths are drawn of each row (None: as in training), and
                from which random numbers.
            on_empty: what becomes of rows whose limits contradict each other: ``"nan"``; ``"relax"``, the prediction
                within limits that give as little as they can (`Region.relaxation`), with `Outcome.RELAXED`.

        Returns:
            (rows, n) or (n,); with `quantiles` (rows, n, levels) or (n, levels), in order along the last axis; with
            `samples` (rows, samples, n) or (samples, n). Every row is exactly inside, whatever X is, unless the head is
            ``simple``; or NaN for a bad value and for parameters that are out of range or leave nothing. With
            ``outcomes``, a pair of that and an outcome a row, or a path.
        """
        known_bad(bad)
        width = self.inputs - self._noise
        array = doubles(rows(X, width, "X", self.input_names[:width]), "X")
        shape = array.shape[:-1]
        given = None if parameters is None else _apart(self.region, parameters, shape)
        if samples is not None and not self.samples:
            raise make("argument", "this model makes no samples: train one with hcr.fit(…, samples=16)")
        if self.samples:
            shape = (*shape, self.samples if samples is None else whole(samples, "samples", 1))
            noise = np.random.default_rng(whole(seed, "seed")).standard_normal((*shape, self._noise))
            array = np.concatenate([np.broadcast_to(array[..., None, :], (*shape, width)), noise], axis=-1)
            if given is not None:
                given = np.ascontiguousarray(np.broadcast_to(given[..., None, :], (*shape, self.region.p)))
        result = np.empty((*shape, self.region.n), np.float32 if single else np.float64)
        found = np.empty(shape, np.uint32)
        if on_empty not in ("nan", "relax"):
            raise make("argument", f"on_empty={on_empty!r}: it must be 'nan' or 'relax'")
        relaxes = on_empty == "relax" and self.region.p > 0
        _library.call(
            f"hcr_predict{'_relaxed' if relaxes else ''}{'_f32' if single else ''}",
            self._handle,
            *([self.region.relaxation.address] if relaxes else []),
            row_count(array),
            address(array),
            address(given),
            address(result),
            address(found),
        )
        if bad == "nan":
            result[found == Outcome.BAD_VALUE] = np.nan
        if self.quantiles is not None:
            result = result.reshape(*shape, -1, len(self.quantiles))
        return (result, found) if outcomes else result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model, whole or not at all: safetensors, which ``hcr predict`` and `load_model` read."""
        _library.call("hcr_model_save", self._handle, os.fsencode(path))

    def to_bytes(self) -> bytes:
        """What `save` writes."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model"
            self.save(path)
            return path.read_bytes()

    @classmethod
    def from_bytes(cls, content: bytes) -> Model:
        """A model from what `to_bytes` gave."""
        content = as_bytes(content, "Model.from_bytes")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model"
            path.write_bytes(content)
            try:
                return load_model(path)
            except InvalidError as reason:  # the file is none of the caller's
                raise make(reason.code, reason.text) from None

    def tensors(self) -> tuple[dict[str, Array], dict[str, str]]:
        """The weights by name, laid out as PyTorch has them, and the file's metadata: options, names, versions."""
        return read_tensors(self.to_bytes())

    def to_torch(self) -> Any:
        """The model as an `hcr.torch.Network`, a blend as an `hcr.torch.Blend`, for training on or to be part of
        another."""
        from .torch import Blend, Network

        return Blend(self) if "members" in self.tensors()[1] else Network(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.to_bytes(), self.report)

    def __repr__(self) -> str:
        return f"<hcr.Model: {self.summary}>"


def _unpickle(content: bytes, report: FitReport | None) -> Model:
    if report is not None and not isinstance(report, FitReport):
        raise TypeError(f"a model's report is no {type(report).__name__}: the pickle was altered")
    model = Model.from_bytes(content)
    model.report = report
    return model


def _apart(region: Region, parameters: npt.ArrayLike, shape: tuple[int, ...]) -> Array:
    """The region's parameters, a row a sample."""
    given = doubles(rows(parameters, region.p, "parameters", region.parameters.names), "parameters")
    try:
        return np.ascontiguousarray(np.broadcast_to(given, (*shape, region.p)))
    except ValueError:
        raise make("shape", f"parameters has the shape {given.shape}: it must have {(*shape, region.p)}") from None


def _names(found: Any, count: int) -> tuple[str, ...]:
    return tuple(found[i].decode() for i in range(count))


def load_model(path: str | os.PathLike[str]) -> Model:
    """A model from a file that `Model.save` or ``hcr fit`` wrote.

    Raises:
        hcr.FileError: the file can't be read.
        hcr.InvalidError: it is damaged or of another format.
    """
    return Model(_library.create("hcr_model_load", os.fsencode(path)))


def fit(
    region: Region,
    X: npt.ArrayLike,
    Y: npt.ArrayLike,
    *,
    parameters: npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    encoder: Encoder = "dense",
    head: Head | None = None,
    loss: Loss = "squared",
    delta: float = 1.0,
    quantile: float = 0.5,
    quantiles: Sequence[float] | None = None,
    calibrate: bool = False,
    samples: int = 0,
    members: int = 1,
    blend: Sequence[Head] | None = None,
    season: int = 0,
    hidden: int = 64,
    linear_encoder: bool = False,
    features: int = 1,
    epochs: int = 100,
    batch: int = 32,
    rate: float = 1e-3,
    rate_decay: float = 1.0,
    weight_decay: float = 0.0,
    clip: float = 0.0,
    validation: float = 0.0,
    validation_last: bool = False,
    patience: int = 0,
    seed: int = 0,
    radius_weight: float = 1.0,
    raw_weight: float | None = None,
    common_scale: bool = False,
    ascent: float = 0.0,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Callable[[Progress], bool | None] | None = None,
    input_names: Sequence[str] | None = None,
) -> Model:
    """Trains a model whose every prediction is in the region.

    Args:
        region: the region; targets outside are projected onto it first.
        X: (rows, inputs). The names of a data frame's columns are kept.
        Y: (rows, n); a data frame's columns are found by the region's names, when it has them.
        parameters: (rows, p), those of a region with parameters, when they aren't among the inputs. None: they are
            columns of X, found by their names, or the last p when X has no names.
        sample_weight: (rows,), at least 0: how much each row's loss counts, 2 as much as two such rows. None: all
            alike.
        encoder: ``"dense"``, or ``"lstm"``, for which a row is steps × features.
        head: ``"hcr"`` (the paper's), ``"hcr-direct"``, ``"hcr-contract"``, ``"hcr-soften"``,
            ``"hcr-project"`` (trained through the nearest point), or ``"simple"``, which
            guarantees nothing. None: ``"hcr"``, with a loss that isn't squared ``"hcr-contract"``, with `quantiles` or
            `samples` ``"hcr-project"``.
        loss: what an output costs that misses its target by m, in units of the targets' deviation: ``"squared"``, m²;
            ``"absolute"``, |m|; ``"huber"``, ½ m² up to `delta` and delta (|m| − ½ delta) beyond;
            ``"pinball"``, quantile · |m| below the target and (1 − quantile) · |m| above it; ``"energy"``, that
            of `samples`. Head ``"hcr"``, which is trained on encoded targets, has squared errors alone.
        delta: of loss ``"huber"``.
        quantile: of loss ``"pinball"``: the share of targets that are to be below the predictions.
        quantiles: increasing levels between 0 and 1, to be learnt by that loss for each output: predictions never
            cross, and are in the region at every level. The model's `region` is ``region.quantiles(quantiles)``.
        calibrate: with `validation`, for heads ``"hcr-contract"`` and ``"hcr-project"``: after training, move the
            quantiles of each level, before they are taken inside, until the share of the validation targets at or below
            them is the level.
        samples: from 2 to 64: a model whose predictions are paths, drawn as the targets are, all of them in the region.
            Noise goes into the network beside X, and so many paths of each row are trained by their energy score
            against the row's target. Needs the dense encoder and another head than ``"hcr"``.
        members: how many models are trained, each from its own initial weights, and blended: predictions are their
            means, with weights that make the loss of the rows kept for `validation` least (equal ones for members of
            one head, and for all without), and exactly inside; with `validation` they are trained again on all rows.
            The region must be convex.
        blend: the heads of the members, one after the other and again; there are at least as many members.
        season: one more member, which takes for an output the mean of the inputs that lie whole seasons of so many
            steps before it; X is then the values of a series just before those of Y.
        hidden: units of the encoder.
        linear_encoder: no activation in a dense encoder.
        features: inputs of a time step, for ``"lstm"``.
        epochs, batch, rate, rate_decay, weight_decay, clip: of AdamW; `clip` bounds the gradient's norm, 0: it doesn't.
        validation: share of the rows kept for validation.
        validation_last: those are the last rows, as of windows in the order of time; they are drawn otherwise.
        patience: stop after so many epochs without a better validation loss and go back to the best; 0: never.
        seed: of initial weights, shuffles and the validation split.
        radius_weight: weight of the radius in the loss of head ``"hcr"``.
        raw_weight: weight, in the loss of heads ``"hcr-contract"`` and ``"hcr-project"``, of the error before that.
            None: 0, with `quantiles` 1, which the map would tie where they cross.
        common_scale: one unit for all outputs in the loss, not each its own deviation.
        ascent: step of the Lagrangian's dual ascent, for head ``"simple"``.
        checkpoint: a file written after each epoch.
        resume: go on from it when it exists.
        progress: called after each epoch and now and then during one; training stops, with what it has so far, when it
            returns True.
        input_names: the inputs' names, when X has none.

    Returns:
        The model, with its `report`.

    Raises:
        hcr.Error: ``data`` for a NaN, an infinity, or a loss that became one; ``shape``; see hcr_learn.h.
        KeyboardInterrupt, or what `progress` raises: training stops.

    >>> import hcr, numpy as np
    >>> region = hcr.Region("var y[2]\\n0 <= y\\nsum(y) <= 1")
    >>> X = np.random.default_rng(0).random((200, 3))
    >>> model = hcr.fit(region, X, X[:, :2] / 2, epochs=3)
    >>> bool(region.check(model.predict(100 * X)).all())
    True
    """
    needs_region(region, "fit")
    if head is None:
        head = "hcr-project" if quantiles is not None or samples else "hcr" if loss == "squared" else "hcr-contract"
    if raw_weight is None:
        raw_weight = float(quantiles is not None and head in ("hcr-contract", "hcr-project"))
    levels = None if quantiles is None else np.atleast_1d(doubles(quantiles, "quantiles"))
    if levels is not None and (levels.ndim != 1 or levels.size == 0):
        raise make("shape", f"quantiles has the shape {levels.shape}: it must be a list of levels")
    blended = [] if blend is None else list(blend)
    chosen = [
        ("encoder", encoder, ENCODERS),
        ("loss", loss, LOSSES),
        *(("head", each, HEADS) for each in (head, *blended)),
    ]
    for name, value, known in chosen:
        if value not in known:
            raise make("argument", f"there is no {name} {value!r}: there are {', '.join(known)}")
    if input_names is None and (found := names_of(X)) is not None:
        input_names = [str(name) for name in found]
    inputs = np.atleast_2d(doubles(X, "X"))
    targets = np.atleast_2d(doubles(rows(Y, region.n, "Y", region.names), "Y"))
    if inputs.ndim != 2 or len(inputs) != len(targets):
        raise make("shape", f"X has the shape {inputs.shape} and Y {targets.shape}: they must have as many rows")
    given = None if parameters is None else _apart(region, parameters, inputs.shape[:1])
    weights = None
    if sample_weight is not None:
        weights = np.ascontiguousarray(doubles(sample_weight, "sample_weight"))
        if weights.shape != (len(inputs),):
            raise make("shape", f"sample_weight has the shape {weights.shape}: it must have {(len(inputs),)}")
    names = None
    if input_names is not None:
        if len(input_names) != inputs.shape[1]:
            raise make("shape", f"there are {len(input_names)} names for {inputs.shape[1]} inputs")
        names = (ctypes.c_char_p * len(input_names))(*(name.encode() for name in input_names))
    raised: list[BaseException] = []

    def report_progress(_: Any, at: Any) -> int:
        try:  # here is also where Ctrl-C arrives
            now = at.contents
            state = Progress(*(getattr(now, field) for field in Progress._fields))
            return int(progress is not None and progress(state) is True)
        except BaseException as exception:
            raised.append(exception)
            return 1

    heads = (ctypes.c_int * len(blended))(*(HEADS.index(each) for each in blended))
    options = _library.FitOptionsStruct(
        size=ctypes.sizeof(_library.FitOptionsStruct),
        encoder=ENCODERS.index(encoder),
        head=HEADS.index(head),
        hidden=whole(hidden, "hidden", 1),
        linear_encoder=linear_encoder,
        features=whole(features, "features", 1),
        epochs=whole(epochs, "epochs"),
        batch=whole(batch, "batch", 1),
        rate=rate,
        rate_decay=rate_decay,
        weight_decay=weight_decay,
        clip=clip,
        validation=validation,
        patience=whole(patience, "patience"),
        seed=whole(seed, "seed"),
        radius_weight=radius_weight,
        raw_weight=raw_weight,
        common_scale=common_scale,
        ascent=ascent,
        checkpoint=None if checkpoint is None else os.fsencode(checkpoint),
        resume=resume,
        progress=_library.ProgressCallback(report_progress),
        loss=LOSSES.index(loss),
        delta=delta,
        quantile=quantile,
        sample_weights=address(weights),
        quantiles=address(levels),
        quantile_count=0 if levels is None else len(levels),
        calibrate=calibrate,
        members=whole(members, "members", 1),
        blend=ctypes.cast(heads, ctypes.c_void_p),
        blend_count=len(blended),
        season=whole(season, "season"),
        validation_last=validation_last,
        samples=whole(samples, "samples"),
    )
    handle, filled = ctypes.c_void_p(), _library.FitReportStruct()
    error = _library.ErrorStruct()
    status = _library.library.hcr_fit(
        region._handle.address,
        region.text.encode(),
        *inputs.shape,
        address(inputs),
        names,
        address(given),
        address(targets),
        ctypes.byref(options),
        ctypes.byref(handle),
        ctypes.byref(filled),
        ctypes.byref(error),
    )
    model = None
    if handle.value is not None:
        report = FitReport(*(getattr(filled, field) for field in FitReport._fields[:-1]))
        report = report._replace(projected=tuple(filled.projected[: report.rows_projected]))
        model = Model(handle.value, report)
    if raised:
        raise raised[0]
    if model is None:
        raise _library.failure(error) if status else make("argument", "no model was made")
    return model
