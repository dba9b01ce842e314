/* Safetensors files: eight bytes of header length, a JSON header (names, types, shapes, places; "__metadata__" with
 * strings), then the tensors' bytes, one after the other. Written so that the same content gives the same bytes: keys
 * sorted, the header padded with blanks to a multiple of 8, tensors sorted by the size of their numbers and then by
 * name, so that all are aligned. The metadata's "digest" covers everything else; a file without it is taken as it is.
 */
#ifndef HCRI_SAFETENSORS_H
#define HCRI_SAFETENSORS_H

#include <jansson.h>

#include "hcr/hcr.h"

typedef enum hcri_tensor_type { HCRI_F64 = 0, HCRI_F32 = 1, HCRI_U8 = 2 } hcri_tensor_type;

typedef struct hcri_tensor {
    char name[32];
    hcri_tensor_type type;
    size_t rows, columns; /* columns 0: a vector */
    const void *data;     /* of the file, or of who writes; in files nothing is said about alignment */
} hcri_tensor;

#define HCRI_TENSORS 16
typedef struct hcri_tensors {
    size_t count;
    hcri_tensor tensor[HCRI_TENSORS];
    json_t *metadata; /* an object of strings */
    char *bytes;      /* of the file that was read */
} hcri_tensors;

hcr_status hcri_tensors_create(hcri_tensors *tensors, hcr_error *error);
void hcri_tensors_release(hcri_tensors *tensors);

/* The tensor isn't copied. */
void hcri_tensors_add(hcri_tensors *tensors, const char *name, hcri_tensor_type type, size_t rows, size_t columns,
                      const void *data);
/* MEMORY; DATA when `value` isn't UTF-8, which JSON can't hold. */
hcr_status hcri_tensors_set(hcri_tensors *tensors, const char *key, const char *value, hcr_error *error);
hcr_status hcri_tensors_set_number(hcri_tensors *tensors, const char *key, double value, hcr_error *error);
hcr_status hcri_tensors_set_count(hcri_tensors *tensors, const char *key, uint64_t value, hcr_error *error);
hcr_status hcri_tensors_save(hcri_tensors *tensors, const char *path, hcr_error *error);

/* Every length is checked against the file's before anything is made of it. Errors: FILE, FORMAT, MEMORY. */
hcr_status hcri_tensors_load(const char *path, hcri_tensors *tensors, hcr_error *error);
/* The tensor of that name, type and shape. FORMAT when there is none. Every tensor may be taken once; those left over
 * are what hcri_tensors_finish complains of, and so are keys of the metadata. */
hcr_status hcri_tensors_take(hcri_tensors *tensors, const char *name, hcri_tensor_type type, size_t rows,
                             size_t columns, hcri_tensor *tensor, hcr_error *error);
/* The same for a vector of U8 of any length. */
hcr_status hcri_tensors_take_bytes(hcri_tensors *tensors, const char *name, hcri_tensor *tensor, hcr_error *error);
/* The text is released with free(). */
hcr_status hcri_tensors_get(hcri_tensors *tensors, const char *key, char **value, hcr_error *error);
hcr_status hcri_tensors_get_number(hcri_tensors *tensors, const char *key, double *value, hcr_error *error);
hcr_status hcri_tensors_get_count(hcri_tensors *tensors, const char *key, uint64_t *value, hcr_error *error);
hcr_status hcri_tensors_finish(const hcri_tensors *tensors, hcr_error *error);

#endif
