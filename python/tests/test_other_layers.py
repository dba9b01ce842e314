"""What the page for those who come from RAYEN and Πnet says: the same map, and inside where theirs rounds outside."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

import hcr

A, B = np.array([[1.0, 2, 0, 1], [-1, 1, 1, 0]]), np.array([3.0, 2.0])
P = np.diag([1.0, 2, 3, 4])
RAW = np.random.default_rng(0).normal(size=(500, 4)) * 3


def test_contract_is_rayens_map(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setitem(sys.modules, "cdd", types.ModuleType("cdd"))  # RAYEN wants it for what isn't used here
    constraints = pytest.importorskip("rayen.constraints")
    from rayen.constraint_module import ConstraintModule

    kind = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        limits = constraints.ConvexConstraints(
            lc=constraints.LinearConstraint(A, B[:, None], None, None),
            qcs=[constraints.ConvexQuadraticConstraint(2 * P, np.zeros((4, 1)), np.array([[-2.0]]))],  # of ½ y'Py
            y0=np.zeros((4, 1)),
            do_preprocessing_linear=False,
        )
        layer = ConstraintModule(limits, create_map=False, method="RAYEN")
        theirs = layer(torch.tensor(RAW)[:, :, None])[:, :, 0].detach().numpy()
    finally:
        torch.set_default_dtype(kind)
    region = hcr.Region("var y[4]\nA @ y <= b\nquad_form(y, P) <= 2\norigin = [0, 0, 0, 0]", A=A, b=B, P=P)
    ours = region.contract(RAW)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)  # rounding, and the margin
    assert region.check(ours).all()


def test_project_is_what_pinet_approaches():
    jax = pytest.importorskip("jax")
    pinet = pytest.importorskip("pinet")
    from pinet.project import Project

    jax.config.update("jax_enable_x64", True)
    low, high, rows = -np.ones(4), np.ones(4), np.array([[1.0, -1, 0, 0], [0, 0, 1, -1]])

    def column(values):
        return jax.numpy.asarray(np.atleast_2d(values)[:, :, None])

    box = pinet.BoxConstraint(pinet.BoxConstraintSpecification(lb=column(low), ub=column(high)))
    sides = pinet.AffineInequalityConstraint(jax.numpy.asarray(rows)[None], column([-9.0, -9]), column([0.5, 0.5]))
    layer = Project(ineq_constraint=sides, box_constraint=box)
    given = pinet.ProjectionInstance(x=jax.numpy.asarray(RAW)[:, :, None])
    theirs = np.asarray(layer.call(y_raw=given, n_iter=2000, n_iter_bwd=1)[0].x[:, :, 0])
    region = hcr.Region("var y[4]\n-1 <= y <= 1\n-9 <= C @ y <= 0.5", C=rows)
    ours = region.project(RAW)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)  # 2,000 steps of splitting
    assert region.check(ours).all()
