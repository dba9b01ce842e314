"""Layers whose outputs are in a region."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn

from ..errors import make
from ..region import Region, needs_region
from . import functions

Kind = Literal["decode", "contract", "soften"]
_MAPS = {"decode": functions.decode, "contract": functions.contract, "soften": functions.soften}


class _Bound(nn.Module):
    """A module for one region. Its state has the region's digest: that of another region is refused."""

    region_digest: Tensor

    def __init__(self, region: Region, kind: Kind) -> None:
        super().__init__()
        needs_region(region, type(self).__name__)
        if kind not in _MAPS:
            raise make("argument", f"there is no kind {kind!r}: there are {', '.join(_MAPS)}")
        self.region, self.kind = region, kind
        self.register_buffer("region_digest", torch.tensor(list(bytes.fromhex(region.digest)), dtype=torch.uint8))

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *arguments: Any) -> None:
        found = state_dict.get(prefix + "region_digest")
        if found is not None and not torch.equal(found.cpu(), self.region_digest.cpu()):
            arguments[-1].append(
                f"{prefix}region_digest: the state is of another region ({bytes(found.tolist()).hex()[:12]}…, this is "
                f"{self.region.digest[:12]}…): make the layer with the region it was saved with"
            )
            return
        super()._load_from_state_dict(state_dict, prefix, *arguments)  # type: ignore[no-untyped-call]

    def extra_repr(self) -> str:
        return f"{self.region!r}, kind={self.kind!r}"


class Constrain(_Bound):
    """Maps what comes in into a region.

    Args:
        region: the region.
        kind: ``"contract"`` leaves what is inside as it is; ``"soften"`` is one-to-one; ``"decode"`` takes a direction
            and a radius, which a sigmoid brings to [0, 1].
        points: what comes in are points, not offsets from the origin (contract and soften).

    Shapes: (…, n) → (…, n); for decode (…, n + 1) → (…, n). Half types become float32. For a region with parameters,
    those of each sample, (…, p), are a second argument.

    >>> import hcr, hcr.torch, torch
    >>> region = hcr.Region("var y[3]\\nsum(y) <= 1\\n0 <= y <= 1")
    >>> net = torch.nn.Sequential(torch.nn.Linear(5, 3), hcr.torch.Constrain(region, points=True))
    >>> bool(region.check(net(torch.randn(8, 5)).detach().numpy()).all())
    True
    """

    origin: Tensor | None

    def __init__(self, region: Region, kind: Kind = "contract", *, points: bool = False) -> None:
        super().__init__(region, kind)
        if points and kind == "decode":
            raise make("argument", "decode takes directions and radii: points=True has no meaning for it")
        self.points = points
        origin = torch.tensor(region.origin) if points and region.p == 0 else None
        self.register_buffer("origin", origin, persistent=False)

    def forward(self, values: Tensor, x: Tensor | None = None) -> Tensor:
        values = functions.checked(values, self.region.n + (self.kind == "decode"), self.kind)
        if self.origin is not None:
            values = values - self.origin.to(values.dtype)
        elif self.points and x is not None:
            values = values - functions.origin(x, self.region)
        elif self.kind == "decode":
            values = _with_radius(values)
        return _MAPS[self.kind](values, self.region, x)


class HCRHead(_Bound):
    """A linear layer whose outputs are in a region: the end of a network, or any layer of it.

    Args:
        in_features: width of what comes in.
        region: the region.
        kind: ``"decode"``, a direction and the logit of a radius (the paper's head); ``"contract"`` and ``"soften"``,
            an offset from the origin.
        bias, device, dtype: as for `torch.nn.Linear`.

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
    ) -> None:
        super().__init__(region, kind)
        width = region.n + (kind == "decode")
        self.linear = nn.Linear(in_features, width, bias=bias, device=device, dtype=dtype)
        self.region_digest = self.region_digest.to(device)

    def forward(self, features: Tensor, x: Tensor | None = None) -> Tensor:
        values = self.linear(features)
        return _MAPS[self.kind](_with_radius(values) if self.kind == "decode" else values, self.region, x)


def _with_radius(values: Tensor) -> Tensor:
    return torch.cat((values[..., :-1], torch.sigmoid(values[..., -1:])), -1)
