/// Tables of [AL93] as printed, and why a cell is not met. In the names of rows it2 is
/// the second iterate; ex, ey, eq, ev the largest component of the error in x, By, q, v; drift |g|.
#include "validation/papers/tables/tables.h"

#include <math.h>

// -------------------------------------------------------------------------------------- SRM-I/5.1

static const char repeated_srm1_5_1[] =
    "Iterate 2 has the same two numbers in these places: copied by mistake. The thesis repeats "
    "them.";

static const char slip_srm1_5_1[] = "Every other cell of this block agrees; a slip of the table.";

static const char swapped_srm1_5_1[] =
    "The first and last drift of this row are interchanged; iterate 3 has them in order.";

static const char last_srm1_5_1[] =
    "Off by less than one unit of the last printed digit: most cells of these tables are rounded, "
    "some are cut off, a few are high.";

// clang-format off
static const char *const columns_srm1_5_1[] = {"t=0.01", "t=0.1", "t=0.3", "t=0.5", "t=1"};

static const trm_paper_row rows_srm1_5_1[] = {
    {"eps=1e-1 it1 ex",    {".38e-1", ".35e-1", ".56e-1", ".52e-1", ".39e-1"}},
    {"eps=1e-1 it1 ey",    {".96", ".40", ".14", ".34e-1", ".66e-1"}},
    {"eps=1e-1 it1 drift", {".87e-2", ".49e-1", ".51e-1", ".0", ".61e-1"}},
    {"eps=1e-1 it2 ex",    {".92e-2", ".37e-1", ".89e-2", ".65e-2", ".72e-2"}},
    {"eps=1e-1 it2 ey",    {".91", ".96e-2", ".14", ".34e-1", ".65e-2"}},
    {"eps=1e-1 it2 drift", {".90e-2", ".32e-1", ".61e-2", ".0", ".72e-2"}},
    {"eps=1e-1 it3 ex",    {".94e-2", ".19e-1", ".12e-1", ".63e-2", ".15e-2"}},
    {"eps=1e-1 it3 ey",    {".87", ".20", ".30e-1", ".43e-1", ".85e-3"}},
    {"eps=1e-1 it3 drift", {".86e-2", ".16e-1", ".43e-2", ".0", ".74e-3"}},
    {"eps=5e-2 it1 ex",    {".19e-1", ".25e-1", ".28e-1", ".24e-1", ".19e-1"}},
    {"eps=5e-2 it1 ey",    {".91", ".15", ".14", ".25e-1", ".32e-1"}},
    {"eps=5e-2 it1 drift", {".86e-2", ".34e-1", ".19e-1", ".0", ".29e-1"}},
    {"eps=5e-2 it2 ex",    {".85e-2", ".13e-1", ".18e-2", ".22e-2", ".15e-2"}},
    {"eps=5e-2 it2 ey",    {".83", ".15", ".15e-1", ".18e-2", ".88e-3"}},
    {"eps=5e-2 it2 drift", {".82e-2", ".11e-1", ".10e-3", ".0", ".16e-2"}},
    {"eps=5e-2 it3 ex",    {".76e-2", ".80e-3", ".17e-2", ".23e-3", ".10e-3"}},
    {"eps=5e-2 it3 ey",    {".75", ".17", ".25e-1", ".16e-2", ".28e-3"}},
    {"eps=5e-2 it3 drift", {".74e-2", ".75e-3", ".43e-2", ".0", ".59e-4"}},
    {"eps=1e-2 it1 ex",    {".38e-2", ".60e-2", ".53e-2", ".44e-2", ".38e-2"}},
    {"eps=1e-2 it1 ey",    {".67", ".30e-2", ".40e-2", ".48e-2", ".62e-2"}},
    {"eps=1e-2 it1 drift", {".65e-2", ".80e-2", ".38e-2", ".0", ".55e-2"}},
    {"eps=1e-2 it2 ex",    {".45e-2", ".10e-3", ".88e-4", ".77e-4", ".64e-4"}},
    {"eps=1e-2 it2 ey",    {".45", ".32e-3", ".70e-4", ".44e-4", ".23e-4"}},
    {"eps=1e-2 it2 drift", {".44e-2", ".15e-4", ".14e-4", ".0", ".68e-4"}},
    {"eps=1e-2 it3 ex",    {".30e-2", ".55e-5", ".52e-5", ".59e-5", ".11e-4"}},
    {"eps=1e-2 it3 ey",    {".30", ".18e-2", ".26e-4", ".18e-4", ".67e-5"}},
    {"eps=1e-2 it3 drift", {".29e-2", ".17e-5", ".26e-5", ".0", ".56e-5"}},
    {"eps=1e-3 it1 ex",    {".13e-2", ".58e-3", ".52e-3", ".45e-3", ".39e-3"}},
    {"eps=1e-3 it1 ey",    {".17", ".47e-2", ".41e-3", ".49e-3", ".62e-3"}},
    {"eps=1e-3 it1 drift", {".17e-2", ".79e-3", ".38e-3", ".0", ".54e-3"}},
    {"eps=1e-3 it2 ex",    {".30e-3", ".71e-4", ".75e-5", ".72e-5", ".12e-4"}},
    {"eps=1e-3 it2 ey",    {".30e-1", ".17e-1", ".34e-4", ".13e-4", ".54e-5"}},
    {"eps=1e-3 it2 drift", {".30e-3", ".51e-4", ".20e-5", ".0", ".65e-5"}},
    {"eps=1e-3 it3 ex",    {".65e-4", ".15e-3", ".70e-5", ".70e-5", ".12e-4"}},
    {"eps=1e-3 it3 ey",    {".70e-2", ".33e-1", ".12e-3", ".14e-4", ".56e-5"}},
    {"eps=1e-3 it3 drift", {".69e-4", ".11e-3", ".21e-5", ".0", ".59e-5"}},
    {"eps=1e-6 it1 ex",    {".21e-4", ".92e-5", ".14e-4", ".18e-4", ".24e-4"}},
    {"eps=1e-6 it1 ey",    {".27e-2", ".27e-2", ".27e-2", ".27e-2", ".26e-2"}},
    {"eps=1e-6 it1 drift", {".26e-4", ".19e-5", ".27e-5", ".0", ".18e-4"}},
    {"eps=1e-6 it2 ex",    {".19e-4", ".88e-5", ".14e-4", ".18e-4", ".24e-4"}},
    {"eps=1e-6 it2 ey",    {".25e-2", ".25e-2", ".25e-2", ".25e-2", ".25e-2"}},
    {"eps=1e-6 it2 drift", {".18e-5", ".20e-5", ".28e-5", ".0", ".24e-4"}},
    {"eps=1e-6 it3 ex",    {".19e-4", ".88e-5", ".14e-4", ".18e-4", ".24e-4"}},
    {"eps=1e-6 it3 ey",    {".25e-2", ".25e-2", ".25e-2", ".25e-2", ".25e-2"}},
    {"eps=1e-6 it3 drift", {".24e-4", ".19e-5", ".28e-5", ".0", ".18e-4"}},
};
// clang-format on

