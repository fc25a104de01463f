/// Runs behind the tables of [ACPR95]: the two-link arm with Heun's method and with the adaptive
/// pair, the seven-body mechanism with the pair.
#include "trammel/trammel_error.h"
#include "validation/papers/problems/problems.h"
#include "validation/papers/shared/run.h"
#include "validation/papers/tables/tables.h"

#include <math.h>

typedef struct variant {
    const char *stabilization;
    double alpha1, alpha0;
} variant;

static trm_status set_variant(const char *integrator, const variant *v, trm_options *options,
                              trm_error *err)
{
    TRM_TRY(trm_paper_method(integrator, v->stabilization, options, err));
    if (options->stabilization == TRM_STABILIZATION_BAUMGARTE) {
        options->baumgarte = (trm_baumgarte_options){v->alpha1, v->alpha0};
    }
    options->mass_metric = 0; // (5.6)
    return TRM_OK;
}

// ------------------------------------------------------------------------------ Tables 6.1, 6.2

static const variant of_heun[] = {
    {"baumgarte", 0, 0}, {"baumgarte", 12, 70}, {"s-full", 0, 0}, {"s-both", 0, 0},
    {"s-both2", 0, 0},   {"s-vel", 0, 0},       {"s-pos", 0, 0},
};

enum { OF_HEUN = sizeof of_heun / sizeof *of_heun };

/// Columns velocity, position; rows: h = 0.01 with every variant, then h = 0.001.
static trm_status by_heun(const trm_equations *arm, double t_end, double *ours, trm_error *err)
{
    static const double h[] = {0.01, 0.001};
    for (int row = 0; row < 2 * OF_HEUN; row++) {
        trm_options options;
        trm_paper_outcome outcome;
        TRM_TRY(set_variant("heun", &of_heun[row % OF_HEUN], &options, err));
        options.h = h[row / OF_HEUN];
        TRM_TRY(trm_paper_run_whole(arm, &options, t_end, &outcome, err));
        ours[2 * row] = outcome.velocity;
        ours[2 * row + 1] = outcome.position;
    }
    return TRM_OK;
}

trm_status trm_paper_run_acpr_6_1(double *ours, trm_error *err)
{
    return by_heun(trm_paper_parabola_arm(), 40, ours, err);
}

trm_status trm_paper_run_acpr_6_2(double *ours, trm_error *err)
{
    const double omega = 0.5;
    const trm_equations arm = trm_paper_sine_arm(&omega);
    return by_heun(&arm, 10, ours, err);
}

// ------------------------------------------------------------------------------ Tables 6.3, 6.4

/// Columns NSTEP, position, velocity.
static trm_status by_pair(const trm_equations *equations, double t_end, int n, const variant *list,
                          double *ours, trm_error *err)
{
    for (int row = 0; row < n; row++) {
        trm_options options;
        trm_paper_outcome outcome;
        TRM_TRY(set_variant("dopri5", &list[row], &options, err));
        options.rtol = 1e-5;
        options.atol = 1e-6;
        options.h = 1e-4;
        options.step_control = TRM_STEP_CONTROL_ACPR;
        if (options.stabilization == TRM_STABILIZATION_S_BOTH2) {
            options.post.formula = TRM_POST_FORMULA_STAGE;
        }
        TRM_TRY(trm_paper_run_whole(equations, &options, t_end, &outcome, err));
        ours[3 * row] = outcome.steps;
        ours[3 * row + 1] = outcome.position;
        ours[3 * row + 2] = outcome.velocity;
    }
    return TRM_OK;
}

trm_status trm_paper_run_acpr_6_3(double *ours, trm_error *err)
{
    static const variant list[] = {{"baumgarte", 0, 0}, {"baumgarte", 12, 70}, {"s-both2", 0, 0}};
    static const double omega[] = {0.5, 1};
    for (int k = 0; k < 2; k++) {
        const trm_equations arm = trm_paper_sine_arm(&omega[k]);
        TRM_TRY(by_pair(&arm, 100, 3, list, ours + 9 * k, err));
    }
    return TRM_OK;
}

trm_status trm_paper_run_acpr_6_4(double *ours, trm_error *err)
{
    static const variant list[] = {
        {"baumgarte", 0, 0}, {"baumgarte", 12, 70}, {"baumgarte", 200, 10000}, {"s-both2", 0, 0}};
    return by_pair(&trm_paper_andrews, 0.3, 4, list, ours, err);
}
