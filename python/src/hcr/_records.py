"""What regions and maps tell about themselves: records without behaviour."""

from __future__ import annotations

import enum
from typing import NamedTuple

import numpy as np

from ._arrays import Array

NO_CONSTRAINT = 0xFFFFFFFF
#: What a map knows of a sample's ray: `hcr_ray` of the C library.
RAY = np.dtype([("gauge", np.float64), ("constraint", np.uint32), ("outcome", np.uint32)])
#: What holds a nearest point, as many a row as there are outputs (`hcr_contact`).
CONTACT = np.dtype(
    [("multiplier", np.float64), ("nearest", np.float64), ("constraint", np.uint32), ("outcome", np.uint32)]
)
#: How the origin of a sample comes about, in the order of `hcr_origin_form`.
ORIGIN_FORMS = ("fixed", "affine", "checked")


class Outcome(enum.IntEnum):
    """What happened to one sample in a map, a prediction or a projection."""

    INSIDE = 0  #: the result is strictly inside, where the input put it
    FRONTIER = 1  #: the frontier stopped it
    AT_ORIGIN = 2  #: the direction is 0
    OUTSIDE = 3  #: encode: the point isn't in the region, r > 1
    BAD_VALUE = 4  #: a NaN or an infinity in the input; the result is NaN, or the origin where that is asked for
    NO_FRONTIER = 5  #: decode: nothing stops this direction; the result is the origin
    HIDDEN = 6  #: encode: the point is in the region, but the origin doesn't see it; r > 1
    OUT_OF_RANGE = 7  #: a parameter is out of its range, or a NaN: every number of the result is NaN
    NO_ORIGIN = 8  #: the parameters leave no point strictly inside: NaN likewise
    MOVED = 9  #: project: the point was outside, the result is the nearest point inside
    NEARBY = 10  #: project: the solver didn't reach the nearest point; the best one found, inside
    TO_ROUNDING = 11  #: the parameters leave rows one value: they hold up to rounding, all others exactly
    RELAXED = 12  #: limits contradict each other, and soft ones give (`Region.relaxation`)
    DEPENDENT = 13  #: the parameters leave equalities that aren't certainly independent: NaN


class Constraint(NamedTuple):
    """One inequality, and where it came from."""

    #: "box", "linear", "quadratic", "cone", "lmi", "expression", "callback", "union", "except", "varying" or
    #: "varying_cone"
    kind: str
    text: str  #: the source line, or what the builder was given
    file: str  #: "" when there is none
    line: int  #: 0 when there is none
    column: int
    row: int  #: which inequality of that source, counted from 0


class Margin(NamedTuple):
    """The share of the radius that is given up so that results are exactly inside, by precision."""

    double: float
    single: float


class Visibility(NamedTuple):
    """What the origin sees of the region: all of it for certain (`proved`), or all but `hidden` of `points` checked."""

    proved: bool
    points: int
    hidden: int


class Parameters(NamedTuple):
    """The numbers that are given anew with each sample, and the range of each."""

    names: tuple[str, ...]  #: such as ``cap[3]``, or ``price`` for a scalar
    lower: Array  #: read-only; the ends belong to the range
    upper: Array
