#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "formats/npy_header.h"
#include "formats/table.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "numbers are written as they lie in memory, and must be little-endian in files"
#endif

static double from_half(unsigned bits) {
    const int exponent = (int)(bits >> 10 & 31);
    const double fraction = (double)(bits & 1023);
    double value;
    if (exponent == 31)
        value = fraction == 0 ? (double)INFINITY : (double)NAN;
    else
        value = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -value : value;
}

/* Two's complement of `bytes` bytes. */
static double from_signed(uint64_t bits, size_t bytes) {
    const uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
    return bits & sign ? -(double)(sign - (bits & (sign - 1))) : (double)bits;
}

static double to_double(const hcri_npy_header *header, uint64_t bits) {
    switch (header->kind) {
    case 'b': return bits != 0;
    case 'i': return from_signed(bits, header->item);
    case 'u': return (double)bits;
    default: break;
    }
    if (header->item == 2)
        return from_half((unsigned)bits);
    if (header->item == 4) {
        const uint32_t low = (uint32_t)bits;
        float single;
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t take_bits(const unsigned char *bytes, size_t count, int big_endian) {
    uint64_t bits = 0;
    for (size_t k = 0; k < count; k++)
        bits |= (uint64_t)bytes[big_endian ? count - 1 - k : k] << (8 * k);
    return bits;
}

hcr_status hcri_npy_shape(const char *file, const hcri_npy_header *header, int vector, uint64_t left, size_t *rows,
                          size_t *columns, hcr_error *error) {
    *rows = header->shape[0];
    *columns = header->shape[1];
    if (header->dimensions == 1) {
        *rows = vector ? header->shape[0] : 1;
        *columns = vector ? 1 : header->shape[0];
    }
    if (*columns == 0)
        return hcri_fail_at(error, HCR_ERROR_SHAPE, file, 0, 0, "the array has no columns");
    if (*rows > left / header->item / *columns)
        return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0,
                            "the file is cut short: its header says %zu × %zu numbers of %zu bytes, but %" PRIu64
                            " bytes follow",
                            *rows, *columns, header->item, left);
    if (*rows * *columns * header->item != left)
        return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0,
                            "the file has %" PRIu64 " bytes after the %zu × %zu numbers that its header says",
                            left - *rows * *columns * header->item, *rows, *columns);
    return HCR_OK;
}

void hcri_npy_convert(const hcri_npy_header *header, size_t count, const char *bytes, size_t stride, double *values) {
    const unsigned char *numbers = (const unsigned char *)bytes;
    for (size_t k = 0; k < count; k++)
        values[k * stride] = to_double(header, take_bits(numbers + k * header->item, header->item, header->big_endian));
}

hcr_status hcri_npy_read(const char *file, const char *bytes, size_t size, int vector, hcr_table *table,
                         hcr_error *error) {
    hcri_npy_header header;
    size_t rows, columns;
    HCRI_TRY(hcri_npy_header_read(file, bytes, size, &header, error));
    HCRI_TRY(hcri_npy_shape(file, &header, vector, size - header.start, &rows, &columns, error));
    HCRI_TRY(hcri_table_allocate(table, rows, columns, error));
    bytes += header.start;
    if (!header.fortran_order) {
        hcri_npy_convert(&header, rows * columns, bytes, 1, table->values);
        return HCR_OK;
    }
    for (size_t j = 0; j < columns; j++)
        hcri_npy_convert(&header, rows, bytes + j * rows * header.item, columns, table->values + j);
    return HCR_OK;
}

void hcri_npy_write_head(FILE *stream, size_t rows, size_t columns, hcr_precision precision) {
    /* The numbers begin at a multiple of 64 bytes; two lengths of 20 digits still fit into 128. */
    enum { PREFIX = 10 };
    char header[HCRI_NPY_START + 1];
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", PREFIX);
    const int used = snprintf(header + PREFIX, sizeof header - PREFIX,
                              "{'descr': '%s', 'fortran_order': False, 'shape': (%zu, %zu), }",
                              precision == HCR_SINGLE ? "<f4" : "<f8", rows, columns);
    memset(header + PREFIX + used, ' ', (size_t)(HCRI_NPY_START - PREFIX - used));
    header[HCRI_NPY_START - 1] = '\n';
    fwrite(header, 1, HCRI_NPY_START, stream);
}

void hcri_npy_write_rows(FILE *stream, const hcr_table *table, hcr_precision precision) {
    const size_t count = table->rows * table->columns;
    if (precision == HCR_DOUBLE)
        fwrite(table->values, sizeof *table->values, count, stream);
    for (size_t k = 0; precision == HCR_SINGLE && k < count; k++) {
        const float value = (float)table->values[k];
        fwrite(&value, sizeof value, 1, stream);
    }
}
