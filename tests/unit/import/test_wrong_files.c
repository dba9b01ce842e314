/* Files that are wrong, each with its line and its message in full; and what is left out, with its notice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hcr/hcr_import.h"

#define MPS_HEAD "NAME t\nROWS\n N obj\n L r1\n G r2\nCOLUMNS\n x r1 1\n y r1 2 r2 1\n"
#define LP_HEAD "Minimize\n obj: x + y\nSubject To\n"
#define CBF_HEAD "VER\n2\nOBJSENSE\nMIN\nVAR\n3 1\nF 3\n"

static const struct wrong {
    const char *text;
    hcr_status status;
    int line;
    const char *message;
} wrong_files[] = {
    {"", HCR_ERROR_FORMAT, 0, "there is nothing in the file"},
    {"\n* only\n# comments\n", HCR_ERROR_FORMAT, 0, "there is nothing in the file"},
    {"var x\nx <= 1\n", HCR_ERROR_FORMAT, 1,
     "an LP file begins with Minimize or Maximize, an MPS file with NAME or ROWS, a CBF file with VER, and this one "
     "with "
     "\"var\""},
    {"\x1F\x8B\x08", HCR_ERROR_FORMAT, 0, "the packed file is cut short"},
    {"\x1F\x8B????????????????", HCR_ERROR_FORMAT, 0, "the packed file is damaged"},
    /* MPS */
    {"NAME t\nROWS\n N obj\nCOLUMNS\nRHS\n", HCR_ERROR_SYNTAX, 5, "RHS comes before COLUMNS"},
    {"NAME t\n L r\n", HCR_ERROR_SYNTAX, 2, "data before the first section: NAME or ROWS begins a file"},
    {"NAME t\nCOLUMNS\n", HCR_ERROR_SYNTAX, 2, "COLUMNS comes before ROWS"},
    {"NAME t\nROWS\n X r\n", HCR_ERROR_SYNTAX, 3, "row \"r\" has the type \"X\": it is N, L, G or E"},
    {"NAME t\nROWS\n L r\n G r\n", HCR_ERROR_NAME, 4, "row \"r\" is there already, in line 3"},
    {"NAME t\nROWS\n L\n", HCR_ERROR_SYNTAX, 3,
     "1 fields: a line of ROWS has a type and a name (names with blanks are for the fixed form, whose fields begin in "
     "columns 2, 5, 15, 25, 40 and 50)"},
    {MPS_HEAD "ROWS\n", HCR_ERROR_SYNTAX, 9, "ROWS comes after COLUMNS"},
    {MPS_HEAD " y r9 1\n", HCR_ERROR_NAME, 9, "there is no row \"r9\" in ROWS"},
    {MPS_HEAD " y r1 1\nRHS\nENDATA\n", HCR_ERROR_NAME, 9,
     "column \"y\" is twice in this row, the first time in line 8: add the two up"},
    {MPS_HEAD " z r1 1 r2\n", HCR_ERROR_SYNTAX, 9,
     "4 fields: a line of COLUMNS has a column, a row and a number, then perhaps another row and number"},
    {MPS_HEAD " z r1 1e400\n", HCR_ERROR_DATA, 9, "the coefficient is 1e400, which is too large for a double"},
    {MPS_HEAD " z r1 1e-400\n", HCR_ERROR_DATA, 9, "the coefficient is 1e-400, which is too small for a double"},
    {MPS_HEAD " z r1 1e60\n", HCR_ERROR_DATA, 9, "the coefficient is 1e60: at most 1e50 is accepted"},
    {MPS_HEAD " z r1 NaN\n", HCR_ERROR_DATA, 9, "the coefficient is \"NaN\", which is no number"},
    {MPS_HEAD " z r1 1,5\n", HCR_ERROR_DATA, 9, "the coefficient is \"1,5\", which is no number"},
    {MPS_HEAD " M1 'MARKER' 'INT'\n", HCR_ERROR_SYNTAX, 9, "a MARKER is 'INTORG' or 'INTEND'"},
    {MPS_HEAD "RHS\n s r1 1\n s r1 2\n", HCR_ERROR_NAME, 11, "row \"r1\" has its right side already, in line 10"},
    {MPS_HEAD "RHS\n s r1 nan\n", HCR_ERROR_DATA, 10, "the right side is \"nan\", which is no number"},
    {MPS_HEAD "RANGES\n s\n", HCR_ERROR_SYNTAX, 10,
     "1 fields: a line of RANGES has the name of the set, a row and a number, then perhaps another row and number"},
    {MPS_HEAD "RHS\n s r2 1e30\nENDATA\n", HCR_ERROR_EMPTY, 5, "no number satisfies the infinite bound of row \"r2\""},
    {MPS_HEAD "BOUNDS\n UP b z 1\n", HCR_ERROR_NAME, 10, "there is no column \"z\" in COLUMNS"},
    {MPS_HEAD "BOUNDS\n UP b x 1\n UP b x 2\n", HCR_ERROR_NAME, 11,
     "column \"x\" has its upper bound already, from line 10"},
    {MPS_HEAD "BOUNDS\n XX b x 1\n", HCR_ERROR_SYNTAX, 10,
     "\"XX\" is no type of bound: UP, LO, FX, FR, MI, PL, BV, LI, UI, SC and SI are"},
    {MPS_HEAD "BOUNDS\n UP b x\n", HCR_ERROR_SYNTAX, 10, "a bound of type UP needs a number"},
    {MPS_HEAD "BOUNDS\n UP x\n", HCR_ERROR_SYNTAX, 10,
     "2 fields: a line of BOUNDS has a type, the name of the set, a column and a number"},
    {MPS_HEAD "BOUNDS\n LO b x 3\n UP b x 2\nENDATA\n", HCR_ERROR_EMPTY, 11,
     "column \"x\" has the lower bound 3, which is above its upper bound 2"},
    {MPS_HEAD "RHS\n", HCR_ERROR_FORMAT, 9, "the file ends without ENDATA: it is cut short"},
    {MPS_HEAD "BONDS\n", HCR_ERROR_SYNTAX, 9, "\"BONDS\" is no section of an MPS file (data lines begin with a blank)"},
    {MPS_HEAD "QCMATRIX r1\n", HCR_ERROR_UNSUPPORTED, 9,
     "the section QCMATRIX isn't read: only linear constraints and bounds are"},
    {MPS_HEAD "QSECTION r1\n", HCR_ERROR_UNSUPPORTED, 9,
     "the section QSECTION isn't read: only linear constraints and bounds are"},
    {"NAME t\nROWS\n G r\nCOLUMNS\n x r 0\nRHS\n s r 1\nENDATA\n", HCR_ERROR_EMPTY, 3,
     "row \"r\" has no columns, and its bounds exclude 0"},
    /* LP */
    {"Minimize\nx + y <= 3\nEnd\n", HCR_ERROR_SYNTAX, 2, "an objective has no \"<=\": is \"Subject To\" missing?"},
    {LP_HEAD " c: x + y <= 3\n", HCR_ERROR_FORMAT, 5, "the file ends without \"End\": it is cut short"},
    {LP_HEAD " c: x + y <= \nEnd\n", HCR_ERROR_SYNTAX, 5,
     "a number was expected, not \"End\": columns stand on the other side"},
    {LP_HEAD " c: x + y <= z\nEnd\n", HCR_ERROR_SYNTAX, 4,
     "a number was expected, not \"z\": columns stand on the other side"},
    {LP_HEAD " c: x + y\nEnd\n", HCR_ERROR_SYNTAX, 5, "<=, = or >= was expected, not \"End\""},
    {LP_HEAD " c: x + x <= 2\nEnd\n", HCR_ERROR_NAME, 4,
     "column \"x\" is twice in this row, the first time in line 4: add the two up"},
    {LP_HEAD " c: x <= 2\n c: y <= 2\nEnd\n", HCR_ERROR_NAME, 5, "row \"c\" is there already, in line 4"},
    {LP_HEAD " c: 1e400 x <= 2\nEnd\n", HCR_ERROR_DATA, 4, "a number is 1e400, which is too large for a double"},
    {LP_HEAD " c: 1e60 x <= 2\nEnd\n", HCR_ERROR_DATA, 4,
     "the coefficient of \"x\" is 1e+60: at most 1e50 is accepted"},
    {LP_HEAD " c: x + 1 + 2 <= 2\nEnd\n", HCR_ERROR_SYNTAX, 4, "a second constant in a sum: add the two up"},
    {LP_HEAD " c: 1 <= x >= 2\nEnd\n", HCR_ERROR_SYNTAX, 4, "a range has <= twice, or >= twice"},
    {LP_HEAD " c: x + [ x ^ 2 ] <= 2\nEnd\n", HCR_ERROR_UNSUPPORTED, 4, "quadratic constraints aren't read"},
    {LP_HEAD " c: x ^ 2 <= 2\nEnd\n", HCR_ERROR_UNSUPPORTED, 4, "quadratic constraints aren't read"},
    {LP_HEAD " c: x = 1 -> y <= 2\nEnd\n", HCR_ERROR_UNSUPPORTED, 4, "indicator constraints aren't read"},
    {LP_HEAD " c: x = inf\nEnd\n", HCR_ERROR_EMPTY, 5, "no number equals infinity"},
    {LP_HEAD " c: x + ~\nEnd\n", HCR_ERROR_SYNTAX, 5, "<=, = or >= was expected, not \"End\""},
    {LP_HEAD " c: x + \x01\nEnd\n", HCR_ERROR_SYNTAX, 4, "\"\\x01\" has no place in an LP file"},
    {LP_HEAD " c: x <= 5\nBounds\n x <= 1\n x <= 2\nEnd\n", HCR_ERROR_NAME, 7,
     "column \"x\" has its upper bound already, from line 6"},
    {LP_HEAD " c: x <= 5\nBounds\n x fre\nEnd\n", HCR_ERROR_SYNTAX, 6,
     "<=, =, >= or \"free\" was expected, not \"fre\""},
    {LP_HEAD " c: x <= 5\nBounds\n x <= -1\nEnd\n", HCR_ERROR_EMPTY, 6,
     "column \"x\" has the lower bound 0, which is above its upper bound -1"},
    {LP_HEAD " c: x <= 5\nGenerals\n z\nEnd\n", HCR_ERROR_NAME, 6, "there is no column \"z\" before this"},
    {LP_HEAD " c: x <= 5\nGeneral Constraints\n z = MIN(x, y)\nEnd\n", HCR_ERROR_UNSUPPORTED, 5,
     "the section \"General Constraints\" isn't read: only linear constraints and bounds are"},
    /* CBF */
    {"VER is one\n2\n", HCR_ERROR_SYNTAX, 1, "3 fields: the name of a section, VER, stands alone"},
    {"VER\n7\n", HCR_ERROR_UNSUPPORTED, 2, "version 7 of CBF: 1 to 4 are read"},
    {"VER\n", HCR_ERROR_FORMAT, 1, "the file ends in the section VER: it is cut short"},
    {"VER\n2\nCON\n1 1\nF 1\n", HCR_ERROR_SYNTAX, 3, "VAR comes before CON"},
    {"VER\n2\n", HCR_ERROR_FORMAT, 2, "the file ends without VAR: it is cut short"},
    {"VER\n2\nVAR\n3 1\nF 2\n", HCR_ERROR_SHAPE, 5, "the cones of VAR have 2 dimensions together, not 3"},
    {"VER\n2\nVAR\n3 1\nF 4\n", HCR_ERROR_SHAPE, 5, "the dimension of a cone is 4, and must be below 4"},
    {"VER\n2\nVAR\n3 1\nSVECPSD 3\n", HCR_ERROR_UNSUPPORTED, 5,
     "the cone SVECPSD isn't read: F, L+, L-, L=, Q, QR, EXP, EXP*, and @k:POW and @k:POW* of those that are declared, "
     "are"},
    {"VER\n2\nVAR\n3 1\n@0:POW 3\n", HCR_ERROR_UNSUPPORTED, 5,
     "the cone @0:POW isn't read: F, L+, L-, L=, Q, QR, EXP, EXP*, and @k:POW and @k:POW* of those that are declared, "
     "are"},
    {"VER\n2\nVAR\n4 1\nEXP 4\n", HCR_ERROR_SHAPE, 5, "a cone EXP has 3 dimensions"},
    {"VER\n2\nPOWCONES\n1 2\n2\n1\n1\nVAR\n2 1\n@0:POW 2\n", HCR_ERROR_SHAPE, 10,
     "a cone @0:POW has 3 or more dimensions"},
    {"VER\n2\nPOWCONES\n1 2\n2\n1\n0\n", HCR_ERROR_DATA, 7, "a weight of a power cone is above 0, not 0"},
    {"VER\n2\nPOWCONES\n1 3\n2\n1\n1\n", HCR_ERROR_SHAPE, 7,
     "the power cones don't have as many weights as POWCONES says"},
    {"VER\n2\nPOWCONES\n1 2\n2\n1\n3.14159\n", HCR_ERROR_UNSUPPORTED, 7,
     "the exponents of a power cone must be in ratios of whole numbers that add up to at most 100: others have no "
     "product "
     "of powers in the language"},
    {"VER\n2\nVAR\n3 1\nQR 1\nF 2\n", HCR_ERROR_SHAPE, 5, "a cone QR has 2 or more dimensions"},
    {"VER\n2\nVAR\n0 0\n", HCR_ERROR_DATA, 0, "there are no columns: nothing to be an output"},
    {CBF_HEAD "VAR\n1 1\nF 1\n", HCR_ERROR_NAME, 8, "a second section VAR"},
    {CBF_HEAD "CHANGE\n", HCR_ERROR_UNSUPPORTED, 8, "CHANGE, which begins another problem, isn't read: a file has one"},
    {CBF_HEAD "PSDVAR\n1\n3\nPSDVAR\n", HCR_ERROR_NAME, 11, "a second section PSDVAR"},
    {CBF_HEAD "PSDVAR\n1\n3\nCON\n1 1\nL+ 1\nFCOORD\n1\n0 1 0 0 1\n", HCR_ERROR_SHAPE, 16,
     "the matrix is 1, and must be below 1"},
    {CBF_HEAD "PSDVAR\n1\n3\nCON\n1 1\nL+ 1\nFCOORD\n1\n0 0 3 0 1\n", HCR_ERROR_SHAPE, 16,
     "the row is 3, and must be below 3"},
    {CBF_HEAD "CON\n1 1\nL+ 1\nACOORD\n1\n1 0 1\n", HCR_ERROR_SHAPE, 13, "the row is 1, and must be below 1"},
    {CBF_HEAD "CON\n1 1\nL+ 1\nACOORD\n1\n0 3 1\n", HCR_ERROR_SHAPE, 13, "the variable is 3, and must be below 3"},
    {CBF_HEAD "CON\n1 1\nL+ 1\nACOORD\n1\n0 x 1\n", HCR_ERROR_SYNTAX, 13, "the variable is a whole number, not \"x\""},
    {CBF_HEAD "CON\n1 1\nL+ 1\nACOORD\n2\n0 1 1\n0 1 2\n", HCR_ERROR_NAME, 14,
     "column \"x[1]\" is twice in this row, the first time in line 13: add the two up"},
    {CBF_HEAD "CON\n1 1\nL+ 1\nBCOORD\n1\n0 inf\n", HCR_ERROR_DATA, 13, "the value is \"inf\", which is no number"},
    {CBF_HEAD "CON\n1 1\nL+ 1\nBCOORD\n1\n0 1 1\n", HCR_ERROR_SYNTAX, 13, "3 fields: a line of BCOORD has 2 here"},
    {CBF_HEAD "FOO\n", HCR_ERROR_SYNTAX, 8, "\"FOO\" is no section of a CBF file"},
};

