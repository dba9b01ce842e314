/* The template of exported code, src/device/template/: C that is compiled and tested as it stands. In the code its
 * words are replaced (prelude.h has them as macros):
 *
 *     real                 float or double                     R(1.5)      1.5f or 1.5
 *     MATH(sqrt)           sqrtf or sqrt                       LARGEST, SMALLEST   FLT_MAX, FLT_MIN or DBL_…
 *     FN, INLINE, API, TABLE   what stands before functions and tables
 *     BLOCK(name)          block_3_name, 3 being what HCR_BLOCK stands for
 *     hcr_…, HCR_…         names with the prefix of the export
 *     HCR_X, HCR_PASS_X    the parameters' argument, or nothing
 *     for (                in CUDA LOOP for (: whether loops may be unrolled
 *
 * `#if NAME` and `#if !NAME` with a name of hcri_code_mean… leave what holds; a file's first comment, which is for
 * those who read the template, is left out. */
#ifndef HCRI_TEMPLATE_TEXT_H
#define HCRI_TEMPLATE_TEXT_H

#include "device/c_code.h"

typedef struct hcri_template_file {
    const char *name;
    const unsigned char *text;
} hcri_template_file;
extern const hcri_template_file hcri_template_files[]; /* behind the last, a name of NULL; made by cmake/embed.cmake */

/* The text of template/NAME.device.h, or another. */
void hcri_template_put(hcri_code *code, const char *name);
void hcri_template_copy(hcri_code *code, const char *text);
/* From byte `from` on, which is where the types of indices go, and in CUDA LOOP, paragraphs of the code that
 * define something static or a macro that no later one names are dropped. Paragraphs end with an empty line. */
void hcri_template_finish(hcri_code *code, size_t from);

#endif
