/// The tables, and the functions that fill them.
#pragma once

#include "validation/papers/shared/paper.h"

extern const trm_paper_table trm_paper_srm2_6_1, trm_paper_srm2_6_2, trm_paper_srm2_6_3,
    trm_paper_srm2_6_4, trm_paper_srm2_6_5; // tables_srm2.c
extern const trm_paper_table trm_paper_acpr_6_1, trm_paper_acpr_6_2, trm_paper_acpr_6_3,
    trm_paper_acpr_6_4; // tables_acpr.c
extern const trm_paper_table trm_paper_srm1_5_1, trm_paper_srm1_5_2, trm_paper_srm1_5_3,
    trm_paper_srm1_5_4, trm_paper_srm1_5_5, trm_paper_srm1_5_6,
    trm_paper_srm1_5_7; // tables_srm1.c
extern const trm_paper_table trm_paper_thesis_4_1, trm_paper_thesis_4_2, trm_paper_thesis_4_3,
    trm_paper_thesis_4_4; // tables_thesis_flow.c
extern const trm_paper_table trm_paper_thesis_5_1, trm_paper_thesis_5_2,
    trm_paper_thesis_5_3; // tables_thesis_darcy.c

// srm2.c, srm2_mechanisms.c
trm_status trm_paper_run_srm2_6_1(double *ours, trm_error *err);
trm_status trm_paper_run_srm2_6_2(double *ours, trm_error *err);
trm_status trm_paper_run_srm2_6_3(double *ours, trm_error *err);
trm_status trm_paper_run_srm2_6_4(double *ours, trm_error *err);
trm_status trm_paper_run_srm2_6_5(double *ours, trm_error *err);

// acpr.c
trm_status trm_paper_run_acpr_6_1(double *ours, trm_error *err);
trm_status trm_paper_run_acpr_6_2(double *ours, trm_error *err);
trm_status trm_paper_run_acpr_6_3(double *ours, trm_error *err);
trm_status trm_paper_run_acpr_6_4(double *ours, trm_error *err);

// srm1.c
trm_status trm_paper_run_srm1_5_1(double *ours, trm_error *err);
trm_status trm_paper_run_srm1_5_2(double *ours, trm_error *err);
trm_status trm_paper_run_srm1_5_3(double *ours, trm_error *err);
trm_status trm_paper_run_srm1_5_4(double *ours, trm_error *err);
trm_status trm_paper_run_srm1_5_5(double *ours, trm_error *err);
trm_status trm_paper_run_srm1_5_6(double *ours, trm_error *err);
trm_status trm_paper_run_srm1_5_7(double *ours, trm_error *err);

// validation/papers/flow/flow_tables.c
trm_status trm_paper_run_thesis_4_1(double *ours, trm_error *err);
trm_status trm_paper_run_thesis_4_2(double *ours, trm_error *err);
trm_status trm_paper_run_thesis_4_3(double *ours, trm_error *err);
trm_status trm_paper_run_thesis_4_4(double *ours, trm_error *err);

// validation/papers/darcy/darcy_tables.c
trm_status trm_paper_run_thesis_5_1(double *ours, trm_error *err);
trm_status trm_paper_run_thesis_5_2(double *ours, trm_error *err);
trm_status trm_paper_run_thesis_5_3(double *ours, trm_error *err);
