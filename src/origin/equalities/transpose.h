/* Compressed rows by columns. */
#ifndef HCRI_TRANSPOSE_H
#define HCRI_TRANSPOSE_H

#include "kernels/sparse_rows.h"

/* `columns` rows, of which row j has the entries of column j; memory is the default allocator's, and
 * the caller releases it, also after a failure. */
hcr_status hcri_rows_transpose(const hcri_rows *rows, size_t columns, hcri_rows *transposed, hcr_error *error);

#endif
