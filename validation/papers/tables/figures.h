/// The figures, one function each; what fails is the run behind it.
#pragma once

#include "trammel/trammel_status.h"

#include <stdio.h>

enum { TRM_PAPER_MOST_STATES = 7 };

/// A mechanism of two bars in its first state and in later ones.
void trm_paper_draw_states(FILE *out, const char *title, const char *subtitle, const char *every,
                           double height, double x[TRM_PAPER_MOST_STATES][3],
                           double y[TRM_PAPER_MOST_STATES][3], int states);

// figures_srm2.c
trm_status trm_paper_draw_srm2_5_1(FILE *out, trm_error *err);
trm_status trm_paper_draw_srm2_6_1(FILE *out, trm_error *err);
trm_status trm_paper_draw_srm2_6_2(FILE *out, trm_error *err);

// figures_acpr.c
trm_status trm_paper_draw_acpr_2_1(FILE *out, trm_error *err);
trm_status trm_paper_draw_acpr_6_1(FILE *out, trm_error *err);
trm_status trm_paper_draw_acpr_6_2(FILE *out, trm_error *err);
trm_status trm_paper_draw_acpr_6_3(FILE *out, trm_error *err);
trm_status trm_paper_draw_acpr_6_4(FILE *out, trm_error *err);

// figures_thesis.c
trm_status trm_paper_draw_cavity(FILE *out, trm_error *err);
trm_status trm_paper_draw_five_spot(FILE *out, trm_error *err);
trm_status trm_paper_draw_iterates(FILE *out, trm_error *err);