static const trm_paper_note notes_srm1_5_1[] = {
    {TRM_PAPER_VERDICT_MISPRINT, "eps=1e-1 it1 ey", "t=0.3", ".23e-1", 0, 0, repeated_srm1_5_1},
    {TRM_PAPER_VERDICT_MISPRINT, "eps=1e-1 it1 ey", "t=0.5", ".46e-1", 0, 0, repeated_srm1_5_1},
    {TRM_PAPER_VERDICT_MISPRINT, "eps=1e-1 it1 drift", "t=0.3", ".37e-1", 0, 0, slip_srm1_5_1},
    {TRM_PAPER_VERDICT_MISPRINT, "eps=5e-2 it1 ey", "t=0.3", ".18e-1", 0, 0, slip_srm1_5_1},
    {TRM_PAPER_VERDICT_MISPRINT, "eps=5e-2 it2 ey", "t=1", ".10e-2", 0, 0, slip_srm1_5_1},
    {TRM_PAPER_VERDICT_MISPRINT, "eps=5e-2 it3 drift", "t=0.1", ".18e-3", 0, 0, slip_srm1_5_1},
    {TRM_PAPER_VERDICT_MISPRINT, "eps=5e-2 it3 drift", "t=0.3", ".75e-3", 0, 0, slip_srm1_5_1},
    {TRM_PAPER_VERDICT_MISPRINT, "eps=1e-6 it2 drift", "t=0.01", ".24e-4", 0, 0, swapped_srm1_5_1},
    {TRM_PAPER_VERDICT_MISPRINT, "eps=1e-6 it2 drift", "t=1", ".18e-4", 0, 0, swapped_srm1_5_1},
    {TRM_PAPER_VERDICT_CLOSE, "eps=1e-1 it2 drift", "t=1", NULL, 0.96, 1.06, last_srm1_5_1},
    {TRM_PAPER_VERDICT_CLOSE, "eps=5e-2 it2 ey", "t=0.5", NULL, 0.96, 1.06, last_srm1_5_1},
    {TRM_PAPER_VERDICT_CLOSE, "eps=5e-2 it2 drift", "t=0.1", NULL, 0.96, 1.06, last_srm1_5_1},
    {TRM_PAPER_VERDICT_CLOSE, "eps=5e-2 it3 ex", "t=1", NULL, 0.96, 1.06, last_srm1_5_1},
    {TRM_PAPER_VERDICT_CLOSE, "eps=1e-3 it3 ex", "t=0.3", NULL, 0.96, 1.06, last_srm1_5_1},
};

