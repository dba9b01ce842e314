/* Reads a file of any supported format: unpacks it, finds its format, reads it. */
#include <string.h>

#include "base/file.h"
#include "import/problem.h"

#ifdef HCRI_HAS_ZLIB
#include <zlib.h>
#endif

void hcr_import_free(hcr_import *import) {
    if (import == NULL)
        return;
    const hcr_allocator allocator = import->allocator;
    hcri_pool_release(&import->pool);
    hcri_arena_release(&import->arena);
    hcri_release(&allocator, import);
}

size_t hcr_import_notices(const hcr_import *import) { return import->notices; }
const char *hcr_import_notice(const hcr_import *import, size_t notice) { return import->notice[notice]; }
size_t hcr_import_outputs(const hcr_import *import) { return import->columns; }
size_t hcr_import_constraints(const hcr_import *import) { return import->relations; }

/* ------------------------------------------------------------------------------------------------------------ gzip */

static int is_packed(const char *bytes, size_t size) {
    return size >= 2 && (unsigned char)bytes[0] == 0x1F && (unsigned char)bytes[1] == 0x8B;
}

#ifdef HCRI_HAS_ZLIB

static void *allocate_for_zlib(void *allocator, uInt items, uInt size) { return hcri_allocate(allocator, items, size); }
static void release_for_zlib(void *allocator, void *memory) { hcri_release(allocator, memory); }

/* All members of a gzip file, one after the other; *text is terminated. */
static hcr_status inflate_all(z_stream *stream, const char *bytes, size_t size, const hcr_allocator *allocator,
                              char **text, size_t *length, const char *file, hcr_error *error) {
    size_t capacity = 0, used = 0, taken = 0;
    int code = Z_OK;
    while (code != Z_STREAM_END || is_packed(bytes + taken, size - taken)) {
        if (code == Z_STREAM_END)
            inflateReset(stream);
        HCRI_ALLOCATED(HCRI_GROW(allocator, *text, &capacity, used + 65536 + 1));
        const size_t room = capacity - used - 1, left = size - taken;
        const uInt out = room > 1u << 30 ? 1u << 30 : (uInt)room, in = left > 1u << 30 ? 1u << 30 : (uInt)left;
        stream->next_in = (Bytef *)bytes + taken; /* zlib doesn't write to it */
        stream->avail_in = in;
        stream->next_out = (Bytef *)(*text + used);
        stream->avail_out = out;
        code = inflate(stream, Z_NO_FLUSH);
        taken += in - stream->avail_in;
        used += out - stream->avail_out;
        HCRI_TRY(hcri_check_inflated(file, used, error));
        if (code == Z_BUF_ERROR || (code == Z_OK && taken == size && stream->avail_out > 0))
            return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0, "the packed file is cut short");
        if (code == Z_MEM_ERROR)
            return hcri_fail_memory(error);
        if (code != Z_OK && code != Z_STREAM_END)
            return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0, "the packed file is damaged");
    }
    (*text)[used] = '\0';
    *length = used;
    return HCR_OK;
}

static hcr_status unpack(const char *bytes, size_t size, const hcr_allocator *allocator, char **text, size_t *length,
                         const char *file, hcr_error *error) {
    z_stream stream = {.zalloc = allocate_for_zlib, .zfree = release_for_zlib, .opaque = (void *)allocator};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) /* 16: gzip's header and checksum */
        return hcri_fail_memory(error);
    const hcr_status status = inflate_all(&stream, bytes, size, allocator, text, length, file, error);
    inflateEnd(&stream);
    return status;
}

#else

static hcr_status unpack(const char *bytes, size_t size, const hcr_allocator *allocator, char **text, size_t *length,
                         const char *file, hcr_error *error) {
    (void)bytes, (void)size, (void)allocator, (void)text, (void)length;
    return hcri_fail_at(error, HCR_ERROR_UNSUPPORTED, file, 0, 0,
                        "this build of hcr has no zlib, which packed files need: unpack it first (gunzip)");
}

#endif

/* ----------------------------------------------------------------------------------------------------- the formats */

typedef void read_format(hcr_import *import, const char *text, size_t size);

