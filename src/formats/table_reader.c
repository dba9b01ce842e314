/* Tables in parts. A part of a CSV file has the rows that end in its range of bytes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/system.h"
#include "formats/npy_header.h"
#include "formats/table.h"

struct hcr_table_reader {
    char *path; /* as messages have it */
    int descriptor;
    FILE *copy; /* of what can't be read at any place, NULL otherwise: the descriptor is its */
    hcr_table_format format;
    size_t bytes; /* of a part */
    size_t parts, part;
    uint64_t size; /* of the file */

    hcri_csv_table csv;
    uint64_t start, place; /* bytes that decide how the rows are read; that were read */
    char *text;            /* the last of those */
    size_t capacity;

    /* NPY */
    hcri_npy_header header;
    size_t rows, columns;
};

/* ------------------------------------------------------------------------------------------------------ the bytes */

static hcr_status fail_read(const hcr_table_reader *reader, hcr_error *error) {
    return hcri_fail(error, HCR_ERROR_FILE, "can't read \"%s\": %s", reader->path, strerror(errno));
}

/* All of `count` bytes. */
static hcr_status read_at(const hcr_table_reader *reader, uint64_t place, size_t count, char *bytes, hcr_error *error) {
    while (count > 0) {
        const ssize_t got = pread(reader->descriptor, bytes, count, (off_t)place);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_read(reader, error);
        if (got == 0)
            return hcri_fail_at(error, HCR_ERROR_FILE, reader->path, 0, 0, "the file became shorter while it was read");
        bytes += got;
        place += (uint64_t)got;
        count -= (size_t)got;
    }
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------------------ CSV */

/* `*size` bytes from `place` on, or as many as there are, into `text`: one more where CR and LF would be parted. */
static hcr_status read_piece(hcr_table_reader *reader, uint64_t place, size_t *size, hcr_error *error) {
    const uint64_t left = reader->size - place;
    const size_t count = *size < left ? *size : (size_t)left, more = count < left;
    HCRI_ALLOCATED(HCRI_GROW(&hcri_default_allocator, reader->text, &reader->capacity, count + 1));
    HCRI_TRY(read_at(reader, place, count + more, reader->text, error));
    *size = count + (more && reader->text[count - 1] == '\r' && reader->text[count] == '\n');
    return HCR_OK;
}

/* How much of the file has its first two rows, which say how the others are read. */
static hcr_status open_csv(hcr_table_reader *reader, hcr_error *error) {
    /* Cells that a part would be refused for are no matter yet. */
    static const char *const none[] = {NULL};
    static const hcr_table_columns nothing = {.names = none, .nan = true, .missing = true};
    for (size_t stride = reader->bytes < 4096 ? reader->bytes : 4096; reader->start == 0; stride *= 2) {
        size_t size = stride;
        HCRI_TRY(read_piece(reader, 0, &size, error));
        const int is_all = size == reader->size;
        if (!is_all && !hcri_csv_can_begin(reader->text, size))
            continue;
        HCRI_SCOPED_BY(hcri_csv_table_close) hcri_csv_table start;
        HCRI_TRY(hcri_csv_table_open(&start, reader->path, &nothing, error));
        HCRI_TRY(hcri_csv_table_feed(&start, reader->text, size, is_all, error));
        reader->start = is_all || start.rows_seen > 1 ? size : 0;
    }
    reader->parts = (size_t)(reader->size / reader->bytes + (reader->size % reader->bytes != 0));
    return hcri_csv_table_open(&reader->csv, reader->path, NULL, error);
}

static hcr_status take_csv(hcr_table_reader *reader, hcr_table *table, hcr_error *error) {
    uint64_t end = reader->part + 1 < reader->parts ? (uint64_t)(reader->part + 1) * reader->bytes : reader->size;
    end = end > reader->start ? end : reader->start;
    if (end > reader->place) {
        size_t size = (size_t)(end - reader->place);
        HCRI_TRY(read_piece(reader, reader->place, &size, error));
        reader->place += size;
        reader->csv.word_bytes = 0;
        HCRI_TRY(hcri_csv_table_feed(&reader->csv, reader->text, size, reader->place == reader->size, error));
    }
    return hcri_csv_table_take(&reader->csv, table, error);
}

/* ------------------------------------------------------------------------------------------------------------ NPY */

static hcr_status open_npy(hcr_table_reader *reader, int vector, hcr_error *error) {
    enum { MOST = 1 << 20 }; /* of a header */
    const size_t size = reader->size < MOST ? (size_t)reader->size : MOST;
    HCRI_SCOPED char *bytes = malloc(size + 1);
    HCRI_ALLOCATED(bytes);
    HCRI_TRY(read_at(reader, 0, size, bytes, error));
    HCRI_TRY(hcri_npy_header_read(reader->path, bytes, size, &reader->header, error));
    HCRI_TRY(hcri_npy_shape(reader->path, &reader->header, vector, reader->size - reader->header.start, &reader->rows,
                            &reader->columns, error));
    const size_t row = reader->columns * reader->header.item;
    reader->bytes = reader->bytes < row ? 1 : reader->bytes / row; /* rows, from here on */
    reader->parts = reader->rows / reader->bytes + (reader->rows % reader->bytes != 0);
    return HCR_OK;
}

static hcr_status take_npy(hcr_table_reader *reader, hcr_table *table, hcr_error *error) {
    const hcri_npy_header *header = &reader->header;
    const size_t whole = reader->rows / reader->bytes;
    const size_t first = reader->part > whole ? reader->rows : reader->part * reader->bytes;
    const size_t left = reader->rows - first, rows = left < reader->bytes ? left : reader->bytes;
    const size_t columns = reader->columns, runs = header->fortran_order ? columns : 1;
    const size_t count = rows * columns / runs; /* numbers that follow one another in the file */
    HCRI_TRY(hcri_table_allocate(table, rows, columns, error));
    HCRI_SCOPED char *bytes = malloc(count * header->item + 1);
    HCRI_ALLOCATED(bytes);
    for (size_t j = 0; j < runs; j++) {
        const uint64_t number = header->fortran_order ? (uint64_t)j * reader->rows + first : (uint64_t)first * columns;
        HCRI_TRY(read_at(reader, header->start + number * header->item, count * header->item, bytes, error));
        hcri_npy_convert(header, count, bytes, runs, table->values + j);
    }
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------------ the reader */

/* A pipe, a device and a file that somebody has begun to read go to a file without a name first. */
static hcr_status copy_to_disk(hcr_table_reader *reader, hcr_error *error) {
    char bytes[1 << 16];
    ssize_t got;
    reader->copy = tmpfile();
    HCRI_FAIL_IF(reader->copy == NULL, HCR_ERROR_FILE, "can't make a temporary file: %s", strerror(errno));
    while ((got = read(reader->descriptor, bytes, sizeof bytes)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_read(reader, error);
        if (fwrite(bytes, 1, (size_t)got, reader->copy) != (size_t)got)
            break;
    }
    HCRI_FAIL_IF(fflush(reader->copy) != 0 || ferror(reader->copy), HCR_ERROR_FILE, "can't write a temporary file: %s",
                 strerror(errno));
    close(reader->descriptor);
    reader->descriptor = fileno(reader->copy);
    return HCR_OK;
}

static hcr_status open_file(hcr_table_reader *reader, const char *path, int vector, hcr_error *error) {
    const int standard = strcmp(path, "-") == 0;
    struct stat facts;
    reader->path = hcri_copy_string(&hcri_default_allocator, standard ? "standard input" : path);
    HCRI_ALLOCATED(reader->path);
    reader->descriptor = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    HCRI_FAIL_IF(reader->descriptor < 0 || fstat(reader->descriptor, &facts) != 0, HCR_ERROR_FILE,
                 "can't open \"%s\": %s", path, strerror(errno));
    if (!S_ISREG(facts.st_mode) || lseek(reader->descriptor, 0, SEEK_CUR) != 0) {
        HCRI_TRY(copy_to_disk(reader, error));
        if (fstat(reader->descriptor, &facts) != 0)
            return fail_read(reader, error);
    }
    reader->size = (uint64_t)facts.st_size;
    HCRI_TRY(reader->format == HCR_TABLE_NPY ? open_npy(reader, vector, error) : open_csv(reader, error));
    if (reader->parts == 0)
        reader->parts = 1;
    return HCR_OK;
}

hcr_status hcr_table_reader_open(const char *path, bool vector, size_t bytes, hcr_table_reader **reader,
                                 hcr_error *error) {
    HCRI_FAIL_IF(path == NULL || reader == NULL || bytes == 0, HCR_ERROR_ARGUMENT,
                 "path and reader can't be NULL, nor bytes 0");
    *reader = NULL;
    const hcr_table_format format = hcr_table_format_of(path);
    HCRI_FAIL_IF(format == HCR_TABLE_NPZ, HCR_ERROR_UNSUPPORTED,
                 "an .npz archive can't be read in parts: give a .npy or a CSV file");
    hcr_table_reader *made = calloc(1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->descriptor = -1;
    made->format = format;
    made->bytes = bytes;
    const hcr_status status = open_file(made, path, vector, error);
    if (status != HCR_OK)
        hcr_table_reader_free(made);
    else
        *reader = made;
    return status;
}

void hcr_table_reader_free(hcr_table_reader *reader) {
    if (reader == NULL)
        return;
    if (reader->copy != NULL)
        fclose(reader->copy);
    else if (reader->descriptor >= 0)
        close(reader->descriptor);
    hcri_release(&hcri_default_allocator, reader->path);
    hcri_release(&hcri_default_allocator, reader->text);
    hcri_csv_table_close(&reader->csv);
    free(reader);
}

void hcr_table_reader_need(hcr_table_reader *reader, const hcr_table_columns *needed) { reader->csv.needed = needed; }

size_t hcr_table_reader_words(const hcr_table_reader *reader, const char *const **names, const char **cells) {
    *names = reader->csv.word_names;
    *cells = reader->csv.word_cells;
    return reader->csv.words;
}

size_t hcr_table_reader_parts(const hcr_table_reader *reader) { return reader->parts; }

hcr_status hcr_table_reader_next(hcr_table_reader *reader, hcr_table *table, hcr_error *error) {
    HCRI_FAIL_IF(reader == NULL || table == NULL, HCR_ERROR_ARGUMENT, "reader and table can't be NULL");
    HCRI_SCOPED_BY(hcr_table_clear) hcr_table taken = {0};
    HCRI_TRY(reader->format == HCR_TABLE_CSV ? take_csv(reader, &taken, error) : take_npy(reader, &taken, error));
    reader->part++;
    hcri_table_move(table, &taken);
    return HCR_OK;
}