const trm_paper_table trm_paper_srm1_5_1 = {
    .name = "SRM-I/5.1",
    .title = "Errors and drift of Example 1, boundary values, singular at t = 0.5",
    .setting = "midpoint scheme, h = 0.01, E = (CB)^-1, By_0 = 0; ey at the midpoint left of t",
    .ncolumns = sizeof columns_srm1_5_1 / sizeof *columns_srm1_5_1,
    .nrows = sizeof rows_srm1_5_1 / sizeof *rows_srm1_5_1,
    .nnotes = sizeof notes_srm1_5_1 / sizeof *notes_srm1_5_1,
    .columns = columns_srm1_5_1,
    .rows = rows_srm1_5_1,
    .notes = notes_srm1_5_1,
    .run = trm_paper_run_srm1_5_1,
};

// -------------------------------------------------------------------------------------- SRM-I/5.2

static const char last_srm1_5_2[] =
    "Off by less than one unit of the last printed digit: most cells of these tables are rounded, "
    "some are cut off, a few are high.";

// clang-format off
static const char *const columns_srm1_5_2[] = {"t=0.01", "t=0.1", "t=0.3", "t=0.5"};

static const trm_paper_row rows_srm1_5_2[] = {
    {"eps=1e-1 ex", {".62e-2", ".54e-2", ".39e-2", ".28e-2"}},
    {"eps=1e-1 ey", {".48e-2", ".45e-2", ".44e-2", ".54e-2"}},
    {"eps=5e-2 ex", {".76e-3", ".58e-3", ".32e-3", ".17e-3"}},
    {"eps=5e-2 ey", {".22e-2", ".18e-2", ".10e-2", ".50e-3"}},
    {"eps=1e-2 ex", {".57e-4", ".49e-4", ".35e-4", ".26e-4"}},
    {"eps=1e-2 ey", {".10e-3", ".85e-4", ".52e-4", ".32e-4"}},
    {"eps=1e-3 ex", {".49e-4", ".42e-4", ".31e-4", ".23e-4"}},
    {"eps=1e-3 ey", {".56e-4", ".46e-4", ".30e-4", ".19e-4"}},
};
// clang-format on

static const trm_paper_note notes_srm1_5_2[] = {
    {TRM_PAPER_VERDICT_CLOSE, "eps=1e-1 ey", "t=0.1", NULL, 0.96, 1.06, last_srm1_5_2},
};

const trm_paper_table trm_paper_srm1_5_2 = {
    .name = "SRM-I/5.2",
    .title = "Errors of Example 1 with By_0 found by shooting back",
    .setting =
        "as Table 5.1: three iterates, then three back from t = 1, with x2 there as it was; three "
        "more from By_0 so found, as section 4.1 has it, meet no cell",
    .ncolumns = sizeof columns_srm1_5_2 / sizeof *columns_srm1_5_2,
    .nrows = sizeof rows_srm1_5_2 / sizeof *rows_srm1_5_2,
    .nnotes = sizeof notes_srm1_5_2 / sizeof *notes_srm1_5_2,
    .columns = columns_srm1_5_2,
    .rows = rows_srm1_5_2,
    .notes = notes_srm1_5_2,
    .run = trm_paper_run_srm1_5_2,
};

// -------------------------------------------------------------------------------------- SRM-I/5.3

static const char slip_srm1_5_3[] =
    "Table 5.4 has .44e-2 for forward Euler here; every other cell of the row agrees.";

static const char last_srm1_5_3[] =
    "Off by less than one unit of the last printed digit: most cells of these tables are rounded, "
    "some are cut off, a few are high.";

// clang-format off
static const char *const columns_srm1_5_3[] = {"t=0.001", "t=0.1", "t=0.3", "t=0.5", "t=1"};

