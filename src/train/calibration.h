/* Quantiles moved to where held-out rows have them. */
#ifndef HCRI_CALIBRATION_H
#define HCRI_CALIBRATION_H

#include "train/model.h"

typedef struct hcri_held {
    size_t rows;
    const double *X, *parameters; /* parameters NULL: none, or among X */
    const double *Y;              /* rows × n, inside */
    const double *weights;        /* >= 0, not all 0 */
} hcri_held;

/* Moves the points that a model of the pinball loss gives to the region's map, those of a level by the same number of
 * deviations, until as large a share of the held targets as the level says is at or below its predictions. That is
 * conformal prediction (Romano, Patterson and Candès, 2019), with all outputs of a level taken together; it repeats
 * since the map behind moves predictions too. */
hcr_status hcri_calibrate(hcr_model *model, const hcri_held *held, hcr_error *error);

#endif