static hcr_status parse(const char *text, hcr_import **import, hcr_error *error) {
    memset(error, 0, sizeof *error);
    return hcr_import_parse(text, strlen(text), "wrong.file", NULL, import, error);
}

static void test_wrong_files(void **state) {
    (void)state;
    int failures = 0;
    for (size_t i = 0; i < sizeof wrong_files / sizeof wrong_files[0]; i++) {
        const struct wrong *w = &wrong_files[i];
        hcr_import *import = NULL;
        hcr_error error;
        const hcr_status status = parse(w->text, &import, &error);
        if (status != w->status || error.line != w->line || strcmp(error.text, w->message) != 0 ||
            strcmp(error.file, "wrong.file") != 0 || import != NULL) {
            print_error("file %zu:\n%s\n  wanted %s, line %d: %s\n  got    %s, line %d: %s\n", i, w->text,
                        hcr_status_name(w->status), w->line, w->message, hcr_status_name(status), error.line,
                        error.text);
            failures++;
        }
        hcr_import_free(import);
    }
    assert_int_equal(failures, 0);
}

/* Cut off after every byte: refused, or (after the last section) whole. */
static void test_truncated_files(void **state) {
    (void)state;
    static const char *const files[] = {
        MPS_HEAD "RHS\n s r1 4 r2 1\nRANGES\n s r1 2\nBOUNDS\n UP b x 4\nENDATA\n",
        LP_HEAD " c: x + y <= 4\n d: 1 <= x - y <= 2\nBounds\n x <= 3\nGenerals\n y\nEnd\n",
        CBF_HEAD "CON\n3 1\nQ 3\nPSDCON\n1\n2\nACOORD\n2\n0 0 1\n1 1 1\nHCOORD\n1\n0 1 1 0 2.5\n",
    };
    for (size_t f = 0; f < 3; f++)
        for (size_t length = 0; length <= strlen(files[f]); length++) {
            char *cut = malloc(length + 1); /* of its own size, so that a sanitizer sees what is read beyond it */
            memcpy(cut, files[f], length);
            hcr_import *import = NULL;
            hcr_error error;
            const hcr_status status = hcr_import_parse(cut, length, "cut.file", NULL, &import, &error);
            if (length == strlen(files[f]))
                assert_int_equal(status, HCR_OK);
            if (f < 2 && length + 2 < strlen(files[f]))
                assert_int_not_equal(status, HCR_OK);
            hcr_import_free(import);
            free(cut);
        }
}

