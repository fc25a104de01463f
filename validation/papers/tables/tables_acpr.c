/// The tables of [ACPR95] as printed, and why a cell is not met.
#include "validation/papers/tables/tables.h"

#include <math.h>

// --------------------------------------------------------------------------------------- ACPR/6.1

static const char ulp_acpr_6_1[] =
    "Roundoff: a few units in the last place of evaluating g and G v in double precision. No "
    "method can fix these digits.";

// clang-format off
static const char *const columns_acpr_6_1[] = {"velocity drift", "position drift"};

static const trm_paper_row rows_acpr_6_1[] = {
    {"h=0.01 Baum(0,0)",    {".33e-2", ".17e-2"}},
    {"h=0.01 Baum(12,70)",  {".72e-2", ".14e-2"}},
    {"h=0.01 S-full",       {".12e-7", ".61e-9"}},
    {"h=0.01 S-both",       {".16e-3", ".39e-9"}},
    {"h=0.01 S-both^2",     {".67e-8", ".15e-13"}},
    {"h=0.01 S-vel",        {".36e-14", ".84e-3"}},
    {"h=0.01 S-pos",        {"*", "*"}},
    {"h=0.001 Baum(0,0)",   {".32e-4", ".17e-4"}},
    {"h=0.001 Baum(12,70)", {".70e-4", ".14e-4"}},
    {"h=0.001 S-full",      {".15e-13", ".40e-14"}},
    {"h=0.001 S-both",      {".16e-6", ".39e-14"}},
    {"h=0.001 S-both^2",    {".18e-13", ".31e-14"}},
    {"h=0.001 S-vel",       {".36e-14", ".81e-5"}},
    {"h=0.001 S-pos",       {".48e-2", ".76e-11"}},
};
// clang-format on

static const trm_paper_note notes_acpr_6_1[] = {
    {TRM_PAPER_VERDICT_CLOSE, "h=0.001 S-full", NULL, NULL, 0.3, 2, ulp_acpr_6_1},
    {TRM_PAPER_VERDICT_CLOSE, "h=0.01 S-both^2", "position drift", NULL, 0.3, 2, ulp_acpr_6_1},
    {TRM_PAPER_VERDICT_CLOSE, "h=0.001 S-both", "position drift", NULL, 0.3, 2, ulp_acpr_6_1},
    {TRM_PAPER_VERDICT_CLOSE, "h=0.001 S-both^2", NULL, NULL, 0.3, 2, ulp_acpr_6_1},
    {TRM_PAPER_VERDICT_CLOSE, "h=0.01 S-vel", "velocity drift", NULL, 0.3, 2, ulp_acpr_6_1},
    {TRM_PAPER_VERDICT_CLOSE, "h=0.001 S-vel", "velocity drift", NULL, 0.3, 2, ulp_acpr_6_1},
};

const trm_paper_table trm_paper_acpr_6_1 = {
    .name = "ACPR/6.1",
    .title = "Largest drift of the arm on a parabola (Case I), 0 <= t <= 40",
    .setting = "Heun; S-methods with F = G^T (G G^T)^-1, after each step",
    .ncolumns = sizeof columns_acpr_6_1 / sizeof *columns_acpr_6_1,
    .nrows = sizeof rows_acpr_6_1 / sizeof *rows_acpr_6_1,
    .nnotes = sizeof notes_acpr_6_1 / sizeof *notes_acpr_6_1,
    .columns = columns_acpr_6_1,
    .rows = rows_acpr_6_1,
    .notes = notes_acpr_6_1,
    .run = trm_paper_run_acpr_6_1,
};

// --------------------------------------------------------------------------------------- ACPR/6.2

static const char ulp_acpr_6_2[] =
    "Roundoff: a few units in the last place of evaluating g and G v in double precision. No "
    "method can fix these digits.";

// clang-format off
static const char *const columns_acpr_6_2[] = {"velocity drift", "position drift"};

