"""Layers whose outputs are in a region."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor, nn

from .._maps import Bad, known_bad
from .._relaxation import OnEmpty, known_on_empty
from ..errors import make
from ..region import Region, needs_region
from . import functions

if TYPE_CHECKING:
    from typing_extensions import Self

Kind = Literal["decode", "contract", "soften", "project"]
_MAPS: dict[str, Any] = {
    "decode": functions.decode,
    "contract": functions.contract,
    "soften": functions.soften,
    "project": functions.project,
}


class _Bound(nn.Module):
    """A module for one region. Its state has the region's digest: that of another region is refused.

    The digest is extra state, no buffer: who averages or converts a module's buffers leaves it alone.
    """

    _exact: tuple[str, ...] = ()  # buffers that stay float64, whatever the module is converted to

    def __init__(self, region: Region, kind: Kind, bad: Bad = "nan", on_empty: OnEmpty = "nan") -> None:
        super().__init__()
        needs_region(region, type(self).__name__)
        if kind not in _MAPS:
            raise make("argument", f"there is no kind {kind!r}: there are {', '.join(_MAPS)}")
        known_bad(bad)
        self.region, self.kind, self.bad, self.on_empty = region, kind, bad, known_on_empty(on_empty)

    def get_extra_state(self) -> Tensor:
        return torch.tensor(list(bytes.fromhex(self.region.digest)), dtype=torch.uint8, device="cpu")

    def set_extra_state(self, state: Any) -> None:
        """What it has was checked when it was loaded."""

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *arguments: Any) -> None:
        name = f"{prefix}_extra_state"
        if f"{prefix}region_digest" in state_dict:  # where the digest was before
            state_dict[name] = state_dict.pop(f"{prefix}region_digest")
        found = _digest(state_dict[name]) if name in state_dict else self.region.digest
        if found != self.region.digest:
            arguments[-1].append(
                f"{name}: the state is of another region ({found[:12]}…, this is {self.region.digest[:12]}…, "
                f"{self.region!r}): make the layer with the region it was saved with"
            )
            state_dict[name] = self.get_extra_state()
        super()._load_from_state_dict(state_dict, prefix, *arguments)

    def _apply(self, fn: Any, recurse: bool = True) -> Self:
        kept = {name: self._buffers[name] for name in self._exact}
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        for name, old in kept.items():
            self._buffers[name] = self._restored(name, old, self._buffers[name])
        return self

    def _restored(self, name: str, old: Tensor | None, new: Tensor | None) -> Tensor | None:
        """A buffer after a conversion: where the new one is, with the old one's numbers."""
        if old is None or new is None:
            return new
        if old.is_meta:  # there are no numbers yet
            return new.to(_exact_type(new.device))
        return old.to(new.device, _exact_type(new.device))

    def _raw_loss(self, values: Tensor, targets: Tensor, x: Tensor | None) -> Tensor:
        precise = torch.promote_types(values.dtype, torch.float32)
        return (values[..., : self.region.n].to(precise) - (targets - self._place(values, x))).square().mean()

    def _place(self, values: Tensor, x: Tensor | None) -> Tensor:
        """The origin, beside such values."""
        if x is not None:
            return functions.origin(x, self.region)
        precise = torch.promote_types(values.dtype, torch.float32)
        return torch.tensor(self.region.origin.tolist(), dtype=precise, device=values.device)

    def __prepare_scriptable__(self) -> Any:
        raise make(
            "unsupported",
            f"torch.jit.script can't compile {type(self).__name__}: trace it, torch.compile it, or export it",
        )

    def extra_repr(self) -> str:
        return f"{self.region!r}, kind={self.kind!r}"


def _digest(state: Any) -> str:
    """The digest in a state: also when somebody took the mean of several."""
    if isinstance(state, Tensor) and state.shape == (32,):
        numbers = state.detach().cpu().double().round()
        if bool(((numbers >= 0) & (numbers <= 255)).all()):
            return bytes(int(number) for number in numbers.tolist()).hex()
    return "no digest"


def _exact_type(device: torch.device) -> torch.dtype:
    return torch.float32 if device.type == "mps" else torch.float64  # Apple's GPUs know no float64


