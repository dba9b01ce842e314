"""statsforecast's frames: each model's forecasts within what the series did, in steps as in its past."""

from statsforecast import StatsForecast
from statsforecast.models import AutoETS, SeasonalNaive
from statsforecast.utils import AirPassengersDF

import hcr
from hcr.forecast import constrain, limits

history = AirPassengersDF.iloc[:-12]
region = hcr.Region(limits(history.assign(unique_id="load"), horizon=12))
forecasts = StatsForecast([AutoETS(season_length=12), SeasonalNaive(12)], freq="ME").forecast(df=history, h=12)
inside = constrain(forecasts, region)
print(inside.head())
print(all(region.check(inside[model].to_numpy()) for model in ("AutoETS", "SeasonalNaive")))
