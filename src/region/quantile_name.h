/* Names of outputs at a quantile level, as hcr_region_quantiles gives them: "load[0]@0.9". */
#ifndef HCRI_QUANTILE_NAME_H
#define HCRI_QUANTILE_NAME_H

/* The level, over 0 and under 1; NaN when the name is none of these. */
double hcri_quantile_level(const char *name);

#endif
