#include "region/quantile_name.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/printable.h"

/* A name of the language, or that of an element, "load[0]". */
static int is_output(const char *name, size_t length) {
    char variable[128];
    const size_t ends = strcspn(name, "[@"), digits = strspn(name + ends + 1, "0123456789");
    const size_t element = name[ends] == '[' && digits > 0 && name[ends + 1 + digits] == ']' ? digits + 2 : 0;
    if (ends >= sizeof variable || ends + element != length)
        return 0;
    memcpy(variable, name, ends);
    variable[ends] = '\0';
    return hcri_is_identifier(variable);
}

double hcri_quantile_level(const char *name) {
    const char *at = strchr(name, '@');
    double level;
    if (at == NULL || !is_output(name, (size_t)(at - name)))
        return NAN;
    const size_t length = strlen(at + 1);
    return hcri_number_read(at + 1, length, &level) == length && level > 0 && level < 1 ? level : (double)NAN;
}
