/* A region text on its way through the compiler: where its pieces stand, and how they are refused. */
#ifndef HCRI_SOURCE_TEXT_H
#define HCRI_SOURCE_TEXT_H

#include <setjmp.h>
#include <stdint.h>

#include "base/status.h"
#include "hcr/hcr_table.h"
#include "text/syntax/arena.h"

/* At most so many bytes are taken for one text: 2^28 numbers. */
#define HCRI_TEXT_MEMORY ((size_t)1 << 31)
/* The numbers of the longest vector or largest matrix that a text makes out of nothing but its size. */
#define HCRI_TEXT_SIZE 0x1p26

typedef struct hcri_span { /* bytes of the text */
    size_t start, end;
} hcri_span;

typedef struct hcri_text {
    const char *file;   /* for messages */
    const char *folder; /* where read() looks; NULL: the current one */
    const char *bytes;  /* without a byte-order mark */
    size_t size;
    hcri_arena arena;
    hcri_pool kept;               /* what outlives the arena's rewinds */
    size_t outputs, parameters;   /* declared so far: the columns of values */
    int any_curvature;            /* in a star block: what isn't known to be convex is taken */
    const char *unproved;         /* what to do where a proof of convexity fails: ends such messages */
    size_t atoms;                 /* made so far: their numbers */
    hcr_error *error;             /* never NULL */
    hcr_status status;            /* of the refusal */
    jmp_buf refused;              /* where a refusal goes on: set by who compiles the text, or parses it */
    hcr_table table;              /* what read() is reading */
    size_t known_byte;            /* the last that was placed, … */
    int known_line, known_column; /* … counted from 0 */
} hcri_text;

/* Refuses the text: the error is the message, then the line with `span` marked. The compilation ends by a jump to
 * `refused`, so no function of the compiler hands failures on. What outlives a call is in the arena or, if it outlives
 * the arena's rewinds, in `kept`. */
_Noreturn void hcri_refuse(hcri_text *text, hcri_span span, hcr_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5), cold));
/* The same where the error has been filled in. */
_Noreturn void hcri_refuse_as(hcri_text *text, hcr_status status);
_Noreturn void hcri_refuse_memory(hcri_text *text, hcri_span span);
/* count × size zeroed bytes from the arena. */
void *hcri_take(hcri_text *text, hcri_span span, size_t count, size_t size);
/* Room for one more than `count` elements in an array of the arena's, which moves as it grows. */
void *hcri_take_larger(hcri_text *text, hcri_span span, void *array, size_t *capacity, size_t count, size_t size);
/* As HCRI_GROW, of what is kept. */
void hcri_extend(hcri_text *text, hcri_span span, void *array, size_t *capacity, size_t needed, size_t size);
#define HCRI_EXTEND(text, span, array, capacity, needed)                                                               \
    hcri_extend(text, span, &(array), capacity, needed, sizeof *(array))

/* The 1-based line and column (in characters) of a byte; fast when it is after the last one asked for. */
void hcri_text_place(hcri_text *text, size_t byte, int *line, int *column);
/* The line that a byte is on, without the blanks around it. */
hcri_span hcri_text_line(const hcri_text *text, size_t byte);

/* What stands in the text, on one line, long ones cut: for messages. */
typedef struct hcri_excerpt {
    char text[80];
} hcri_excerpt;
hcri_excerpt hcri_text_excerpt(const hcri_text *text, hcri_span span);
/* ": the nearest known is …", or nothing when none of `names` is alike. */
hcri_excerpt hcri_text_nearest(const hcri_text *text, hcri_span span, size_t count, const char *const *names);
/* Whether two places have the same text. */
int hcri_text_same(const hcri_text *text, hcri_span a, hcri_span b);
/* What stands between the quotes of a string, in the arena. */
char *hcri_text_unquote(hcri_text *text, hcri_span span);
int hcri_text_equal(const hcri_text *text, hcri_span span, const char *word);

#endif
