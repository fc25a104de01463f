/// Tables 5.1-5.3 of Lin's thesis as printed: relative errors of the velocity on edges and of the
/// pressure at centres, largest ones. Their digits are cut off, not rounded. Iterate 0, 1.00 in
/// every place, is left out.
#include "validation/papers/tables/tables.h"

static const char swapped[] =
    "Two digits interchanged: 1.41e-2. The pressure beside it and all other cells agree.";

static const char vector_form[] = "The thesis solves a^-1 U - (1/epsilon) grad div U = .., which "
                                  "loses digits like 1e-16/epsilon; the "
                                  "scalar problem for P, solved here, does not.";

// clang-format off
static const char *const columns[] = {"velocity", "pressure"};

static const trm_paper_row rows_5_1[] = {
    {"eps=1e-1 it1", {".114e-1", ".971e-2"}},
    {"eps=1e-1 it2", {".269e-3", ".400e-4"}},
    {"eps=1e-1 it3", {".129e-3", ".125e-3"}},
    {"eps=1e-1 it4", {".128e-3", ".126e-3"}},
    {"eps=1e-2 it1", {".153e-2", ".867e-3"}},
    {"eps=1e-2 it2", {".129e-3", ".125e-3"}},
    {"eps=1e-2 it3", {".128e-3", ".126e-3"}},
    {"eps=1e-3 it1", {".269e-3", ".408e-4"}},
    {"eps=1e-3 it2", {".128e-3", ".126e-3"}},
};

static const trm_paper_note notes_5_1[] = {
    {TRM_PAPER_VERDICT_MISPRINT, "eps=1e-1 it1", "velocity", ".141e-1", 0, 0, swapped},
};

static const trm_paper_row rows_5_2[] = {
    {"eps=1e-4 it1", {".142e-3", ".116e-3"}},
    {"eps=1e-4 it2", {".128e-3", ".126e-3"}},
    {"eps=1e-5 it1", {".129e-3", ".125e-3"}},
    {"eps=1e-5 it2", {".128e-3", ".126e-3"}},
    {"eps=1e-6 it1", {".129e-3", ".126e-3"}},
};

static const trm_paper_note notes_5_2[] = {
    {TRM_PAPER_VERDICT_CLOSE, "eps=1e-6 it1", NULL, NULL, 0.99, 1.01, vector_form},
};

static const char *const columns_5_3[] = {
    "h=1/40 velocity", "h=1/40 pressure", "h=1/80 velocity", "h=1/80 pressure"};

static const trm_paper_row rows_5_3[] = {
    {"it1", {".118e-2", ".585e-2", ".323e-3", ".161e-2"}},
    {"it2", {".102e-2", ".542e-2", ".200e-3", ".124e-2"}},
};
// clang-format on

const trm_paper_table trm_paper_thesis_5_1 = {
    .name = "TH/5.1",
    .title = "Darcy's law, Example 5.1, epsilon from 1e-1 to 1e-3",
    .setting = "(5.6), Raviart-Thomas elements with the trapezoidal rule, 40 by 40 cells, P_0 = 0",
    .cut_off = 1,
    .ncolumns = sizeof columns / sizeof *columns,
    .nrows = sizeof rows_5_1 / sizeof *rows_5_1,
    .nnotes = sizeof notes_5_1 / sizeof *notes_5_1,
    .notes = notes_5_1,
    .columns = columns,
    .rows = rows_5_1,
    .run = trm_paper_run_thesis_5_1,
};

const trm_paper_table trm_paper_thesis_5_2 = {
    .name = "TH/5.2",
    .title = "Darcy's law, Example 5.1, epsilon from 1e-4 to 1e-6",
    .setting = "(5.6), Raviart-Thomas elements with the trapezoidal rule, 40 by 40 cells, P_0 = 0",
    .cut_off = 1,
    .ncolumns = sizeof columns / sizeof *columns,
    .nrows = sizeof rows_5_2 / sizeof *rows_5_2,
    .nnotes = sizeof notes_5_2 / sizeof *notes_5_2,
    .notes = notes_5_2,
    .columns = columns,
    .rows = rows_5_2,
    .run = trm_paper_run_thesis_5_2,
};

const trm_paper_table trm_paper_thesis_5_3 = {
    .name = "TH/5.3",
    .title = "Darcy's law, Example 5.2, epsilon = 1e-3",
    .setting = "(5.6), the same, 20 by 20 and 40 by 40 cells; the last row and column of cells do "
               "not count",
    .cut_off = 1,
    .ncolumns = sizeof columns_5_3 / sizeof *columns_5_3,
    .nrows = sizeof rows_5_3 / sizeof *rows_5_3,
    .columns = columns_5_3,
    .rows = rows_5_3,
    .run = trm_paper_run_thesis_5_3,
};