static const trm_paper_row rows_srm1_5_3[] = {
    {"it1 ex",    {".20e-5", ".72e-2", ".37e-1", ".63e-1", ".11"}},
    {"it1 ey",    {".20e-2", ".12", ".15", ".12", ".59e-1"}},
    {"it1 drift", {".15e-5", ".60e-2", ".16e-1", ".76e-4", ".15"}},
    {"it2 ex",    {".20e-5", ".51e-2", ".13e-1", ".10e-1", ".25e-2"}},
    {"it2 ey",    {".20e-2", ".68e-1", ".45e-2", ".20e-1", ".80e-2"}},
    {"it2 drift", {".15e-5", ".42e-2", ".58e-2", ".14e-4", ".67e-2"}},
    {"it3 ex",    {".20e-5", ".35e-2", ".23e-2", ".16e-2", ".76e-3"}},
    {"it3 ey",    {".20e-2", ".32e-1", ".26e-1", ".10e-1", ".37e-2"}},
    {"it3 drift", {".15e-5", ".29e-2", ".12e-2", ".10e-5", ".12e-2"}},
};
// clang-format on

static const trm_paper_note notes_srm1_5_3[] = {
    {TRM_PAPER_VERDICT_MISPRINT, "it2 ex", "t=1", ".42e-2", 0, 0, slip_srm1_5_3},
    {TRM_PAPER_VERDICT_CLOSE, "it1 drift", "t=0.1", NULL, 0.96, 1.06, last_srm1_5_3},
    {TRM_PAPER_VERDICT_CLOSE, "it2 ey", "t=1", NULL, 0.96, 1.06, last_srm1_5_3},
    {TRM_PAPER_VERDICT_CLOSE, "it3 ex", "t=1", NULL, 0.96, 1.06, last_srm1_5_3},
};

const trm_paper_table trm_paper_srm1_5_3 = {
    .name = "SRM-I/5.3",
    .title = "Errors and drift of Example 2, initial values, singular at t = 0.5",
    .setting = "backward Euler, h = 1e-3, epsilon = 0.1, E = (CB)^-1, y_0 = 1; the mesh point at "
               "0.5 moved by h/2",
    .ncolumns = sizeof columns_srm1_5_3 / sizeof *columns_srm1_5_3,
    .nrows = sizeof rows_srm1_5_3 / sizeof *rows_srm1_5_3,
    .nnotes = sizeof notes_srm1_5_3 / sizeof *notes_srm1_5_3,
    .columns = columns_srm1_5_3,
    .rows = rows_srm1_5_3,
    .notes = notes_srm1_5_3,
    .run = trm_paper_run_srm1_5_3,
};

// -------------------------------------------------------------------------------------- SRM-I/5.4

static const char slip_srm1_5_4[] =
    "Table 5.3 has .23e-2 for backward Euler here; every other cell of the row agrees.";

static const char two_srm1_5_4[] =
    "Off by two units of the last printed digit; every other cell of the row agrees.";

static const char last_srm1_5_4[] =
    "Off by less than one unit of the last printed digit: most cells of these tables are rounded, "
    "some are cut off, a few are high.";

static const char side_srm1_5_4[] =
    "This depends on the side to which the mesh point is moved off the singularity: Table 5.5 has "
    ".96e-2 for the same run, as we do.";

// clang-format off
static const char *const columns_srm1_5_4[] = {"t=0.001", "t=0.1", "t=0.3", "t=0.5", "t=1"};

static const trm_paper_row rows_srm1_5_4[] = {
    {"it1 ex",    {".50e-6", ".71e-2", ".36e-1", ".63e-1", ".11"}},
    {"it1 ey",    {".20e-2", ".12", ".15", ".12", ".60e-1"}},
    {"it1 drift", {".50e-6", ".60e-2", ".16e-1", ".76e-4", ".15"}},
    {"it2 ex",    {".50e-6", ".51e-2", ".12e-1", ".10e-1", ".44e-2"}},
    {"it2 ey",    {".20e-2", ".68e-1", ".41e-2", ".20e-1", ".70e-2"}},
    {"it2 drift", {".50e-6", ".42e-2", ".58e-2", ".14e-4", ".67e-2"}},
    {"it3 ex",    {".50e-6", ".35e-2", ".43e-2", ".18e-2", ".98e-3"}},
    {"it3 ey",    {".20e-2", ".32e-1", ".26e-1", ".97e-2", ".46e-2"}},
    {"it3 drift", {".50e-6", ".29e-2", ".12e-2", ".11e-5", ".12e-2"}},
};
// clang-format on

