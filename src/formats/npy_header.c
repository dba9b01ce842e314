#include "formats/npy_header.h"

#include <ctype.h>
#include <string.h>

#include "formats/column_names.h"

typedef struct cursor {
    const char *at, *end;
} cursor;

typedef struct fields {
    const char *type;
    size_t type_length;
    int structured, fortran_order;
    size_t dimensions;
    size_t shape[2]; /* the first two lengths */
    const char *shape_text;
    size_t shape_length;
    int has_type, has_order, has_shape;
} fields;

static void skip_blanks(cursor *c) {
    while (c->at < c->end && isspace((unsigned char)*c->at))
        c->at++;
}

/* Takes a character when it comes next. */
static int take(cursor *c, char character) {
    skip_blanks(c);
    if (c->at == c->end || *c->at != character)
        return 0;
    c->at++;
    return 1;
}

static int take_word(cursor *c, const char *word) {
    const size_t length = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return 0;
    c->at += length;
    return 1;
}

static int take_string(cursor *c, const char **string, size_t *length) {
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return 0;
    const char quote = *c->at++;
    *string = c->at;
    while (c->at < c->end && *c->at != quote && *c->at != '\\')
        c->at++;
    *length = (size_t)(c->at - *string);
    return take(c, quote);
}

/* A tuple of lengths such as (3, 4), (3,), (); Python 2 wrote 3L. */
static int take_shape(cursor *c, fields *f) {
    if (!take(c, '('))
        return 0;
    f->shape_text = c->at - 1;
    while (!take(c, ')')) {
        skip_blanks(c);
        if (c->at == c->end || !isdigit((unsigned char)*c->at))
            return 0;
        size_t length = 0;
        for (; c->at < c->end && isdigit((unsigned char)*c->at); c->at++) {
            const size_t digit = (size_t)(*c->at - '0');
            if (length > (SIZE_MAX - digit) / 10)
                return 0;
            length = 10 * length + digit;
        }
        take_word(c, "L");
        if (f->dimensions < 2)
            f->shape[f->dimensions] = length;
        f->dimensions++;
        if (!take(c, ',')) {
            if (!take(c, ')'))
                return 0;
            break;
        }
    }
    f->shape_length = (size_t)(c->at - f->shape_text);
    return 1;
}

static int take_dictionary(cursor *c, fields *f) {
    if (!take(c, '{'))
        return 0;
    while (!take(c, '}')) {
        const char *key;
        size_t length;
        if (!take_string(c, &key, &length) || !take(c, ':'))
            return 0;
        if (length == 5 && memcmp(key, "descr", 5) == 0 && !f->has_type) {
            f->has_type = 1;
            skip_blanks(c);
            if (c->at < c->end && (*c->at == '[' || *c->at == '(')) {
                f->structured = 1; /* refused, so the rest is of no interest */
                return 1;
            }
            if (!take_string(c, &f->type, &f->type_length))
                return 0;
        } else if (length == 13 && memcmp(key, "fortran_order", 13) == 0 && !f->has_order) {
            f->has_order = 1;
            f->fortran_order = take_word(c, "True");
            if (!f->fortran_order && !take_word(c, "False"))
                return 0;
        } else if (length == 5 && memcmp(key, "shape", 5) == 0 && !f->has_shape) {
            f->has_shape = 1;
            if (!take_shape(c, f))
                return 0;
        } else {
            return 0;
        }
        if (!take(c, ',')) {
            if (!take(c, '}'))
                return 0;
            break;
        }
    }
    return f->has_type && f->has_order && f->has_shape;
}

static const char *type_name(char kind) {
    switch (kind) {
    case 'O': return "Python objects";
    case 'c': return "complex numbers";
    case 'f': return "floating-point numbers of this width";
    case 'S':
    case 'a':
    case 'U': return "text";
    case 'M':
    case 'm': return "dates or times";
    case 'V': return "raw or structured records";
    default: return "of a type that isn't known";
    }
}

static hcr_status read_type(const char *file, const fields *f, hcri_npy_header *header, hcr_error *error) {
    if (f->structured)
        return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0,
                            "the array holds structured records: save its numbers as a plain float64 array");
    const char *type = f->type;
    size_t length = f->type_length;
    char order = '|';
    if (length > 0 && strchr("<>|=", *type) != NULL && *type != '\0') {
        order = *type++;
        length--;
    }
    const char kind = length > 0 ? *type : '?';
    const size_t item = length == 2 && isdigit((unsigned char)type[1]) ? (size_t)(type[1] - '0') : 0;
    const int known = (kind == 'b' && item == 1) ||
                      ((kind == 'i' || kind == 'u') && (item == 1 || item == 2 || item == 4 || item == 8)) ||
                      (kind == 'f' && (item == 2 || item == 4 || item == 8));
    if (!known || (item > 1 && order != '<' && order != '>')) {
        return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0,
                            "the array has dtype \"%s\", %s: convert it with astype(float) before saving",
                            hcri_show(f->type, f->type_length).text, known ? "without a byte order" : type_name(kind));
    }
    header->kind = kind;
    header->item = item;
    header->big_endian = order == '>';
    return HCR_OK;
}

hcr_status hcri_npy_header_read(const char *file, const char *bytes, size_t size, hcri_npy_header *header,
                                hcr_error *error) {
    if (size < 6 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0, "this isn't an NPY array");
    const unsigned char *start = (const unsigned char *)bytes;
    if (size >= 8 && (start[6] < 1 || start[6] > 3))
        return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0, "NPY version %d.%d isn't known: 1, 2 and 3 are",
                            start[6], start[7]);
    const size_t prefix = size >= 8 && start[6] == 1 ? 10 : 12;
    if (size < prefix)
        return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0, "the file ends inside its NPY header");
    size_t length = (size_t)start[8] | (size_t)start[9] << 8;
    if (prefix == 12)
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    if (length > size - prefix)
        return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0, "the file ends inside its NPY header");
    cursor c = {bytes + prefix, bytes + prefix + length};
    fields f = {0};
    if (!take_dictionary(&c, &f))
        return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0,
                            "the NPY header is damaged: it needs descr, fortran_order and shape");
    HCRI_TRY(read_type(file, &f, header, error));
    if (f.dimensions < 1 || f.dimensions > 2) {
        return hcri_fail_at(error, HCR_ERROR_SHAPE, file, 0, 0,
                            "the array has shape %s, %zu dimensions where one or two are needed: reshape it before "
                            "saving",
                            hcri_show(f.shape_text, f.shape_length).text, f.dimensions);
    }
    header->fortran_order = f.fortran_order;
    header->dimensions = f.dimensions;
    memcpy(header->shape, f.shape, sizeof f.shape);
    header->start = prefix + length;
    return HCR_OK;
}
