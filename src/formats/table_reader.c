/* Tables in parts. A CSV file is cut into equal ranges of bytes behind its header and first row; a range has the lines
 * that begin in it. An odd number of quotes in the ranges before it says that it begins inside of one. The header and
 * the first row, which decide how all others are read, stand before the text of each part when it is parsed. */
#define _XOPEN_SOURCE 700 /* pread */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "formats/npy_header.h"
#include "formats/table.h"

/* What lies in some bytes of a CSV file. */
struct span {
    uint64_t quotes, lines;
};

struct hcr_table_reader {
    char *path; /* as messages have it */
    int descriptor;
    FILE *copy; /* of what can't be read at any place, NULL otherwise: the descriptor is its */
    hcr_table_format format;
    size_t bytes; /* of a part */
    size_t parts, part;
    uint64_t size; /* of the file */

    /* CSV */
    char *prefix; /* the header, if there is one, and the first row */
    size_t prefix_size, prefix_lines;
    const hcr_table_columns *needed;
    int is_counted;       /* the header is 0, 1, 2 …: no names */
    int has_row;          /* the prefix has a row, which is that of the first part */
    char *text;           /* room for the prefix, then the file's bytes from `begin` to `end` on */
    size_t capacity;      /* of text */
    uint64_t begin, end;  /* what of the file is in memory … */
    uint64_t first, last; /* … and the part's range */
    struct span span;     /* of that */
    struct span before;   /* of the parts before it */

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

/* Has the bytes up to `end` in memory, or up to the end of the file. */
static hcr_status extend(hcr_table_reader *reader, uint64_t end, hcr_error *error) {
    if (end > reader->size)
        end = reader->size;
    if (end <= reader->end)
        return HCR_OK;
    const size_t before = reader->prefix_size + (size_t)(reader->end - reader->begin);
    const size_t needed = reader->prefix_size + (size_t)(end - reader->begin) + 1;
    char *text = hcri_grow(&hcri_default_allocator, reader->text, &reader->capacity, needed, 1);
    if (text == NULL)
        return hcri_fail_memory(error);
    reader->text = text;
    HCRI_TRY(read_at(reader, reader->end, (size_t)(end - reader->end), text + before, error));
    reader->end = end;
    return HCR_OK;
}

static char byte_of(const hcr_table_reader *reader, uint64_t place) {
    return reader->text[reader->prefix_size + (size_t)(place - reader->begin)];
}

/* ----------------------------------------------------------------------------------------------------------- lines */

/* Whether a line ends with the byte at `place`: LF, CRLF or CR. The byte behind it must be in memory if there is one.
 */
static int ends_line(const hcr_table_reader *reader, uint64_t place) {
    const char c = byte_of(reader, place);
    return c == '\n' || (c == '\r' && (place + 1 == reader->size || byte_of(reader, place + 1) != '\n'));
}

/* Whether the line that ends with the byte at `place` is blank, which shows when the line before it ends there. */
static int is_blank_before(const hcr_table_reader *reader, uint64_t place) {
    if (byte_of(reader, place) == '\n' && place > reader->begin && byte_of(reader, place - 1) == '\r')
        place--;
    while (place > reader->begin && (byte_of(reader, place - 1) == ' ' || byte_of(reader, place - 1) == '\t'))
        place--;
    return place > reader->begin && (byte_of(reader, place - 1) == '\n' || byte_of(reader, place - 1) == '\r');
}

/* Bytes that are read at a time where a line goes on behind its part, and those that are looked back at. */
enum { STRIDE = 1 << 14, BACK = 256 };

/* The first place from `place` on where a line begins that doesn't follow a blank one (so that blank lines come before
 * rows, of which the parser can then say what they mean); the end of the file when there is none. quoted: whether
 * `place` is inside of quotes. */
static hcr_status find_line(hcr_table_reader *reader, uint64_t place, int quoted, uint64_t *found, hcr_error *error) {
    for (; place < reader->size; place++) {
        if (place + 1 >= reader->end)
            HCRI_TRY(extend(reader, place + STRIDE, error));
        if (!quoted && ends_line(reader, place - 1) && !is_blank_before(reader, place - 1))
            break;
        quoted ^= byte_of(reader, place) == '"';
    }
    *found = place;
    return HCR_OK;
}

static struct span measure(const hcr_table_reader *reader, uint64_t first, uint64_t last) {
    struct span span = {0, 0};
    for (uint64_t place = first; place < last; place++) {
        const char c = byte_of(reader, place);
        span.quotes += c == '"';
        span.lines += (c == '\n' || c == '\r') && ends_line(reader, place);
    }
    return span;
}

/* ------------------------------------------------------------------------------------------------------------ CSV */

/* Where the line ends that the first cell from `place` on is in: blank lines are passed over. */
static hcr_status skip_line(hcr_table_reader *reader, uint64_t *place, hcr_error *error) {
    int quoted = 0, cells = 0;
    uint64_t at = *place;
    for (; at < reader->size; at++) {
        if (at + 1 >= reader->end)
            HCRI_TRY(extend(reader, at + STRIDE, error));
        const char c = byte_of(reader, at);
        quoted ^= c == '"';
        cells |= c != '\n' && c != '\r' && c != ' ' && c != '\t';
        if (cells && !quoted && (c == '\n' || c == '\r') && ends_line(reader, at)) {
            at++;
            break;
        }
    }
    *place = at;
    return HCR_OK;
}

static void forget_names(hcr_table *table) {
    for (size_t j = 0; j < table->columns; j++)
        hcri_release(&hcri_default_allocator, table->names[j]);
    hcri_release(&hcri_default_allocator, table->names);
    table->names = NULL;
}

static hcr_status parse(const hcr_table_reader *reader, const char *text, size_t size, hcr_table *table,
                        hcr_error *error) {
    int decided = -1; /* by the first two lines of the file: another part's first row has no say */
    HCRI_TRY(hcri_csv_read(reader->path, text, size, reader->needed, table, &decided, error));
    if (reader->is_counted)
        forget_names(table);
    return HCR_OK;
}

/* A header of 0, 1, 2 … is in front of each part as letters, which no row of numbers is taken for. */
static void spell_header(hcr_table_reader *reader, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (reader->prefix[i] >= '0' && reader->prefix[i] <= '9')
            reader->prefix[i] = (char)('a' + reader->prefix[i] - '0');
}

/* The header and the first row, or the first row alone. */
static hcr_status find_prefix(hcr_table_reader *reader, hcr_error *error) {
    uint64_t one = 0, two;
    HCRI_TRY(skip_line(reader, &one, error));
    two = one;
    HCRI_TRY(skip_line(reader, &two, error));
    /* Cells that a part would be refused for are no matter yet. */
    static const char *const none[] = {NULL};
    static const hcr_table_columns nothing = {.names = none, .nan = 1};
    HCRI_SCOPED_BY(hcr_table_clear) hcr_table start = {0};
    HCRI_TRY(hcri_csv_read(reader->path, reader->text == NULL ? "" : reader->text, (size_t)two, &nothing, &start,
                           &reader->is_counted, error));
    const uint64_t size = start.names == NULL && !reader->is_counted ? one : two;
    reader->has_row = start.rows > 0;
    reader->prefix_lines = (size_t)measure(reader, 0, size).lines;
    reader->prefix = hcri_copy(&hcri_default_allocator, reader->text, (size_t)size, 1);
    if (reader->prefix == NULL)
        return hcri_fail_memory(error);
    reader->prefix_size = (size_t)size;
    if (reader->is_counted)
        spell_header(reader, (size_t)one);
    const uint64_t rest = reader->size - size;
    reader->parts = (size_t)(rest / reader->bytes + (rest % reader->bytes != 0));
    return HCR_OK;
}

static hcr_status read_range(hcr_table_reader *reader, hcr_error *error) {
    const uint64_t start = reader->prefix_size, bytes = reader->bytes;
    const uint64_t left = (reader->size - start) / bytes;
    reader->first = reader->part > left ? reader->size : start + reader->part * bytes;
    reader->last = reader->part >= left ? reader->size : reader->first + bytes;
    reader->begin = reader->end = reader->first > BACK ? reader->first - BACK : 0;
    /* The byte behind the range says whether a CR at its end ends a line. */
    HCRI_TRY(extend(reader, reader->last + 1, error));
    reader->span = measure(reader, reader->first, reader->last);
    return HCR_OK;
}

/* The rows that begin in the part: where a line ends depends on the quotes before. */
static hcr_status take_csv(hcr_table_reader *reader, hcr_table *table, hcr_error *error) {
    HCRI_TRY(read_range(reader, error));
    const struct span before = reader->before;
    reader->before.quotes += reader->span.quotes;
    reader->before.lines += reader->span.lines;
    uint64_t from = reader->first, to = 0;
    const int quoted = before.quotes % 2 != 0, quoted_behind = (before.quotes + reader->span.quotes) % 2 != 0;
    if (reader->part > 0)
        HCRI_TRY(find_line(reader, from, quoted, &from, error));
    if (from < reader->last)
        HCRI_TRY(find_line(reader, reader->last, quoted_behind, &to, error));
    else
        to = from; /* a line that began before goes on beyond this part */
    const uint64_t skipped = measure(reader, reader->first, from < reader->last ? from : reader->last).lines;
    char *text = reader->text + (from - reader->begin);
    memcpy(text, reader->prefix, reader->prefix_size);
    hcr_error found = {0};
    const hcr_status status = parse(reader, text, reader->prefix_size + (size_t)(to - from), table, &found);
    if (status != HCR_OK) {
        if (found.line > 0 && (size_t)found.line > reader->prefix_lines)
            found.line += (int)(before.lines + skipped);
        if (error != NULL)
            *error = found;
        return status;
    }
    if (reader->part > 0 && reader->has_row) {
        table->rows--;
        memmove(table->values, table->values + table->columns, table->rows * table->columns * sizeof *table->values);
    }
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------------------ NPY */

static hcr_status open_npy(hcr_table_reader *reader, int vector, hcr_error *error) {
    enum { MOST = 1 << 20 }; /* of a header */
    const size_t size = reader->size < MOST ? (size_t)reader->size : MOST;
    HCRI_SCOPED char *bytes = malloc(size + 1);
    if (bytes == NULL)
        return hcri_fail_memory(error);
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
    if (bytes == NULL)
        return hcri_fail_memory(error);
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
    if (reader->copy == NULL)
        return hcri_fail(error, HCR_ERROR_FILE, "can't make a temporary file: %s", strerror(errno));
    while ((got = read(reader->descriptor, bytes, sizeof bytes)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_read(reader, error);
        if (fwrite(bytes, 1, (size_t)got, reader->copy) != (size_t)got)
            break;
    }
    if (fflush(reader->copy) != 0 || ferror(reader->copy))
        return hcri_fail(error, HCR_ERROR_FILE, "can't write a temporary file: %s", strerror(errno));
    close(reader->descriptor);
    reader->descriptor = fileno(reader->copy);
    return HCR_OK;
}

static hcr_status open_file(hcr_table_reader *reader, const char *path, int vector, hcr_error *error) {
    const int standard = strcmp(path, "-") == 0;
    struct stat facts;
    reader->path = hcri_copy_string(&hcri_default_allocator, standard ? "standard input" : path);
    if (reader->path == NULL)
        return hcri_fail_memory(error);
    reader->descriptor = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (reader->descriptor < 0 || fstat(reader->descriptor, &facts) != 0)
        return hcri_fail(error, HCR_ERROR_FILE, "can't open \"%s\": %s", path, strerror(errno));
    if (!S_ISREG(facts.st_mode) || lseek(reader->descriptor, 0, SEEK_CUR) != 0) {
        HCRI_TRY(copy_to_disk(reader, error));
        if (fstat(reader->descriptor, &facts) != 0)
            return fail_read(reader, error);
    }
    reader->size = (uint64_t)facts.st_size;
    HCRI_TRY(reader->format == HCR_TABLE_NPY ? open_npy(reader, vector, error) : find_prefix(reader, error));
    if (reader->parts == 0)
        reader->parts = 1;
    return HCR_OK;
}

hcr_status hcr_table_reader_open(const char *path, bool vector, size_t bytes, hcr_table_reader **reader,
                                 hcr_error *error) {
    if (path == NULL || reader == NULL || bytes == 0)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "path and reader can't be NULL, nor bytes 0");
    *reader = NULL;
    const hcr_table_format format = hcr_table_format_of(path);
    if (format == HCR_TABLE_NPZ)
        return hcri_fail(error, HCR_ERROR_UNSUPPORTED,
                         "an .npz archive can't be read in parts: give a .npy or a CSV file");
    hcr_table_reader *made = calloc(1, sizeof *made);
    if (made == NULL)
        return hcri_fail_memory(error);
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
    hcri_release(&hcri_default_allocator, reader->prefix);
    free(reader);
}

void hcr_table_reader_need(hcr_table_reader *reader, const hcr_table_columns *needed) { reader->needed = needed; }

size_t hcr_table_reader_parts(const hcr_table_reader *reader) { return reader->parts; }

hcr_status hcr_table_reader_next(hcr_table_reader *reader, hcr_table *table, hcr_error *error) {
    if (reader == NULL || table == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "reader and table can't be NULL");
    HCRI_SCOPED_BY(hcr_table_clear) hcr_table taken = {0};
    HCRI_TRY(reader->format == HCR_TABLE_CSV ? take_csv(reader, &taken, error) : take_npy(reader, &taken, error));
    reader->part++;
    hcri_table_move(table, &taken);
    return HCR_OK;
}
