/* A model's tensors and metadata, which a checkpoint shares. */
#ifndef HCRI_MODEL_FILE_H
#define HCRI_MODEL_FILE_H

#include "train/model.h"

#define HCRI_FILE_VERSION 1

/* Whether the model's text and names can be kept in a file: DATA when they aren't UTF-8. */
hcr_status hcri_model_check_text(const hcr_model *model, hcr_error *error);

/* The metadata's "format" and "version". Errors: FORMAT, VERSION. */
void hcri_format_walk(hcri_tensors *tensors, const char *format);

#endif
