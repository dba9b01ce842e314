/* Names of outputs from names of columns. */
#include <stdio.h>
#include <string.h>

#include "import/problem.h"
#include "text/declared_names.h"

enum { LONGEST = HCRI_LONGEST_NAME, SHOWN_RENAMES = 8 };

/* Columns "base[0]", "base[1]" …, or with round brackets. */
typedef struct family {
    hcri_field base;
    size_t members, largest;
    size_t first;  /* of its columns */
    size_t output; /* SIZE_MAX before it has one */
    char bracket;
    int mixed;
} family;

typedef struct naming {
    hcr_import *import;
    hcri_index bases, used;
    family *family;
    size_t families, family_capacity;
    size_t *family_of; /* SIZE_MAX: none */
    size_t *index_of;
    size_t renamed;
    char renames[400];
} naming;

static void find_families(naming *n) {
    hcr_import *import = n->import;
    for (size_t j = 0; j < import->columns; j++) {
        const char *name = import->column[j].name;
        const hcri_field base = {name, hcri_element_split(name, &n->index_of[j])};
        n->family_of[j] = SIZE_MAX;
        if (base.length == 0)
            continue;
        size_t f = hcri_index_find(&n->bases, name, base.length);
        if (f == SIZE_MAX) {
            f = n->families++;
            HCRI_IMPORT_EXTEND(import, n->family, &n->family_capacity, n->families);
            hcri_import_index(import, &n->bases, base, f);
            n->family[f] = (family){.base = base, .first = j, .output = SIZE_MAX, .bracket = name[base.length]};
        }
        family *member = &n->family[f];
        member->members++;
        member->mixed |= member->bracket != name[base.length];
        member->largest = n->index_of[j] > member->largest ? n->index_of[j] : member->largest;
        n->family_of[j] = f;
    }
}

/* NULL for a column of its own: names differ, so a family of as many as the largest index says is complete. */
static family *family_of(const naming *n, size_t j) {
    family *member = n->family_of[j] == SIZE_MAX ? NULL : &n->family[n->family_of[j]];
    return member != NULL && !member->mixed && member->members == member->largest + 1 ? member : NULL;
}

/* Names that columns keep are taken before others are made up. */
static int keeps_name(const naming *n, hcri_field name) {
    return hcri_can_be_declared(name.text, name.length) &&
           hcri_index_find(&n->used, name.text, name.length) == SIZE_MAX;
}

/* A name that nothing has yet, from one that may have any characters. */
static char *make_name(naming *n, hcri_field old) {
    char *made = hcri_import_take(n->import, LONGEST + 32, 1);
    const char *name = old.text;
    const size_t length = old.length;
    size_t used = 0;
    if (length == 0 || hcri_is_digit(name[0]))
        made[used++] = '_';
    for (size_t i = 0; i < length && used < LONGEST; i++)
        made[used++] = hcri_is_letter(name[i]) || hcri_is_digit(name[i]) ? name[i] : '_';
    while (used > 1 && made[used - 1] == '_' && (name[length - 1] == ']' || name[length - 1] == ')'))
        used--; /* x[3] is x_3 */
    if (hcri_is_taken_by_language(made, used))
        made[used++] = '_';
    made[used] = '\0';
    for (size_t k = 2; hcri_index_find(&n->used, made, strlen(made)) != SIZE_MAX; k++)
        snprintf(made + used, 32, "_%zu", k);
    return made;
}

static void note_rename(naming *n, const char *old, const char *new) {
    n->renamed++;
    const size_t used = strlen(n->renames);
    const hcri_shown shown = hcri_show_name(old);
    if (n->renamed <= SHOWN_RENAMES && used + strlen(shown.text) + strlen(new) + 16 < sizeof n->renames)
        snprintf(n->renames + used, sizeof n->renames - used, "%s\"%s\" is %s", used == 0 ? "" : ", ", shown.text, new);
}

static const hcri_output *add_output(naming *n, hcri_field name, int kept, size_t size, int scalar) {
    hcr_import *import = n->import;
    const size_t number = import->outputs++;
    HCRI_IMPORT_EXTEND(import, import->output, &import->output_capacity, import->outputs);
    char *own = kept ? hcri_import_copy(import, name) : make_name(n, name);
    const hcri_output *last = number == 0 ? NULL : &import->output[number - 1];
    import->output[number] = (hcri_output){
        .name = own, .first = last == NULL ? 0 : last->first + last->size, .size = size, .scalar = scalar};
    if (!kept)
        hcri_import_index(import, &n->used, (hcri_field){own, strlen(own)}, number);
    return &import->output[number];
}

/* Outputs in the order in which the columns come, a vector where its first column does. */
static void place_column(naming *n, size_t j, const unsigned char *kept) {
    hcr_import *import = n->import;
    hcri_column *column = &import->column[j];
    family *member = family_of(n, j);
    if (member == NULL) {
        const hcri_output *made = add_output(n, (hcri_field){column->name, strlen(column->name)}, kept[j], 1, 1);
        column->output = (uint32_t)made->first;
        if (!kept[j])
            note_rename(n, column->name, made->name);
        return;
    }
    if (member->output == SIZE_MAX) {
        const hcri_output *made = add_output(n, member->base, kept[j], member->members, 0);
        member->output = import->outputs - 1;
        if (!kept[j] || member->bracket != '[') {
            char vector[LONGEST + 64];
            snprintf(vector, sizeof vector, "%s[%zu]", made->name, n->index_of[j]);
            note_rename(n, column->name, vector);
        }
    }
    column->output = (uint32_t)(import->output[member->output].first + n->index_of[j]);
}

/* Which columns keep their names, or their first column that of their vector. */
static void keep_names(naming *n, unsigned char *kept) {
    hcr_import *import = n->import;
    for (size_t j = 0; j < import->columns; j++) {
        const family *member = family_of(n, j);
        if (member != NULL && member->first != j)
            continue;
        const char *own = import->column[j].name;
        const hcri_field name = member != NULL ? member->base : (hcri_field){own, strlen(own)};
        kept[j] = (unsigned char)keeps_name(n, name);
        if (kept[j])
            hcri_import_index(import, &n->used, name, j);
    }
}

void hcri_import_name(hcr_import *import) {
    naming n = {.import = import,
                .family_of = hcri_import_take(import, import->columns, sizeof *n.family_of),
                .index_of = hcri_import_take(import, import->columns, sizeof *n.index_of)};
    unsigned char *kept = hcri_import_take(import, import->columns, 1);
    import->column_of = hcri_import_take(import, import->columns, sizeof *import->column_of);
    find_families(&n);
    keep_names(&n, kept);
    for (size_t j = 0; j < import->columns; j++)
        place_column(&n, j, kept);
    for (size_t j = 0; j < import->columns; j++)
        import->column_of[import->column[j].output] = (uint32_t)j;
    if (n.renamed > SHOWN_RENAMES)
        hcri_import_note(import, "renamed: %s and %zu more", n.renames, n.renamed - SHOWN_RENAMES);
    else if (n.renamed > 0)
        hcri_import_note(import, "renamed: %s", n.renames);
}
