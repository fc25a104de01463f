/// The printed tables of the papers beside what Trammel computes for the same problems.
///
/// A table is data: rows and columns of numbers as printed, in the papers' notation (".26e-6"), and
/// notes on those cells that cannot be met. The verdict on a cell is computed, never stored: a note
/// only says what may be found instead of the printed digits, and why.
///
///   same                equal to the printed digits, rounded or, in some tables, cut off; or both
///                       blow up
///   close               off by a factor of at most 1.2, for the reason in a note
///   order of magnitude  off by a larger factor, at most 10, for the reason in a note
///   misprint            not equal, but equal to the right value in a note
///   not reproducible    not equal, for the reason in a note; the bounds of the note hold
///   differs             none of these: Trammel or the table is wrong
///
/// Sources of the notes: systematic trials of discretizations against every cell.
#pragma once

#include "trammel/trammel_status.h"

#include <stdio.h>

typedef enum trm_paper_verdict {
    TRM_PAPER_VERDICT_SAME,
    TRM_PAPER_VERDICT_CLOSE,
    TRM_PAPER_VERDICT_MAGNITUDE,
    TRM_PAPER_VERDICT_MISPRINT,
    TRM_PAPER_VERDICT_NOT_REPRODUCIBLE,
    TRM_PAPER_VERDICT_DIFFERS,
    TRM_VERDICTS
} trm_paper_verdict;

enum { TRM_PAPER_COLUMNS = 6 };

typedef struct trm_paper_row {
    const char *name;
    const char *printed[TRM_PAPER_COLUMNS]; ///< "*" and "NaN": a blow-up
} trm_paper_row;

typedef struct trm_paper_note {
    trm_paper_verdict verdict; ///< CLOSE, MISPRINT or NOT_REPRODUCIBLE
    const char *row, *column;  ///< NULL: every one
    const char *right;         ///< MISPRINT: the right value, as the table would print it
    double low, high;          ///< CLOSE: of ours/printed; NOT_REPRODUCIBLE: of ours, NaN is above.
                               ///< Beyond a factor of 1.2 CLOSE becomes MAGNITUDE
    const char *reason;
} trm_paper_note;

typedef struct trm_paper_table {
    const char *name; ///< "SRM-II/6.1"
    const char *title;
    const char *setting; ///< method and parameters, in one line
    int cut_off;         ///< nonzero: the printed digits are cut off, else rounded
    int ncolumns, nrows, nnotes;
    const char *const *columns;
    const trm_paper_row *rows;
    const trm_paper_note *notes; ///< the first that fits a cell counts
    /// ours[nrows*ncolumns], preset to -1, which no cell can be; INFINITY or NAN for a blow-up.
    trm_status (*run)(double *ours, trm_error *err);
} trm_paper_table;

/// Every table, in the order of the papers; returns how many.
int trm_paper_tables(const trm_paper_table *const **out);

/// One cell judged.
typedef struct trm_paper_cell {
    const char *row, *column, *printed_text;
    double ours, printed; ///< NAN, INFINITY: a blow-up
    trm_paper_verdict verdict;
    const trm_paper_note *note; ///< what the verdict rests on; NULL for SAME and DIFFERS
} trm_paper_cell;

const char *trm_paper_verdict_name(trm_paper_verdict verdict);

trm_paper_cell trm_paper_judge(const trm_paper_table *table, const double *ours, int row,
                               int column);

/// x with as many digits as `like` has, in the notation of the papers.
void trm_paper_format(double x, const char *like, char out[24]);

/// A figure of the papers, recomputed.
typedef struct trm_paper_figure {
    const char *name; ///< "SRM-II/6.1"
    const char *title;
    trm_status (*draw)(FILE *out, trm_error *err); ///< writes SVG
} trm_paper_figure;

/// Every figure; returns how many.
int trm_paper_figures(const trm_paper_figure **out);