static const trm_paper_row rows_acpr_6_2[] = {
    {"h=0.01 Baum(0,0)",    {"*", "*"}},
    {"h=0.01 Baum(12,70)",  {".51", ".25e-1"}},
    {"h=0.01 S-full",       {".72e-5", ".63e-6"}},
    {"h=0.01 S-both",       {".31e-1", ".68e-5"}},
    {"h=0.01 S-both^2",     {".20e-3", ".68e-6"}},
    {"h=0.01 S-vel",        {".60e-14", ".78e-2"}},
    {"h=0.01 S-pos",        {".73", ".28e-2"}},
    {"h=0.001 Baum(0,0)",   {".66e-4", ".56e-4"}},
    {"h=0.001 Baum(12,70)", {".60e-3", ".38e-4"}},
    {"h=0.001 S-full",      {".39e-10", ".53e-11"}},
    {"h=0.001 S-both",      {".41e-4", ".46e-11"}},
    {"h=0.001 S-both^2",    {".20e-9", ".78e-15"}},
    {"h=0.001 S-vel",       {".43e-14", ".58e-4"}},
    {"h=0.001 S-pos",       {".44e-2", ".88e-10"}},
};
// clang-format on

static const trm_paper_note notes_acpr_6_2[] = {
    {TRM_PAPER_VERDICT_CLOSE, "h=0.001 S-both^2", "position drift", NULL, 0.3, 2, ulp_acpr_6_2},
    {TRM_PAPER_VERDICT_CLOSE, "h=0.01 S-vel", "velocity drift", NULL, 0.3, 2, ulp_acpr_6_2},
    {TRM_PAPER_VERDICT_CLOSE, "h=0.001 S-vel", "velocity drift", NULL, 0.3, 2, ulp_acpr_6_2},
};

const trm_paper_table trm_paper_acpr_6_2 = {
    .name = "ACPR/6.2",
    .title = "Largest drift of the arm at a driven height (Case II), 0 <= t <= 10",
    .setting = "Heun; S-methods with F = G^T (G G^T)^-1, after each step; omega = 1/2",
    .ncolumns = sizeof columns_acpr_6_2 / sizeof *columns_acpr_6_2,
    .nrows = sizeof rows_acpr_6_2 / sizeof *rows_acpr_6_2,
    .nnotes = sizeof notes_acpr_6_2 / sizeof *notes_acpr_6_2,
    .columns = columns_acpr_6_2,
    .rows = rows_acpr_6_2,
    .notes = notes_acpr_6_2,
    .run = trm_paper_run_acpr_6_2,
};

// --------------------------------------------------------------------------------------- ACPR/6.3

static const char chaos_acpr_6_3[] =
    "The motion is chaotic: a change of theta1(0) in its last bit moves NSTEP and the drifts by "
    "factors before t = 100, so no code can meet these digits. The bounds contain what runs "
    "disturbed in that way gave; without stabilization and with omega = 1, NSTEP goes from 1e4 to "
    "above 1e6, and some runs break off, up to 3 m away from the constraint.";

static const char stage_acpr_6_3[] =
    "Chaotic, as above. F is that of stage 6 in both passes, which the printed drifts fit; with F "
    "at the point to be corrected, as the text has it, they are 3 to 5 orders smaller. The bounds "
    "are twice as far as 82 disturbed runs of an independent program went.";

// clang-format off
static const char *const columns_acpr_6_3[] = {"NSTEP", "position drift", "velocity drift"};

static const trm_paper_row rows_acpr_6_3[] = {
    {"omega=0.5 Baum(0,0)",   {"10864", ".96", ".22e-1"}},
    {"omega=0.5 Baum(12,70)", {"4197", ".81e-5", ".11e-3"}},
    {"omega=0.5 S-both^2",    {"3767", ".66e-10", ".17e-6"}},
    {"omega=1 Baum(0,0)",     {"15408", "1.38", ".36e-1"}},
    {"omega=1 Baum(12,70)",   {"12826", ".42e-4", ".52e-3"}},
    {"omega=1 S-both^2",      {"5381", ".36e-9", ".54e-6"}},
};
// clang-format on

