/// How many own periods a run has, and the tolerances for so many.
///
///     omega^2 = int a^T M a dt / int v^T M v dt,     N = omega t_end / 2 pi
///
/// Step errors of one sign change the energy in proportion to N, the frequency with it, and the
/// phase by the integral of that, in proportion to N^2: they must fall with 1/N^2 for the same
/// error at the end.
#include "engine/base/status.h"
#include "engine/run/simulation.h"
#include "integrators/registry.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const double held = 10; // periods that the tolerances of trm_choose_options are meant for
static const double finest = 1e-13;

typedef struct pilot {
    double t_end, t; // s
    double a2, v2;   // J s: the integrals above, halved
    double s2;       // 1/s: the integral of sum (v_i/size_i)^2
    double periods;  // so far
    int steps;
} pilot;

/// After a step; nonzero when enough is known: three periods, or a twentieth of the run.
static int look(trm_sim *sim, void *user)
{
    enum { MOST_STEPS = 1000 };
    pilot *const p = user;
    trm_run *const run = &sim->run;
    const double h = run->now.t - p->t;
    p->a2 += h * trm_system_kinetic(run->system, run->now.dz + run->system->nq);
    p->v2 += h * trm_system_kinetic(run->system, run->now.z + run->system->nq);
    for (int i = 0; i < run->system->nv; i++) {
        const double rate = run->now.z[run->system->nq + i] / run->extent.v[i];
        p->s2 += h * rate * rate;
    }
    p->t = run->now.t;
    p->periods = p->v2 > 0 ? sqrt(p->a2 / p->v2) * p->t / (2 * pi) : 0;
    return p->periods >= 3 || p->t >= p->t_end / 20 || ++p->steps >= MOST_STEPS;
}

/// Whether anything moves by more than its tolerance; what does not has no phase to err in.
static int is_motion(const pilot *p, double rtol)
{
    const double omega = p->t > 0 ? 2 * pi * p->periods / p->t : 0; // rad/s
    return omega > 0 && omega < INFINITY && sqrt(p->s2 / p->t) / omega > rtol;
}

static trm_status count_periods(const trm_model *model, const trm_options *options, double t_end,
                                double *periods, trm_error *err)
{
    trm_sim *sim = NULL;
    trm_error refused = {0};
    pilot p = {.t_end = t_end};
    const trm_status created = trm_sim_create(model, options, &sim, &refused);
    if (created == TRM_ERR_MEMORY || created == TRM_ERR_OPTIONS) {
        return TRM_FAIL(err, created, refused.where, "%s", refused.message);
    }
    if (created == TRM_OK) {
        (void)trm_sim_run(sim, t_end, look, &p, NULL); // what fails here fails again in the run
        *periods = is_motion(&p, options->rtol) ? p.periods * t_end / p.t : 0;
    }
    trm_sim_destroy(sim);
    return TRM_OK;
}

trm_status trm_fit_length(const trm_model *model, double accuracy, double t_end,
                          trm_options *options, trm_span *out, trm_error *err)
{
    const double worth = 0.5; // a change of the tolerances by less is none
    if (!model || !options || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !model     ? "model"
                        : !options ? "options"
                                   : "out",
                        "expected a model, options and a place for the length, got NULL");
    }
    if (!(accuracy > 0 && accuracy < 1) || !(t_end >= 0 && t_end < INFINITY)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, accuracy > 0 && accuracy < 1 ? "t_end" : "accuracy",
                        "expected an accuracy between 0 and 1 and a finite end, got %g and %g",
                        accuracy, t_end);
    }
    *out = (trm_span){.accuracy = accuracy};
    TRM_TRY(trm_options_check(options, err));
    const trm_method *const method =
        trm_method_find(options->integrator, options->stabilization).method;
    if (!method->adaptive || t_end == 0) {
        return TRM_OK;
    }
    TRM_TRY(count_periods(model, options, t_end, &out->periods, err));
    const double factor = out->periods > held ? held * held / (out->periods * out->periods) : 1;
    if (factor < worth) {
        const double wanted = factor * options->rtol;
        out->accuracy =
            wanted < finest ? accuracy * fmin(finest, options->rtol) / wanted : accuracy;
        options->atol = fmin(options->atol, fmax(factor * options->atol, finest));
        options->rtol = fmin(options->rtol, fmax(wanted, finest));
    }
    return TRM_OK;
}