class Constrain(_Bound):
    """Maps what comes in into a region.

    Args:
        region: the region.
        kind: ``"contract"`` leaves what is inside as it is; ``"soften"`` is one-to-one; ``"decode"`` takes a direction
            and a radius, which a sigmoid brings to [0, 1]; ``"project"`` takes points to their nearest ones.
        points: what comes in are points, not offsets from the origin (contract and soften; always with project).
        bad: what stands for rows with a NaN or an infinity, ``"nan"`` or ``"origin"``.
        on_empty: what becomes of samples whose limits contradict each other, as for `contract`.

    Shapes: (…, n) → (…, n); for decode (…, n + 1) → (…, n). Half types become float32. For a region with parameters,
    those of each sample, (…, p), are a second argument.

    >>> import hcr, hcr.torch, torch
    >>> region = hcr.Region("var y[3]\\nsum(y) <= 1\\n0 <= y <= 1")
    >>> net = torch.nn.Sequential(torch.nn.Linear(5, 3), hcr.torch.Constrain(region, points=True))
    >>> bool(region.check(net(torch.randn(8, 5)).detach().numpy()).all())
    True
    """

    origin: Tensor | None
    _exact = ("origin",)

    def __init__(
        self,
        region: Region,
        kind: Kind = "contract",
        *,
        points: bool = False,
        bad: Bad = "nan",
        on_empty: OnEmpty = "nan",
    ) -> None:
        super().__init__(region, kind, bad, on_empty)
        if points and on_empty != "nan" and kind != "project":
            raise make("argument", "points of samples that are relaxed have no origin to be taken off: use project")
        if points and kind == "decode":
            raise make("argument", "decode takes directions and radii: points=True has no meaning for it")
        points = points and kind != "project"
        self.points = points
        self.register_buffer("origin", self._origin() if points and region.p == 0 else None, persistent=False)

    def _origin(self, device: torch.device | None = None) -> Tensor:
        dtype = torch.float64 if device is None else _exact_type(device)
        return torch.tensor(self.region.origin.tolist(), dtype=dtype, device=device)

    def _restored(self, name: str, old: Tensor | None, new: Tensor | None) -> Tensor | None:
        return new if new is None or new.is_meta else self._origin(new.device)

    def forward(self, values: Tensor, x: Tensor | None = None) -> Tensor:
        values = functions.checked(values, self.region.n + (self.kind == "decode"), self.kind)
        if self.points:
            values = self._offsets(values, x)
        elif self.kind == "decode":
            values = _with_radius(values)
        return _MAPS[self.kind](values, self.region, x, bad=self.bad, on_empty=self.on_empty)

    def raw_loss(self, values: Tensor, targets: Tensor, x: Tensor | None = None) -> Tensor:
        """The mean squared error of what comes in, before it is mapped: for decode, of the direction as an offset.

        A map's gradient is 0 along the ray, and exactly 0 where the target lies straight on the other side of the
        origin. This term's isn't: add a share of it to the loss (``raw_weight`` of `hcr.fit`).
        """
        if self.points or self.kind == "project":
            return (values - targets).square().mean()
        return self._raw_loss(values, targets, x)

    def _offsets(self, points: Tensor, x: Tensor | None) -> Tensor:
        """Points as offsets from the origin: taken off in float64, as the origin may need it."""
        single = points.dtype != torch.float64
        if self.origin is None:
            if x is None:
                return points  # the map says what is missing
            return points.to(torch.float32 if single else torch.float64) - functions.origin(x, self.region)
        if self.origin.is_meta and not points.is_meta:  # the layer was made on no device, and has no state to load
            self.origin = self._origin(points.device)
        offsets = points.to(self.origin.dtype) - self.origin
        return offsets.float() if single else offsets


class HCRHead(_Bound):
    """A linear layer whose outputs are in a region: the end of a network, or any layer of it.

    Args:
        in_features: width of what comes in.
        region: the region.
        kind: ``"decode"``, a direction and the logit of a radius (the paper's head); ``"contract"``, ``"soften"`` and
            ``"project"``, an offset from the origin.
        bias, device, dtype: as for `torch.nn.Linear`.
        bad: what stands for rows with a NaN or an infinity, ``"nan"`` or ``"origin"``.
        on_empty: what becomes of samples whose limits contradict each other, as for `contract`.

    Shapes: (…, in_features) → (…, n). For a region with parameters, those of each sample, (…, p), are a second
    argument: ``head(features, x)``.

    >>> import hcr, hcr.torch, torch
    >>> region = hcr.Region("var y[3]\\nnorm(y) <= 1")
    >>> head = hcr.torch.HCRHead(5, region)
    >>> head(torch.randn(8, 5)).shape
    torch.Size([8, 3])
    """

    def __init__(
        self,
        in_features: int,
        region: Region,
        kind: Kind = "decode",
        *,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
        bad: Bad = "nan",
        on_empty: OnEmpty = "nan",
    ) -> None:
        super().__init__(region, kind, bad, on_empty)
        width = region.n + (kind == "decode")
        self.linear = nn.Linear(in_features, width, bias=bias, device=device, dtype=dtype)

    def forward(self, features: Tensor, x: Tensor | None = None) -> Tensor:
        values = self.linear(features)
        values = _with_radius(values) if self.kind == "decode" else values
        if self.kind == "project":
            values = values + self._place(values, x)
        return _MAPS[self.kind](values, self.region, x, bad=self.bad, on_empty=self.on_empty)

    def raw_loss(self, features: Tensor, targets: Tensor, x: Tensor | None = None) -> Tensor:
        """The mean squared error of what the linear layer gives, before it is mapped: as `Constrain.raw_loss`.

        >>> import hcr, hcr.torch, torch
        >>> head = hcr.torch.HCRHead(5, hcr.Region("var y[3]\\nnorm(y) <= 1"), "contract")
        >>> features, targets = torch.randn(8, 5), torch.zeros(8, 3)
        >>> loss = (head(features) - targets).square().mean() + 0.1 * head.raw_loss(features, targets)
        >>> loss.backward()
        """
        return self._raw_loss(self.linear(features), targets, x)


def _with_radius(values: Tensor) -> Tensor:
    return torch.cat((values[..., :-1], torch.sigmoid(values[..., -1:])), -1)
