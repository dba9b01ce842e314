/* A region text on its way through the compiler: where its pieces stand, and how they are refused. */
#ifndef HCRI_SOURCE_TEXT_H
#define HCRI_SOURCE_TEXT_H

#include <stdint.h>

#include "base/status.h"
#include "text/syntax/arena.h"

/* At most so many bytes are taken for one text: 2^28 numbers. */
#define HCRI_TEXT_MEMORY ((size_t)1 << 31)
/* The numbers of the longest vector or largest matrix that a text makes out of nothing but its size. */
#define HCRI_TEXT_SIZE 0x1p26

typedef struct hcri_span { /* bytes of the text */
    size_t start, end;
} hcri_span;

typedef struct hcri_pair { /* under the region's n and p */
    uint32_t output, parameter;
} hcri_pair;

/* The products of a parameter and an output that occur, each once (parameter_products.h). */
typedef struct hcri_pairs {
    size_t count, capacity, slots; /* slots: a power of two, or 0 */
    hcri_pair *pair;
    size_t *slot; /* hash table: numbers of pairs + 1, 0 where free */
} hcri_pairs;

typedef struct hcri_text {
    const char *file;   /* for messages */
    const char *folder; /* where read() looks; NULL: the current one */
    const char *bytes;  /* without a byte-order mark */
    size_t size;
    hcri_arena arena;
    size_t outputs, parameters;   /* declared so far: the columns of values */
    hcri_pairs pairs;             /* from the arena's allocator: they outlive the arena's rewinds */
    int any_curvature;            /* in a star block: what isn't known to be convex is taken */
    const char *unproved;         /* what to do where a proof of convexity fails: ends such messages */
    size_t atoms;                 /* made so far: their numbers */
    hcr_error *error;             /* never NULL */
    hcr_status status;            /* of the first refusal */
    size_t known_byte;            /* the last that was placed, … */
    int known_line, known_column; /* … counted from 0 */
} hcri_text;

/* Records the first refusal: the message, then the line with `span` marked. Returns NULL, so that a failure is one
 * statement. */
void *hcri_refuse(hcri_text *text, hcri_span span, hcr_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5), cold));
/* count × size zeroed bytes from the arena; when there are none, NULL and the refusal. */
void *hcri_take(hcri_text *text, hcri_span span, size_t count, size_t size);

/* The 1-based line and column (in characters) of a byte; fast when it is after the last one asked for. */
void hcri_text_place(hcri_text *text, size_t byte, int *line, int *column);
/* The line that a byte is on, without the blanks around it. */
hcri_span hcri_text_line(const hcri_text *text, size_t byte);

/* What stands in the text, on one line, long ones cut: for messages. */
typedef struct hcri_excerpt {
    char text[80];
} hcri_excerpt;
hcri_excerpt hcri_text_excerpt(const hcri_text *text, hcri_span span);
/* ": the nearest known is …", or nothing when `names` has none. */
hcri_excerpt hcri_text_nearest(const hcri_text *text, hcri_span span, size_t count, const char *const *names);
/* Whether two places have the same text. */
int hcri_text_same(const hcri_text *text, hcri_span a, hcri_span b);
int hcri_text_equal(const hcri_text *text, hcri_span span, const char *word);

#endif
