/* The C of a trained network: inputs in units of their deviations, the encoder, the linear layer, and what its outputs
 * mean for the region's map. In single precision, as the library computes it, whatever the precision of the rest. */
#ifndef HCRI_EXPORT_NETWORK_H
#define HCRI_EXPORT_NETWORK_H

#include "device/c_code.h"
#include "device/export_plan.h"
#include "train/model.h"

/* Whether predictions need the region's parameters apart from the inputs; the others have those among the inputs. */
static inline int hcri_network_is_given(const hcr_model *model) {
    return model != NULL && hcr_region_parameters(model->region) != 0 && model->parameter_columns == NULL;
}

/* Tables, and static int network(const @ *input, @ *points): 0 when an input is no number or absurdly far. Adds to
 * code->operations. */
void hcri_network_put(hcri_code *code, const hcr_model *model, const hcri_plan *plan);

#endif