static const trm_paper_note notes_acpr_6_3[] = {
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=0.5 Baum(0,0)", "NSTEP", NULL, 2500, INFINITY,
     chaos_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=0.5 Baum(0,0)", "position drift", NULL, 0.1,
     INFINITY, chaos_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=0.5 Baum(0,0)", "velocity drift", NULL, 0.004,
     INFINITY, chaos_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=0.5 Baum(12,70)", "NSTEP", NULL, 3000, 6000,
     chaos_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=0.5 Baum(12,70)", "position drift", NULL, 2e-06,
     0.0003, chaos_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=0.5 Baum(12,70)", "velocity drift", NULL, 1e-05,
     0.001, chaos_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=0.5 S-both^2", "NSTEP", NULL, 2500, 7000,
     stage_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=0.5 S-both^2", "position drift", NULL, 5.5e-11,
     5.4e-9, stage_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=0.5 S-both^2", "velocity drift", NULL, 6e-8, 4.2e-6,
     stage_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=1 Baum(0,0)", "NSTEP", NULL, 3500, INFINITY,
     chaos_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=1 Baum(0,0)", "position drift", NULL, 0.4, INFINITY,
     chaos_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=1 Baum(0,0)", "velocity drift", NULL, 0.01,
     INFINITY, chaos_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=1 Baum(12,70)", "NSTEP", NULL, 5000, 25000,
     chaos_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=1 Baum(12,70)", "position drift", NULL, 2e-06,
     0.0003, chaos_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=1 Baum(12,70)", "velocity drift", NULL, 5e-05,
     0.002, chaos_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=1 S-both^2", "NSTEP", NULL, 3500, 25000,
     stage_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=1 S-both^2", "position drift", NULL, 1.2e-10,
     2.2e-8, stage_acpr_6_3},
    {TRM_PAPER_VERDICT_NOT_REPRODUCIBLE, "omega=1 S-both^2", "velocity drift", NULL, 2.2e-7, 2e-5,
     stage_acpr_6_3},
};

const trm_paper_table trm_paper_acpr_6_3 = {
    .name = "ACPR/6.3",
    .title = "Largest drift of the arm at a driven height, 0 <= t <= 100",
    .setting = "Dormand-Prince 5(4), rtol = 1e-5, atol = 1e-6, first step 1e-4, step control acpr; "
               "NSTEP with rejected steps",
    .ncolumns = sizeof columns_acpr_6_3 / sizeof *columns_acpr_6_3,
    .nrows = sizeof rows_acpr_6_3 / sizeof *rows_acpr_6_3,
    .nnotes = sizeof notes_acpr_6_3 / sizeof *notes_acpr_6_3,
    .columns = columns_acpr_6_3,
    .rows = rows_acpr_6_3,
    .notes = notes_acpr_6_3,
    .run = trm_paper_run_acpr_6_3,
};

// --------------------------------------------------------------------------------------- ACPR/6.4

static const char stage_acpr_6_4[] =
    "F is that of stage 6 in both passes; with F at the point to be corrected, as the text has "
    "it, the drifts are 3e-15 and 3e-12. The step control is not published, and single drifts "
    "depend on it by 10 to 40 %.";

static const char control_acpr_6_4[] =
    "The paper does not say how its code chooses steps. The control that comes nearest of 1720 "
    "tried is used; single drifts depend on it by 10 to 40 %.";

// clang-format off
static const char *const columns_acpr_6_4[] = {"NSTEP", "position drift", "velocity drift"};

static const trm_paper_row rows_acpr_6_4[] = {
    {"Baum(0,0)",       {"2872", ".93e-3", ".11e-1"}},
    {"Baum(12,70)",     {"2842", ".45e-3", ".44e-2"}},
    {"Baum(200,10000)", {"2853", ".91e-5", ".95e-4"}},
    {"S-both^2",        {"2838", ".29e-13", ".17e-7"}},
};
// clang-format on

static const trm_paper_note notes_acpr_6_4[] = {
    {TRM_PAPER_VERDICT_CLOSE, "S-both^2", "position drift", NULL, 0.6, 1.4, stage_acpr_6_4},
    {TRM_PAPER_VERDICT_CLOSE, "S-both^2", "velocity drift", NULL, 0.6, 1.4, stage_acpr_6_4},
    {TRM_PAPER_VERDICT_CLOSE, NULL, NULL, NULL, 0.85, 1.15, control_acpr_6_4},
};

const trm_paper_table trm_paper_acpr_6_4 = {
    .name = "ACPR/6.4",
    .title = "Largest drift of the seven-body mechanism, 0 <= t <= 0.3",
    .setting = "Dormand-Prince 5(4), rtol = 1e-5, atol = 1e-6, first step 1e-4, step control acpr; "
               "NSTEP with rejected steps",
    .ncolumns = sizeof columns_acpr_6_4 / sizeof *columns_acpr_6_4,
    .nrows = sizeof rows_acpr_6_4 / sizeof *rows_acpr_6_4,
    .nnotes = sizeof notes_acpr_6_4 / sizeof *notes_acpr_6_4,
    .columns = columns_acpr_6_4,
    .rows = rows_acpr_6_4,
    .notes = notes_acpr_6_4,
    .run = trm_paper_run_acpr_6_4,
};
