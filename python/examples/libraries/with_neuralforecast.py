"""NeuralForecast: a layer behind the network, so that it is trained on, and only makes, forecasts that obey."""

import pandas
from neuralforecast import NeuralForecast
from neuralforecast.models import NHITS
from neuralforecast.utils import AirPassengersDF

import hcr
import hcr.torch

region = hcr.Region("var load[12]\n0 <= load <= 600\nabs(diff(load)) <= 60\nsum(load) <= 5400")
layer = hcr.torch.Constrain(region, "project", points=True)


def obey(module, inputs, output):  # (windows, horizon, 1), in the series' units: scaler_type is "identity"
    return layer(output.squeeze(-1)).unsqueeze(-1)


options = {"max_steps": 5, "windows_batch_size": 64, "scaler_type": "identity"}
network = NHITS(h=12, input_size=24, accelerator="cpu", logger=False, enable_progress_bar=False, **options)
network.register_forward_hook(obey)
forecaster = NeuralForecast(models=[network], freq="ME")
forecaster.fit(df=pandas.DataFrame(AirPassengersDF))
forecasts = forecaster.predict()
print(forecasts.head())
print(bool(region.check(forecasts["NHITS"].to_numpy())))
