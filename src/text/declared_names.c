#include "text/declared_names.h"

#include <stdint.h>
#include <string.h>

#include "text/syntax/lexer.h"
#include "text/values/functions.h"

static int is_identifier(const char *name, size_t length) {
    if (length == 0 || length > HCRI_LONGEST_NAME || !hcri_is_letter(name[0]))
        return 0;
    for (size_t i = 0; i < length; i++)
        if (!hcri_is_letter(name[i]) && !hcri_is_digit(name[i]))
            return 0;
    return 1;
}

int hcri_is_taken_by_language(const char *name, size_t length) {
    for (int kind = 0; kind < HCRI_TOKEN_KINDS; kind++) {
        const char *word = hcri_token_spelling((hcri_token_kind)kind);
        if (word != NULL && strlen(word) == length && memcmp(word, name, length) == 0)
            return 1;
    }
    for (const hcri_function *function = hcri_functions; function->name != NULL; function++)
        if (strlen(function->name) == length && memcmp(function->name, name, length) == 0)
            return 1;
    return length == 4 && memcmp(name, "read", 4) == 0;
}

int hcri_can_be_declared(const char *name, size_t length) {
    return is_identifier(name, length) && !hcri_is_taken_by_language(name, length);
}

size_t hcri_element_split(const char *name, size_t *index) {
    const size_t base = strcspn(name, "[("), length = strlen(name);
    if (base == length || base + 3 > length || !is_identifier(name, base) ||
        name[length - 1] != (name[base] == '[' ? ']' : ')') || (name[base + 1] == '0' && base + 3 != length))
        return 0;
    *index = 0;
    for (size_t i = base + 1; i < length - 1; i++) {
        if (!hcri_is_digit(name[i]) || *index > UINT32_MAX / 10)
            return 0;
        *index = 10 * *index + (size_t)(name[i] - '0');
    }
    return base;
}
