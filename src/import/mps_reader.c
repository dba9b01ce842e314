/* MPS, fixed and free. In the fixed form fields stand in columns 2–3, 5–12, 15–22, 25–36, 40–47 and 50–61, and names
 * may have blanks; in the free form blanks separate them. A file whose every line keeps to these columns is read as
 * fixed, any other as free: see find_form. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "import/mps_bounds.h"

typedef enum section {
    SECTION_NONE,
    SECTION_ROWS,
    SECTION_COLUMNS,
    SECTION_RHS,
    SECTION_RANGES,
    SECTION_BOUNDS,
    SECTION_ENDATA,
    SECTION_OBJSENSE, /* from here on: left out, with a notice where that enlarges the region */
    SECTION_OBJECTIVE,
    SECTION_SETS,
    SECTION_REFUSED,
    SECTION_UNKNOWN
} section;

static const char *const sections[] = {[SECTION_NONE] = "NAME",
                                       [SECTION_ROWS] = "ROWS|LAZYCONS|USERCUTS",
                                       [SECTION_COLUMNS] = "COLUMNS",
                                       [SECTION_RHS] = "RHS",
                                       [SECTION_RANGES] = "RANGES",
                                       [SECTION_BOUNDS] = "BOUNDS",
                                       [SECTION_ENDATA] = "ENDATA",
                                       [SECTION_OBJSENSE] = "OBJSENSE|OBJSENS|OBJNAME",
                                       [SECTION_OBJECTIVE] = "QUADOBJ|QMATRIX|QSECTION|PWLOBJ",
                                       [SECTION_SETS] = "SOS|SOS1|SOS2|SETS",
                                       [SECTION_REFUSED] = "QCMATRIX|CSECTION|INDICATORS|GENCONS|GENERALCONS"};

typedef struct mps_row {
    hcri_field name;
    char type; /* N, L, G or E */
    int line;
    double right, range; /* range NaN: none */
    int right_line, range_line;
    size_t form;
} mps_row;

typedef struct reader {
    hcr_import *import;
    hcri_lines lines;
    int fixed;
    section section;
    size_t rows, row_capacity;
    mps_row *row;
    hcri_index row_names;
    size_t column;                   /* the one whose entries come; SIZE_MAX before the first */
    int in_integers;                 /* between MARKERs */
    hcri_field right_set, range_set; /* the first of each is meant; text NULL before it */
    size_t other_sets;
    size_t objectives;
    hcri_bounds bounds;
} reader;

#define REFUSE(r, status, ...) hcri_import_refuse((r)->import, status, (r)->lines.number, __VA_ARGS__)

/* ----------------------------------------------------------------------------------------------------- the form */

static const size_t field_start[6] = {1, 4, 14, 24, 39, 49}, field_end[6] = {3, 12, 22, 36, 47, 61};

/* The fields of a line of the fixed form by their columns; 0 when something stands outside of them. Empty ones at the
 * end aren't counted. */
static int split_fixed(hcri_field line, hcri_field *fields, size_t *count) {
    *count = 0;
    size_t at = 0;
    for (size_t f = 0; f < 6; f++) {
        for (; at < field_start[f] && at < line.length; at++)
            if (line.text[at] != ' ')
                return 0;
        size_t start = at, end = field_end[f] < line.length ? field_end[f] : line.length;
        at = end > at ? end : at;
        while (start < end && line.text[start] == ' ')
            start++;
        while (end > start && line.text[end - 1] == ' ')
            end--;
        fields[f] = (hcri_field){line.text + start, end > start ? end - start : 0};
        if (fields[f].length > 0)
            *count = f + 1;
    }
    return at == line.length;
}

static int is_number(hcri_field field) {
    double value;
    const size_t used = hcri_number_read(field.text, field.length, &value);
    return field.length > 0 &&
           (used == field.length || (used > 0 && (field.text[used] | 0x20) == 'd') || hcri_field_is(field, "INF|-INF"));
}

/* The beginning or the end of the integer columns: name 'MARKER' 'INTORG'. */
static int is_marker(hcri_field line) {
    hcri_field f[3];
    return hcri_lines_split(line, 3, f) == 3 && hcri_field_is(f[1], "'MARKER'");
}

