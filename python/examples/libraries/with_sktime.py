"""sktime: limits of each time are a step of a pipeline, those of a horizon are for the forecast that comes out."""

import numpy as np
from sktime.datasets import load_airline
from sktime.forecasting.compose import TransformedTargetForecaster
from sktime.forecasting.naive import NaiveForecaster
from sktime.transformations.series.func_transform import FunctionTransformer

import hcr
from hcr.forecast import constrain

capped = FunctionTransformer(constrain, kw_args={"region": "var y\n0 <= y <= 600"}, X_type="pd.DataFrame")
pipeline = TransformedTargetForecaster([("forecast", NaiveForecaster("last", sp=12)), ("capped", capped)])
forecast = pipeline.fit(load_airline()).predict(fh=np.arange(1, 13))
plan = hcr.Region("var y[12]\n0 <= y <= 600\nabs(diff(y)) <= 40\nsum(y) == 6000")
planned = constrain(forecast.to_frame(), plan)
print(planned.head())
print(forecast.max() == 600 and bool(plan.check(planned.to_numpy()[:, 0])) and planned.to_numpy().sum() == 6000)