static const trm_paper_note notes_srm1_5_4[] = {
    {TRM_PAPER_VERDICT_MISPRINT, "it3 ex", "t=0.3", ".21e-2", 0, 0, slip_srm1_5_4},
    {TRM_PAPER_VERDICT_CLOSE, "it2 ey", "t=0.3", NULL, 0.93, 1, two_srm1_5_4},
    {TRM_PAPER_VERDICT_CLOSE, "it1 drift", "t=0.1", NULL, 0.96, 1.06, last_srm1_5_4},
    {TRM_PAPER_VERDICT_CLOSE, "it2 ex", "t=1", NULL, 0.96, 1.06, last_srm1_5_4},
    {TRM_PAPER_VERDICT_CLOSE, "it3 ex", "t=1", NULL, 0.96, 1.06, last_srm1_5_4},
    {TRM_PAPER_VERDICT_CLOSE, "it3 ey", "t=0.1", NULL, 0.96, 1.06, last_srm1_5_4},
    {TRM_PAPER_VERDICT_CLOSE, "it3 ey", "t=0.5", NULL, 0.97, 1.01, side_srm1_5_4},
};

const trm_paper_table trm_paper_srm1_5_4 = {
    .name = "SRM-I/5.4",
    .title = "Errors and drift of Example 2, initial values, singular at t = 0.5",
    .setting = "forward Euler, h = 1e-3, epsilon = 0.1, E = (CB)^-1, y_0 = 1; the mesh point at "
               "0.5 moved by h/2",
    .ncolumns = sizeof columns_srm1_5_4 / sizeof *columns_srm1_5_4,
    .nrows = sizeof rows_srm1_5_4 / sizeof *rows_srm1_5_4,
    .nnotes = sizeof notes_srm1_5_4 / sizeof *notes_srm1_5_4,
    .columns = columns_srm1_5_4,
    .rows = rows_srm1_5_4,
    .notes = notes_srm1_5_4,
    .run = trm_paper_run_srm1_5_4,
};

// -------------------------------------------------------------------------------------- SRM-I/5.5

static const char moved_srm1_5_5[] =
    "The value scales with a power of how far the mesh point is moved off the singularity, which "
    "the paper does not say; this is with h/2.";

// clang-format off
static const char *const columns_srm1_5_5[] = {"ex", "ey"};

static const trm_paper_row rows_srm1_5_5[] = {
    {"backward Euler (0,1)", {".16e-2", ".10e-1"}},
    {"backward Euler (h,1)", {".80e-3", ".20e+1"}},
    {"backward Euler (1,1)", {".15", ".37e+3"}},
    {"forward Euler (0,1)",  {".18e-2", ".96e-2"}},
    {"forward Euler (h,1)",  {".25e-2", ".18e+1"}},
    {"forward Euler (1,1)",  {".64", ".15e+4"}},
};
// clang-format on

static const trm_paper_note notes_srm1_5_5[] = {
    {TRM_PAPER_VERDICT_CLOSE, "backward Euler (h,1)", NULL, NULL, 0.3, 3, moved_srm1_5_5},
    {TRM_PAPER_VERDICT_CLOSE, "forward Euler (h,1)", NULL, NULL, 0.3, 3, moved_srm1_5_5},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "backward Euler (1,1)", "ex", NULL, 0.1, 10,
     moved_srm1_5_5},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "backward Euler (1,1)", "ey", NULL, 100, 100000,
     moved_srm1_5_5},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "forward Euler (1,1)", "ex", NULL, 0.1, 10,
     moved_srm1_5_5},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "forward Euler (1,1)", "ey", NULL, 100, 100000,
     moved_srm1_5_5},
};

const trm_paper_table trm_paper_srm1_5_5 = {
    .name = "SRM-I/5.5",
    .title = "Errors at the singularity with (3.16), rows: method (alpha1,alpha2)",
    .setting =
        "h = 1e-3, epsilon = 0.1, y_0 = 1, three iterates; the mesh point at 0.5 moved by h/2",
    .ncolumns = sizeof columns_srm1_5_5 / sizeof *columns_srm1_5_5,
    .nrows = sizeof rows_srm1_5_5 / sizeof *rows_srm1_5_5,
    .nnotes = sizeof notes_srm1_5_5 / sizeof *notes_srm1_5_5,
    .columns = columns_srm1_5_5,
    .rows = rows_srm1_5_5,
    .notes = notes_srm1_5_5,
    .run = trm_paper_run_srm1_5_5,
};

