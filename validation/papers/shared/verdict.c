/// Printed numbers and the verdict on a cell.
#include "validation/papers/shared/paper.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[TRM_VERDICTS] = {
    "same", "close", "order of magnitude", "misprint", "not reproducible", "differs"};

const char *trm_paper_verdict_name(trm_paper_verdict verdict)
{
    return names[verdict];
}

/// How many significant digits a printed number has: ".26e-6" 2, "10864" 5, "1.38" 3, ".0" 0.
static int significant_digits(const char *printed)
{
    int digits = 0;
    for (const char *c = printed; *c != '\0' && *c != 'e'; c++) {
        digits += isdigit((unsigned char)*c) && (*c != '0' || digits > 0);
    }
    return digits;
}

/// "NaN" and "*" are blow-ups.
static double value_of(const char *printed)
{
    return *printed == '*' ? INFINITY : strtod(printed, NULL);
}

static double rounded(double x, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, x);
    return strtod(text, NULL);
}

/// To `digits` digits, the rest dropped; what is off by roundoff
/// below a digit counts as that digit.
static double cut(double x, int digits)
{
    const double unit = pow(10, floor(log10(fabs(x))) - digits + 1);
    return trunc(x / unit * (1 + 1e-12)) * unit;
}

static int equal_digits(const trm_paper_table *table, double ours, const char *printed)
{
    const double value = value_of(printed);
    const int digits = significant_digits(printed);
    if (!isfinite(value)) {
        return !isfinite(ours);
    }
    if (digits == 0) {
        return fabs(ours) < 1e-15;
    }
    if (!isfinite(ours) || ours == 0) {
        return 0;
    }
    const double shown = table->cut_off ? cut(ours, digits) : rounded(ours, digits);
    return fabs(shown - value) <= 1e-9 * fabs(value);
}

static int within(double x, double low, double high)
{
    return isnan(x) ? high == INFINITY : low <= x && x <= high;
}

/// CLOSE within a factor of 1.2, MAGNITUDE beyond it, up to 10.
static trm_paper_verdict by_ratio(double ratio)
{
    return within(ratio, 1 / 1.2, 1.2)   ? TRM_PAPER_VERDICT_CLOSE
           : within(ratio, 1 / 10.0, 10) ? TRM_PAPER_VERDICT_MAGNITUDE
                                         : TRM_PAPER_VERDICT_DIFFERS;
}

static int note_holds(const trm_paper_table *table, const trm_paper_note *note, double ours,
                      const char *printed)
{
    switch (note->verdict) {
    case TRM_PAPER_VERDICT_MISPRINT:
        return equal_digits(table, ours, note->right);
    case TRM_PAPER_VERDICT_CLOSE:
        return isfinite(ours) && within(ours / value_of(printed), note->low, note->high);
    case TRM_PAPER_VERDICT_NOT_REPRODUCIBLE:
        return within(ours, note->low, note->high);
    default:
        return 0;
    }
}

static int same_name(const char *wanted, const char *name)
{
    return wanted == NULL || strcmp(wanted, name) == 0;
}

static const trm_paper_note *find_note(const trm_paper_table *table, const trm_paper_cell *cell)
{
    for (int i = 0; i < table->nnotes; i++) {
        const trm_paper_note *const note = &table->notes[i];
        if (same_name(note->row, cell->row) && same_name(note->column, cell->column)) {
            return note;
        }
    }
    return NULL;
}

trm_paper_cell trm_paper_judge(const trm_paper_table *table, const double *ours, int row,
                               int column)
{
    const char *const printed = table->rows[row].printed[column];
    trm_paper_cell cell = {.row = table->rows[row].name,
                           .column = table->columns[column],
                           .printed_text = printed,
                           .ours = ours[row * table->ncolumns + column],
                           .printed = value_of(printed),
                           .verdict = TRM_PAPER_VERDICT_DIFFERS};
    if (equal_digits(table, cell.ours, printed)) {
        cell.verdict = TRM_PAPER_VERDICT_SAME;
        return cell;
    }
    const trm_paper_note *const note = find_note(table, &cell);
    if (note != NULL && note_holds(table, note, cell.ours, printed)) {
        cell.verdict = note->verdict == TRM_PAPER_VERDICT_CLOSE ? by_ratio(cell.ours / cell.printed)
                                                                : note->verdict;
        cell.note = note;
    }
    return cell;
}

void trm_paper_format(double x, const char *like, char out[24])
{
    const int digits = significant_digits(like) > 2 ? significant_digits(like) : 2;
    if (!isfinite(x)) {
        snprintf(out, 24, "%s", isnan(x) ? "NaN" : "*");
        return;
    }
    if (strpbrk(like, ".*N") == NULL) { // a count
        snprintf(out, 24, "%.0f", x);
        return;
    }
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits, fabs(x)); // one digit more: d.dd e+xx
    const int exponent = atoi(strchr(text, 'e') + 1) + (x != 0);
    snprintf(out, 24, "%s.%c%.*s", x < 0 ? "-" : "", text[0], digits, text + 2);
    if (exponent != 0 && x != 0) {
        const size_t n = strlen(out);
        snprintf(out + n, 24 - n, "e%d", exponent);
    }
}
