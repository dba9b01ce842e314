/* A model's tensors and metadata, which a checkpoint shares. */
#ifndef HCRI_MODEL_FILE_H
#define HCRI_MODEL_FILE_H

#include "train/model.h"

#define HCRI_FILE_VERSION 1

/* Whether the model's text and names can be kept in a file: DATA when they aren't UTF-8. */
hcr_status hcri_model_check_text(const hcr_model *model, hcr_error *error);

/* Sets or checks the metadata's "format" and "version". Errors of the check: FORMAT, VERSION. */
hcr_status hcri_format_set(hcri_tensors *tensors, const char *format, hcr_error *error);
hcr_status hcri_format_check(hcri_tensors *tensors, const char *format, hcr_error *error);

#endif