// -------------------------------------------------------------------------------------- SRM-I/5.6

static const char last_srm1_5_6[] =
    "Off by less than one unit of the last printed digit: most cells of these tables are rounded, "
    "some are cut off, a few are high.";

// clang-format off
static const char *const columns_srm1_5_6[] = {"exg", "eyg"};

static const trm_paper_row rows_srm1_5_6[] = {
    {"y0=1 backward Euler (0,1)", {".46e-2", ".44e-1"}},
    {"y0=1 backward Euler (h,1)", {".45e-2", ".43e-1"}},
    {"y0=1 backward Euler (1,1)", {".22e-3", ".28e-3"}},
    {"y0=1 forward Euler (0,1)",  {".45e-2", ".44e-1"}},
    {"y0=1 forward Euler (h,1)",  {".44e-2", ".43e-1"}},
    {"y0=1 forward Euler (1,1)",  {".19e-3", ".23e-3"}},
    {"y0=0 backward Euler (0,1)", {".22e-1", ".97"}},
    {"y0=0 backward Euler (h,1)", {".22e-1", ".94"}},
    {"y0=0 backward Euler (1,1)", {".12e-3", ".75e-3"}},
    {"y0=0 forward Euler (0,1)",  {".22e-1", ".97"}},
    {"y0=0 forward Euler (h,1)",  {".22e-1", ".94"}},
    {"y0=0 forward Euler (1,1)",  {".19e-3", ".75e-3"}},
};
// clang-format on

static const trm_paper_note notes_srm1_5_6[] = {
    {TRM_PAPER_VERDICT_CLOSE, "y0=0 forward Euler (0,1)", "exg", NULL, 0.96, 1.06, last_srm1_5_6},
};

const trm_paper_table trm_paper_srm1_5_6 = {
    .name = "SRM-I/5.6",
    .title = "Largest errors with (3.16) without constraint singularity, rows: y_0, method "
             "(alpha1,alpha2)",
    .setting = "h = 1e-3, epsilon = 0.1, three iterates",
    .ncolumns = sizeof columns_srm1_5_6 / sizeof *columns_srm1_5_6,
    .nrows = sizeof rows_srm1_5_6 / sizeof *rows_srm1_5_6,
    .nnotes = sizeof notes_srm1_5_6 / sizeof *notes_srm1_5_6,
    .columns = columns_srm1_5_6,
    .rows = rows_srm1_5_6,
    .notes = notes_srm1_5_6,
    .run = trm_paper_run_srm1_5_6,
};

// -------------------------------------------------------------------------------------- SRM-I/5.7

static const char last_srm1_5_7[] =
    "Off by less than one unit of the last printed digit: most cells of these tables are rounded, "
    "some are cut off, a few are high.";

// clang-format off
static const char *const columns_srm1_5_7[] = {"exg", "eyg"};

static const trm_paper_row rows_srm1_5_7[] = {
    {"SRM it4 eps=1e-1",    {".15e-2", ".71e-2"}},
    {"SRM it4 eps=1e-3",    {".44e-4", ".16e-2"}},
    {"SRM it4 eps=1e-5",    {".44e-4", ".16e-2"}},
    {"Park-Chiou eps=1e-1", {".12", ".45"}},
    {"Park-Chiou eps=1e-3", {".42e-2", ".85e-1"}},
    {"Park-Chiou eps=1e-5", {".38e-2", ".29"}},
};
// clang-format on

static const trm_paper_note notes_srm1_5_7[] = {
    {TRM_PAPER_VERDICT_CLOSE, "Park-Chiou eps=1e-3", "eyg", NULL, 0.96, 1.06, last_srm1_5_7},
};

const trm_paper_table trm_paper_srm1_5_7 = {
    .name = "SRM-I/5.7",
    .title = "Largest errors of Example 4: SRM and the method of Park and Chiou",
    .setting = "backward Euler, h = 1e-3, y_0 = 1, SRM with E = (CB)^-1",
    .ncolumns = sizeof columns_srm1_5_7 / sizeof *columns_srm1_5_7,
    .nrows = sizeof rows_srm1_5_7 / sizeof *rows_srm1_5_7,
    .nnotes = sizeof notes_srm1_5_7 / sizeof *notes_srm1_5_7,
    .columns = columns_srm1_5_7,
    .rows = rows_srm1_5_7,
    .notes = notes_srm1_5_7,
    .run = trm_paper_run_srm1_5_7,
};
