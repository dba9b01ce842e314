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

#define HCRI_TENSORS 320
typedef struct hcri_tensors {
    size_t count;
    hcri_tensor tensor[HCRI_TENSORS]; /* those to write, or of a file those that nobody has taken */
    json_t *metadata;                 /* an object of strings, likewise */
    json_t *taken;                    /* those of a file that were taken: their text stays where it is */
    char *bytes;                      /* of the file that is read; NULL: one is to be written */
    char prefix[24];                  /* "": what all names below have in front, in the file */
    hcr_status status;                /* the first refusal, which is in `error`: what comes after it does nothing */
    hcr_error *error;
} hcri_tensors;

/* For a file that is to be written; `error` must stay where it is, as in hcri_tensors_load. */
hcr_status hcri_tensors_create(hcri_tensors *tensors, hcr_error *error);
/* Every length is checked against the file's before anything is made of it. Errors: FILE, FORMAT, MEMORY. */
hcr_status hcri_tensors_load(const char *path, hcri_tensors *tensors, hcr_error *error);
void hcri_tensors_release(hcri_tensors *tensors);

/* What a file has, by the same calls when it is written and when it is read: they put what is given into the file, or
 * get it from there. Each name is read once. They set `status`: MEMORY; DATA for a text that isn't UTF-8, which JSON
 * can't hold; FORMAT for what isn't in the file or can't be. */
int hcri_tensors_has(const hcri_tensors *tensors, const char *key); /* whether there is such a text still */
void hcri_tensors_text(hcri_tensors *tensors, const char *key, const char **text); /* one read stays with the file */
void hcri_tensors_number(hcri_tensors *tensors, const char *key, double *number);
void hcri_tensors_count(hcri_tensors *tensors, const char *key, uint64_t *count);
void hcri_tensors_vector(hcri_tensors *tensors, const char *name, hcri_tensor_type type, size_t count, void *data);
/* A tensor that lies elsewhere: data to be written, which isn't copied, or the file's (NULL: refused). */
const void *hcri_tensors_matrix(hcri_tensors *tensors, const char *name, hcri_tensor_type type, size_t rows,
                                size_t columns, const void *data);
/* A vector of bytes of any length, whose number is `size`. */
const void *hcri_tensors_bytes(hcri_tensors *tensors, const char *name, size_t *size, const void *data);

hcr_status hcri_tensors_save(hcri_tensors *tensors, const char *path);
/* FORMAT when the file has more than was read. */
hcr_status hcri_tensors_finish(hcri_tensors *tensors);

#endif