/* Whether a line can be of the fixed form: names and numbers where they belong. */
static int is_fixed_line(section in, hcri_field line) {
    hcri_field f[6];
    size_t count;
    if (in == SECTION_COLUMNS && is_marker(line)) /* these stand anywhere */
        return 1;
    if (memchr(line.text, '\t', line.length) != NULL || !split_fixed(line, f, &count))
        return 0;
    switch (in) {
    case SECTION_ROWS: return count == 2 && f[0].length == 1;
    case SECTION_COLUMNS:
    case SECTION_RHS:
    case SECTION_RANGES:
        return f[0].length == 0 && (f[1].length > 0 || in != SECTION_COLUMNS) && f[2].length > 0 && is_number(f[3]) &&
               (count == 4 || (count == 6 && f[4].length > 0 && is_number(f[5])));
    case SECTION_BOUNDS: return f[0].length == 2 && f[2].length > 0 && (count == 3 || (count == 4 && is_number(f[3])));
    default: return 1;
    }
}

static section find_section(hcri_field word) {
    section found = SECTION_NONE;
    while (found < SECTION_UNKNOWN && !hcri_field_is(word, sections[found]))
        found++;
    return found;
}

static int is_comment(hcri_field line) { return line.length == 0 || line.text[0] == '*'; }
static int is_header(hcri_field line) { return line.text[0] != ' ' && line.text[0] != '\t'; }

