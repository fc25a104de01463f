/// Tables 6.4 and 6.5 of [AL95] as printed, and why a cell is not met. In the names of rows it2 is
/// the second iterate; eq, ev the largest component of the error in q, v; pdrift |g|, vdrift |G v|.
#include "validation/papers/tables/tables.h"

#include <math.h>

// ------------------------------------------------------------------------------------- SRM-II/6.4

static const char low_srm2_6_4[] =
    "The last printed digit of four cells of iterate 1 is too low by one to three; all other cells "
    "agree. (The epsilon of 5e-4 printed beside iterate 3 would be unstable; the thesis has "
    "5e-3.)";

// clang-format off
static const char *const columns_srm2_6_4[] = {"t=0.1", "t=0.5", "t=1"};

static const trm_paper_row rows_srm2_6_4[] = {
    {"it1 eq",     {".41e-4", ".66e-3", ".26e-2"}},
    {"it1 ev",     {".75e-2", ".74e-2", ".69e-2"}},
    {"it1 pdrift", {".22e-4", ".28e-4", ".22e-4"}},
    {"it1 vdrift", {".49e-2", ".41e-2", ".27e-2"}},
    {"it2 eq",     {".13e-6", ".66e-6", ".36e-6"}},
    {"it2 ev",     {".19e-5", ".81e-6", ".20e-4"}},
    {"it2 pdrift", {".42e-9", ".13e-7", ".17e-6"}},
    {"it2 vdrift", {".91e-7", ".21e-5", ".21e-4"}},
    {"it3 eq",     {".10e-6", ".58e-6", ".12e-5"}},
    {"it3 ev",     {".86e-6", ".10e-5", ".16e-5"}},
    {"it3 pdrift", {".96e-11", ".60e-9", ".48e-8"}},
    {"it3 vdrift", {".10e-8", ".99e-7", ".59e-6"}},
};
// clang-format on

static const trm_paper_note notes_srm2_6_4[] = {
    {TRM_PAPER_VERDICT_CLOSE, "it1 ev", NULL, NULL, 1, 1.01, low_srm2_6_4},
    {TRM_PAPER_VERDICT_CLOSE, "it1 pdrift", NULL, NULL, 1, 1.05, low_srm2_6_4},
    {TRM_PAPER_VERDICT_CLOSE, "it1 vdrift", NULL, NULL, 1, 1.08, low_srm2_6_4},
};

const trm_paper_table trm_paper_srm2_6_4 = {
    .name = "SRM-II/6.4",
    .title = "Errors and drift of Example 6.4, two-link arm, index 3",
    .setting = "Heun, h = 1e-3, (5.3)-(5.4), E = I, epsilon = 5e-3, lambda_0 = 0",
    .ncolumns = sizeof columns_srm2_6_4 / sizeof *columns_srm2_6_4,
    .nrows = sizeof rows_srm2_6_4 / sizeof *rows_srm2_6_4,
    .nnotes = sizeof notes_srm2_6_4 / sizeof *notes_srm2_6_4,
    .columns = columns_srm2_6_4,
    .rows = rows_srm2_6_4,
    .notes = notes_srm2_6_4,
    .run = trm_paper_run_srm2_6_4,
};

// ------------------------------------------------------------------------------------- SRM-II/6.5

static const char data_srm2_6_5[] =
    "With the published data gravity alone forces a velocity drift of at least 9.81 epsilon in "
    "iterate 1, 15 times what is printed, and no natural choice of lengths, masses or gravity "
    "gives the printed numbers. Only the structure can be met: velocity drift O(epsilon), a gain "
    "of about 1e-3 per iterate, position drift of iterate 1 = epsilon times velocity drift.";

// clang-format off
static const char *const columns_srm2_6_5[] = {"position drift", "velocity drift"};

static const trm_paper_row rows_srm2_6_5[] = {
    {"it1", {".669e-8", ".671e-4"}},
    {"it2", {".730e-11", ".731e-7"}},
};
// clang-format on

static const trm_paper_note notes_srm2_6_5[] = {
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "it1", "position drift", NULL, 9.5e-08, 1e-07,
     data_srm2_6_5},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "it1", "velocity drift", NULL, 0.00095, 0.001,
     data_srm2_6_5},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "it2", "position drift", NULL, 1e-10, 3e-10,
     data_srm2_6_5},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "it2", "velocity drift", NULL, 9e-07, 1.1e-06,
     data_srm2_6_5},
};

const trm_paper_table trm_paper_srm2_6_5 = {
    .name = "SRM-II/6.5",
    .title = "Drift of Example 6.5, slider-crank, at t = 30",
    .setting = "Heun, h = epsilon = 1e-4, (5.5)-(5.6), lambda_0 = 0",
    .ncolumns = sizeof columns_srm2_6_5 / sizeof *columns_srm2_6_5,
    .nrows = sizeof rows_srm2_6_5 / sizeof *rows_srm2_6_5,
    .nnotes = sizeof notes_srm2_6_5 / sizeof *notes_srm2_6_5,
    .columns = columns_srm2_6_5,
    .rows = rows_srm2_6_5,
    .notes = notes_srm2_6_5,
    .run = trm_paper_run_srm2_6_5,
};