static int has_notice(const hcr_import *import, const char *notice) {
    for (size_t k = 0; k < hcr_import_notices(import); k++)
        if (strcmp(hcr_import_notice(import, k), notice) == 0)
            return 1;
    return 0;
}

static void test_notices(void **state) {
    (void)state;
    hcr_import *import = NULL;
    hcr_error error;
    assert_int_equal(
        parse("OBJSENSE\n    MAX\nNAME t\nROWS\n N obj\n N more\n L r1\n G none\nCOLUMNS\n x r1 1\n M 'MARKER' "
              "'INTORG'\n y r1 2 none 0\n M 'MARKER' 'INTEND'\n z-1 r1 1\nRHS\n a r1 4 obj 2\n b r1 5\nBOUNDS\n UP "
              "b x -1\n SC b z-1 9\nSOS\n S1 s\n x 1\n y 2\nQUADOBJ\n x x 2\nENDATA\nleft over\n",
              &import, &error),
        HCR_OK);
    assert_true(has_notice(import, "N rows are ignored: they are objectives (2)"));
    assert_true(has_notice(import, "integrality is ignored, of columns: 1"));
    assert_true(has_notice(import, "the first RHS, RANGES and BOUNDS count; lines of others: 1"));
    assert_true(has_notice(import, "special ordered sets are ignored"));
    assert_true(has_notice(import, "semi-continuous columns may have every value from 0 on: 1"));
    assert_true(has_notice(
        import, "columns with a negative upper bound and no lower one reach to -infinity, as MPS has it: 1"));
    assert_true(has_notice(import, "rows without columns are left out: 1"));
    assert_true(has_notice(import, "renamed: \"z-1\" is z_1"));
    assert_int_equal(hcr_import_outputs(import), 3);
    assert_int_equal(hcr_import_constraints(import), 1);
    hcr_import_free(import);
    assert_int_equal(
        parse("maximize 3x + 2 y + [ x ^ 2 ] / 2\nst\n c: 4 <= 5\n 2x + 3 y >= -inf\nx+y<=1\nbounds\n-inf <= x "
              "<= 4\nbinaries\n y\nsemi-continuous\n x\nsos1\n s: S1:: x:1 y:2\nend\n",
              &import, &error),
        HCR_OK);
    assert_true(has_notice(import, "the objective is ignored"));
    assert_true(has_notice(import, "special ordered sets are ignored"));
    assert_true(has_notice(import, "rows without bounds are left out: 1"));
    assert_int_equal(hcr_import_constraints(import), 1);
    hcr_import_free(import);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_truncated_files),
        cmocka_unit_test(test_notices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
