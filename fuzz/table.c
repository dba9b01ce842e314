/* Tables: the first byte says CSV, NPY or NPZ; what is read is written as CSV, and reads back to the same bits. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <math.h>
#include <string.h>

#include "formats/table.h"
#include "fuzz.h"

size_t fuzz_accepted;

static hcr_status read_table(uint8_t format, const char *bytes, size_t size, hcr_table *table) {
    switch (format % 4) {
    case 0: return hcri_csv_read("fuzz", bytes, size, NULL, table, NULL);
    case 1: return hcri_npy_read("fuzz", bytes, size, 0, table, NULL);
    case 2: return hcri_npy_read("fuzz", bytes, size, 1, table, NULL);
    default: return hcri_npz_read("fuzz", bytes, size, NULL, 0, table, NULL);
    }
}

static void write_and_read(const hcr_table *table) {
    for (size_t k = 0; k < table->rows * table->columns; k++)
        if (!isfinite(table->values[k]))
            return; /* CSV has no such numbers */
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    FUZZ_REQUIRE(stream != NULL);
    hcri_csv_write_head(stream, table);
    hcri_csv_write_rows(stream, table, HCR_DOUBLE);
    FUZZ_REQUIRE(fclose(stream) == 0);
    hcr_table again = {0};
    FUZZ_REQUIRE(hcri_csv_read("fuzz", text, length, NULL, &again, NULL) == HCR_OK);
    FUZZ_REQUIRE(again.rows == table->rows && again.columns == table->columns);
    FUZZ_REQUIRE(memcmp(again.values, table->values, table->rows * table->columns * sizeof(double)) == 0);
    for (size_t j = 0; table->names != NULL && j < table->columns; j++)
        FUZZ_REQUIRE(strcmp(again.names[j], table->names[j]) == 0);
    hcr_table_clear(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    char *bytes = malloc(size); /* the readers are given a 0 behind the bytes, as hcri_file_read leaves it */
    FUZZ_REQUIRE(bytes != NULL);
    memcpy(bytes, data + 1, size - 1);
    bytes[size - 1] = '\0';
    hcr_table table = {0};
    if (read_table(data[0], bytes, size - 1, &table) == HCR_OK) {
        fuzz_accepted++;
        if (table.rows > 0 && table.columns > 0)
            write_and_read(&table);
    }
    hcr_table_clear(&table);
    free(bytes);
    return 0;
}
