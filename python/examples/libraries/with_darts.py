"""Darts: a layer behind a torch model, so that it is trained on, and only makes, forecasts that obey."""

import dataclasses
import pathlib

import pandas
from darts import TimeSeries
from darts.models import NLinearModel

import hcr
import hcr.torch

DATA = pathlib.Path(__file__).resolve().parents[3] / "examples" / "m4" / "hourly-30.csv"
region = hcr.Region("var load[24]\n0 <= load <= 900\nsum(load) == 15000")
layer = hcr.torch.Constrain(region, "project", points=True)


def obey(module, inputs, out):  # prediction: (windows, horizon, components, 1)
    return dataclasses.replace(out, prediction=layer(out.prediction[..., 0, 0])[..., None, None])


class Obeying(NLinearModel):
    def _create_model(self, train_sample):
        module = super()._create_model(train_sample)
        module.register_forward_hook(obey)
        return module


series = TimeSeries.from_values(pandas.read_csv(DATA).iloc[0, 1:].dropna().to_numpy(dtype=float))
quiet = {"accelerator": "cpu", "enable_progress_bar": False}
forecast = Obeying(48, 24, n_epochs=2, pl_trainer_kwargs=quiet).fit(series).predict(24).values()
print(bool(region.check(forecast[:, 0])) and forecast.sum() == 15000)
