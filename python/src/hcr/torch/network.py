"""Models of the C trainer as torch modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from .._tensors import members_of
from ..errors import make
from .functions import decode, gauge, origin
from .modules import _MAPS, _Bound

if TYPE_CHECKING:
    from ..model import Model


class Network(_Bound):
    """What `hcr.fit` or ``hcr fit`` trained: the same predictions, to the rounding of its float32 layers.

    Args:
        model: the model.
        member: of a blend, the number of the member.

    Shapes: (…, inputs) → (…, n), in the type of the weights. Rows with a NaN or an infinity give NaN. The
    parameters of the region, (…, p), are a second argument where the model was given them apart.
    """

    _exact = ("input_mean", "input_deviation", "target_mean", "target_deviation", "origin")
    input_mean: Tensor
    input_deviation: Tensor
    target_mean: Tensor
    target_deviation: Tensor
    origin: Tensor

    def __init__(self, model: Model, member: int | None = None) -> None:
        _, tensors, metadata = members_of(*model.tensors())[member or 0]
        if member is None and "members" in metadata:
            raise make("unsupported", "a blend is no single network: hcr.torch.Blend takes it")
        self.head_kind = metadata["head"]
        kinds = {"hcr-contract": "contract", "hcr-soften": "soften", "hcr-project": "project"}
        super().__init__(model.region, kinds.get(self.head_kind, "decode"))  # type: ignore[arg-type]
        weight = tensors["head.weight"]
        self.features = int(metadata["features"])
        self.encoder: nn.Linear | nn.LSTM
        if metadata["encoder"] == "lstm":
            self.encoder = nn.LSTM(self.features, weight.shape[1], batch_first=True)
            parameters = {
                "weight_ih_l0": tensors["encoder.weight_ih"],
                "weight_hh_l0": tensors["encoder.weight_hh"],
                "bias_ih_l0": tensors["encoder.bias"],
                "bias_hh_l0": 0 * tensors["encoder.bias"],
            }
        else:
            self.encoder = nn.Linear(model.inputs, weight.shape[1])
            parameters = {"weight": tensors["encoder.weight"], "bias": tensors["encoder.bias"]}
        self.encoder.load_state_dict({name: torch.from_numpy(value) for name, value in parameters.items()})
        self.activation = nn.Identity() if metadata["linear_encoder"] != "0" else nn.ReLU()
        self.head = nn.Linear(weight.shape[1], weight.shape[0])
        self.head.load_state_dict({"weight": torch.from_numpy(weight), "bias": torch.from_numpy(tensors["head.bias"])})
        for side in ("input", "target"):
            for name in ("mean", "deviation"):
                self.register_buffer(f"{side}_{name}", torch.from_numpy(tensors[f"{side}.{name}"]))
        self.register_buffer("origin", torch.tensor(model.region.origin))
        self.simple = self.head_kind == "simple"
        self.parameter_columns = None if model.parameter_columns is None else list(model.parameter_columns)

    def forward(self, inputs: Tensor, x: Tensor | None = None) -> Tensor:
        parameter = self.head.weight
        if x is None and self.parameter_columns is not None:
            x = inputs[..., self.parameter_columns]
        precise = torch.float64 if parameter.dtype == torch.float64 else torch.float32  # no less for a point
        x = None if x is None else x.to(precise)
        steps = inputs.shape[-1] // self.input_deviation.numel()
        deviation = self.input_deviation.repeat(steps)
        scaled = (inputs.to(deviation.dtype) - self.input_mean.repeat(steps)) / torch.where(
            deviation > 0, deviation, 1.0
        )
        # src/train/scaling.h: beyond that, no network has anything to say
        bad = ~((scaled.abs() <= 1e15) | (deviation == 0) & torch.isfinite(inputs)).all(-1, keepdim=True)
        scaled = torch.where(bad | (deviation == 0), 0.0, scaled).to(parameter.dtype)
        if isinstance(self.encoder, nn.LSTM):
            series = scaled.reshape(-1, steps, self.features)
            encoded = self.encoder(series)[0][:, -1].reshape(*scaled.shape[:-1], -1)
        else:
            encoded = self.activation(self.encoder(scaled))
        outputs = self.head(encoded).to(self.target_mean.dtype)
        n = self.region.n
        values = outputs[..., :n]
        if self.head_kind != "hcr":
            wide = None if x is None else x.to(self.origin.dtype)
            place = self.origin if wide is None else origin(wide, self.region)
            offset = self.target_mean if self.simple or self.kind == "project" else self.target_mean - place
            values = self.target_deviation * values + offset
            if self.kind == "soften":  # src/train/sample_origins.c: so that the targets' mean stays where it is
                values = values / (1 - gauge(offset, self.region, wide).clamp(max=0.9).unsqueeze(-1))
        if self.simple:
            return torch.where(bad, float("nan"), values).to(precise)
        values = torch.where(bad, float("nan"), values)
        if self.kind == "decode":
            radius = torch.sigmoid(outputs[..., n:])
            return decode(torch.cat((values, radius), -1).to(precise), self.region, x)
        return _MAPS[self.kind](values.to(precise), self.region, x)


class Blend(_Bound):
    """A blend that `hcr.fit` or ``hcr fit`` trained: the weighted mean of its members, exactly inside.

    Args:
        model: the blend.

    Attributes:
        members: a `Network` each.
        shares: their weights in the mean, and that of the seasonal member, where there is one.

    Shapes are those of `Network`.
    """

    _exact = ("shares", "origin")
    shares: Tensor
    origin: Tensor

    def __init__(self, model: Model) -> None:
        super().__init__(model.region, "contract")
        tensors, metadata = model.tensors()
        if "members" not in metadata:
            raise make("unsupported", "the model isn't a blend: hcr.torch.Network takes it")
        self.members = nn.ModuleList(Network(model, k) for k in range(int(metadata["members"])))
        self.season, self.levels = int(metadata["season"]), len(model.quantiles or [0])
        self.register_buffer("shares", torch.tensor(tensors["shares"], dtype=torch.float64))
        self.register_buffer("origin", torch.tensor(model.region.origin))
        self.parameter_columns = None if model.parameter_columns is None else list(model.parameter_columns)

    def forward(self, inputs: Tensor, x: Tensor | None = None) -> Tensor:
        if x is None and self.parameter_columns is not None:
            x = inputs[..., self.parameter_columns]
        parts = [member(inputs, x) for member in self.members]
        precise = parts[0].dtype
        x = None if x is None else x.to(precise)
        if self.season:
            parts.append(_MAPS["project"](self._repeated(inputs).to(precise), self.region, x))
        wide = self.origin.dtype
        mean = torch.stack([part.to(wide) for part in parts], -1) @ self.shares
        place = self.origin if x is None else origin(x.to(wide), self.region)
        return _MAPS["contract"]((mean - place).to(precise), self.region, x)  # type: ignore[no-any-return]

    def _repeated(self, inputs: Tensor) -> Tensor:
        """For each output the mean of the inputs whole seasons before it, as src/train/blend.c has it."""
        whole = inputs.shape[-1] // self.season
        last = inputs[..., inputs.shape[-1] - whole * self.season :]
        seasons = last.reshape(*inputs.shape[:-1], whole, self.season).to(self.origin.dtype)
        places = torch.arange(self.region.n, device=inputs.device) // self.levels % self.season
        repeated: Tensor = seasons.mean(-2)[..., places]
        return repeated