static const struct {
    const char *words, *format;
    read_format *read;
} beginnings[] = {{"VER", "CBF", hcri_cbf_read},
                  {"NAME|ROWS|OBJSENSE|OBJSENS|OBJNAME", "MPS", hcri_mps_read},
                  {"MINIMIZE|MAXIMIZE|MINIMISE|MAXIMISE|MINIMUM|MAXIMUM|MIN|MAX|MIN:|MAX:|MINIMIZE:|MAXIMIZE:|"
                   "SUBJECT|ST|S.T.",
                   "LP", hcri_lp_read}};

/* By the first word that isn't in a comment: \ begins one in LP, * in MPS, # in CBF. */
static read_format *find_format(hcr_import *import, const char *text, size_t size) {
    hcri_lines lines = {.at = text, .end = text + size};
    hcri_field word = {"", 0};
    while (word.length == 0 && hcri_lines_next(&lines))
        if (hcri_lines_split(lines.line, 1, &word) == 0 || strchr("\\*#", word.text[0]) != NULL)
            word.length = 0;
    for (size_t k = 0; k < sizeof beginnings / sizeof beginnings[0]; k++)
        if (hcri_field_is(word, beginnings[k].words)) {
            import->format = beginnings[k].format;
            return beginnings[k].read;
        }
    if (word.length == 0)
        hcri_import_refuse(import, HCR_ERROR_FORMAT, 0, "there is nothing in the file");
    hcri_import_refuse(import, HCR_ERROR_FORMAT, lines.number,
                       "an LP file begins with Minimize or Maximize, an MPS file with NAME or ROWS, a CBF file with "
                       "VER, and this one with \"%s\"",
                       hcri_show_field(word).text);
}

static void read_text(hcr_import *import, const char *text, size_t size) {
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        size -= 3;
    }
    if (memchr(text, '\0', size) != NULL)
        hcri_import_refuse(import, HCR_ERROR_FORMAT, 0, "the file has a zero byte: it is no text");
    find_format(import, text, size)(import, text, size);
    hcri_import_finish(import);
}

static hcr_status try_text(hcr_import *import, const char *text, size_t size, hcr_error *error) {
    hcr_error own = {0};
    import->error = error == NULL ? &own : error;
    import->status = HCR_OK;
    if (setjmp(import->refused) == 0)
        read_text(import, text, size);
    return import->status;
}

static hcr_status fill(hcr_import *import, const char *bytes, size_t size, const char *file, hcr_error *error) {
    HCRI_SCOPED char *text = NULL;
    import->file = hcri_copy_string(&import->pool.own, file);
    HCRI_ALLOCATED(import->file);
    if (!is_packed(bytes, size))
        return try_text(import, bytes, size, error);
    HCRI_TRY(unpack(bytes, size, &hcri_default_allocator, &text, &size, import->file, error));
    return try_text(import, text, size, error);
}

hcr_status hcr_import_parse(const void *bytes, size_t size, const char *file, const hcr_allocator *allocator,
                            hcr_import **import, hcr_error *error) {
    HCRI_FAIL_IF(import == NULL || file == NULL || (bytes == NULL && size != 0), HCR_ERROR_ARGUMENT,
                 "bytes, file or import is NULL");
    *import = NULL;
    if (allocator == NULL)
        allocator = &hcri_default_allocator;
    hcr_import *made = hcri_allocate(allocator, 1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->allocator = made->arena.allocator = *allocator;
    made->pool.from = &made->allocator;
    hcri_pool_allocator(&made->pool);
    const hcr_status status = fill(made, size == 0 ? "" : bytes, size, file, error);
    if (status == HCR_OK)
        *import = made;
    else
        hcr_import_free(made);
    return status;
}

hcr_status hcr_import_read(const char *path, const hcr_allocator *allocator, hcr_import **import, hcr_error *error) {
    HCRI_FAIL_IF(path == NULL || import == NULL, HCR_ERROR_ARGUMENT, "path or import is NULL");
    *import = NULL;
    HCRI_SCOPED char *bytes = NULL;
    size_t size = 0;
    HCRI_TRY(hcri_file_read(path, &hcri_default_allocator, &bytes, &size, error));
    return hcr_import_parse(bytes, size, strcmp(path, "-") == 0 ? "standard input" : path, allocator, import, error);
}