/* 1 when the file has the fixed form. */
static int find_form(hcri_lines lines) {
    section in = SECTION_NONE;
    while (in != SECTION_ENDATA && hcri_lines_next(&lines)) {
        hcri_field word[4];
        if (is_comment(lines.line))
            continue;
        if (is_header(lines.line)) {
            const size_t count = hcri_lines_split(lines.line, 4, word);
            in = find_section(word[0]);
            if (in == SECTION_UNKNOWN)
                return 0;
            for (size_t k = 2; k < count && k < 4 && hcri_field_is(word[0], "NAME"); k++)
                if (hcri_field_is(word[k], "FREE"))
                    return 0;
        } else if (!is_fixed_line(in, lines.line)) {
            return 0;
        }
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------------------- rows */

static void add_row(reader *r, hcri_field type, hcri_field name) {
    const hcri_shown shown = hcri_show_field(name);
    const char letter = type.length == 1 ? (char)(type.text[0] & ~0x20) : '\0';
    if (letter == '\0' || strchr("NLGE", letter) == NULL)
        REFUSE(r, HCR_ERROR_SYNTAX, "row \"%s\" has the type \"%.*s\": it is N, L, G or E", shown.text,
               (int)(type.length < 20 ? type.length : 20), type.text);
    const size_t known = hcri_index_find(&r->row_names, name.text, name.length);
    if (known != SIZE_MAX)
        REFUSE(r, HCR_ERROR_NAME, "row \"%s\" is there already, in line %d", shown.text, r->row[known].line);
    HCRI_IMPORT_EXTEND(r->import, r->row, &r->row_capacity, r->rows + 1);
    hcri_import_index(r->import, &r->row_names, name, r->rows);
    mps_row *row = &r->row[r->rows++];
    *row = (mps_row){name, letter, r->lines.number, 0, (double)NAN, 0, 0, SIZE_MAX};
    if (letter == 'N')
        r->objectives++;
    else
        row->form = hcri_import_add_form(r->import);
}

static mps_row *find_row(reader *r, hcri_field name) {
    const size_t known = hcri_index_find(&r->row_names, name.text, name.length);
    if (known == SIZE_MAX)
        REFUSE(r, HCR_ERROR_NAME, "there is no row \"%s\" in ROWS", hcri_show_field(name).text);
    return &r->row[known];
}

/* ------------------------------------------------------------------------------------------------------- columns */

static void start_column(reader *r, hcri_field name) {
    hcr_import *import = r->import;
    const char *current = r->column == SIZE_MAX ? NULL : import->column[r->column].name;
    if (current != NULL && strlen(current) == name.length && memcmp(current, name.text, name.length) == 0)
        return;
    r->column = hcri_index_find(&import->column_names, name.text, name.length); /* its lines may stand apart */
    if (r->column != SIZE_MAX)
        return;
    r->column = hcri_import_add_column(import, name);
    import->column[r->column].integer = r->in_integers;
}

static void add_entry(reader *r, hcri_field name, hcri_field number) {
    const mps_row *row = find_row(r, name);
    const double value = hcri_import_number(r->import, number, "the coefficient", 0, r->lines.number);
    if (row->type != 'N')
        hcri_import_add_term(r->import, row->form, r->column, value, r->lines.number);
}

static void read_marker(reader *r) {
    hcri_field f[3];
    hcri_lines_split(r->lines.line, 3, f);
    r->in_integers = hcri_field_is(f[2], "'INTORG'");
    if (!r->in_integers && !hcri_field_is(f[2], "'INTEND'|'SOSORG'|'SOSEND'"))
        REFUSE(r, HCR_ERROR_SYNTAX, "a MARKER is 'INTORG' or 'INTEND'");
}

static void read_column(reader *r, const hcri_field *f, size_t count) {
    if (r->fixed) { /* the fields without the first, which is empty */
        f++;
        count--;
    }
    if (count != 3 && count != 5)
        REFUSE(r, HCR_ERROR_SYNTAX,
               "%zu fields: a line of COLUMNS has a column, a row and a number, then perhaps another row and number",
               count);
    start_column(r, f[0]);
    add_entry(r, f[1], f[2]);
    if (count == 5)
        add_entry(r, f[3], f[4]);
}

/* ----------------------------------------------------------------------------------------------- RHS and RANGES */

static void set_side(reader *r, hcri_field name, hcri_field number) {
    const int is_right = r->section == SECTION_RHS;
    mps_row *row = find_row(r, name);
    const double value =
        hcri_import_number(r->import, number, is_right ? "the right side" : "the range", 1, r->lines.number);
    int *line = is_right ? &row->right_line : &row->range_line;
    if (*line != 0)
        REFUSE(r, HCR_ERROR_NAME, "row \"%s\" has its %s already, in line %d", hcri_show_field(name).text,
               is_right ? "right side" : "range", *line);
    *line = r->lines.number;
    *(is_right ? &row->right : &row->range) = value;
}

static void read_sides(reader *r, const hcri_field *f, size_t count) {
    hcri_field *meant = r->section == SECTION_RHS ? &r->right_set : &r->range_set, set = {"", 0};
    if (r->fixed) {
        f++;
        count--;
    }
    const int named = r->fixed || count % 2 == 1; /* in the free form the name of the set may be left out */
    if (count - (size_t)named != 2 && count - (size_t)named != 4)
        REFUSE(
            r, HCR_ERROR_SYNTAX,
            "%zu fields: a line of %s has the name of the set, a row and a number, then perhaps another row and number",
            count, r->section == SECTION_RHS ? "RHS" : "RANGES");
    if (named)
        set = *f++;
    if (meant->text == NULL)
        *meant = set;
    if (meant->length != set.length || memcmp(meant->text, set.text, set.length) != 0) {
        r->other_sets++;
        return;
    }
    set_side(r, f[0], f[1]);
    if (count >= 4)
        set_side(r, f[2], f[3]);
}

/* -------------------------------------------------------------------------------------------------------- finish */

/* The bounds of a row: b is its right side, R its range. E with R: b and b + R; L: b − |R| and b; G: b and b + |R|. */
static void finish_row(reader *r, const mps_row *row) {
    double lower = row->type == 'L' ? -INFINITY : row->right, upper = row->type == 'G' ? INFINITY : row->right;
    const double range = row->range, size = fabs(range);
    if (!isnan(range) && (row->type == 'L' || (row->type == 'E' && range < 0)))
        lower = hcri_lower_sum(row->right, -size);
    if (!isnan(range) && (row->type == 'G' || (row->type == 'E' && range > 0)))
        upper = hcri_upper_sum(row->right, size);
    hcri_import_add_relation(r->import, &(hcri_relation){.kind = HCRI_RELATION_ROW,
                                                         .first = row->form,
                                                         .forms = 1,
                                                         .lower = lower,
                                                         .upper = upper,
                                                         .name = hcri_import_copy(r->import, row->name),
                                                         .line = row->line});
}

static void finish(reader *r) {
    hcr_import *import = r->import;
    for (size_t i = 0; i < r->rows; i++)
        if (r->row[i].type != 'N')
            finish_row(r, &r->row[i]);
    if (r->objectives > 1)
        hcri_import_note(import, "N rows are ignored: they are objectives (%zu)", r->objectives);
    else if (r->objectives == 1)
        hcri_import_note(import, "the objective is ignored");
    const size_t others = r->other_sets + r->bounds.other_sets;
    if (others > 0)
        hcri_import_note(import, "the first RHS, RANGES and BOUNDS count; lines of others: %zu", others);
    hcri_bounds_finish(import);
}

static void read_header(reader *r) {
    hcri_field word[4];
    const size_t count = hcri_lines_split(r->lines.line, 4, word);
    section found = find_section(word[0]);
    const hcri_shown shown = hcri_show_field(word[0]);
    if (found == SECTION_UNKNOWN)
        REFUSE(r, HCR_ERROR_SYNTAX, "\"%s\" is no section of an MPS file (data lines begin with a blank)", shown.text);
    /* CPLEX's QSECTION is an objective unless it names a row. */
    if (found == SECTION_OBJECTIVE && count > 1) {
        const size_t row = hcri_index_find(&r->row_names, word[1].text, word[1].length);
        found = row == SIZE_MAX || r->row[row].type == 'N' ? SECTION_OBJECTIVE : SECTION_REFUSED;
    }
    if (found == SECTION_REFUSED)
        REFUSE(r, HCR_ERROR_UNSUPPORTED, "the section %s isn't read: only linear constraints and bounds are",
               shown.text);
    if ((found == SECTION_COLUMNS && r->rows == 0) ||
        ((found == SECTION_RHS || found == SECTION_RANGES || found == SECTION_BOUNDS) && r->column == SIZE_MAX))
        REFUSE(r, HCR_ERROR_SYNTAX, "%s comes before %s", shown.text, found == SECTION_COLUMNS ? "ROWS" : "COLUMNS");
    if (found == SECTION_ROWS && r->column != SIZE_MAX)
        REFUSE(r, HCR_ERROR_SYNTAX, "%s comes after COLUMNS", shown.text);
    if (found == SECTION_SETS)
        hcri_import_note(r->import, "special ordered sets are ignored");
    r->section = found;
}

static void read_data(reader *r) {
    hcri_field f[7];
    size_t count;
    if (r->section == SECTION_COLUMNS && is_marker(r->lines.line)) {
        read_marker(r);
        return;
    }
    if (r->fixed)
        split_fixed(r->lines.line, f, &count);
    else
        count = hcri_lines_split(r->lines.line, 7, f);
    switch (r->section) {
    case SECTION_NONE: REFUSE(r, HCR_ERROR_SYNTAX, "data before the first section: NAME or ROWS begins a file");
    case SECTION_ROWS:
        if (count != 2)
            REFUSE(r, HCR_ERROR_SYNTAX,
                   "%zu fields: a line of ROWS has a type and a name (names with blanks are for the fixed form, whose "
                   "fields begin in columns 2, 5, 15, 25, 40 and 50)",
                   count);
        add_row(r, f[0], f[1]);
        break;
    case SECTION_COLUMNS: read_column(r, f, count); break;
    case SECTION_RHS:
    case SECTION_RANGES: read_sides(r, f, count); break;
    case SECTION_BOUNDS: hcri_bounds_read(&r->bounds, r->import, r->fixed, f, count, r->lines.number); break;
    default: break; /* of what is left out */
    }
}

void hcri_mps_read(hcr_import *import, const char *text, size_t size) {
    reader r = {.import = import, .lines = {.at = text, .end = text + size}, .column = SIZE_MAX};
    r.fixed = find_form(r.lines);
    while (r.section != SECTION_ENDATA) {
        if (!hcri_lines_next(&r.lines))
            REFUSE(&r, HCR_ERROR_FORMAT, "the file ends without ENDATA: it is cut short");
        if (!is_comment(r.lines.line))
            (is_header(r.lines.line) ? read_header : read_data)(&r);
    }
    finish(&r);
}
