/// Which formula has left no step short enough: 1/abs(x) where the motion reaches x = 0.
///
/// In h = 1e-9 T a formula that changes in the time of the run, T, changes by about h/T of its
/// value. One that is steep changes by the whole of it or by some orders of magnitude less. A part
/// above sqrt(h/T), halfway between, makes a formula steep. Of several the reason is the one whose
/// value changes most.
#include "simulation/run/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct steep {
    const char *name, *where;
    double change, part; ///< of the value; of the larger of both values
} steep;

/// The value now and a little later, and which formula has changed most.
typedef struct search {
    trm_sim *sim;
    double h, least; ///< s; the part from which a formula is steep
    steep most;
} search;

static double value_at(const search *s, const trm_function *f, double t, const double *z)
{
    const trm_run *const run = &s->sim->run;
    const double *const v = z + run->system->nq;
    const trm_kinematics kinematics = trm_assembler_kinematics(run->system, t, z, v, v);
    return trm_function_value(f, kinematics.pose, kinematics.V);
}

static void consider(search *s, const trm_function *f, const char *name)
{
    const trm_run *const run = &s->sim->run;
    if (!f->code) {
        return;
    }
    const double now = value_at(s, f, run->now.t, run->now.z);
    const double later = value_at(s, f, run->now.t + s->h, s->sim->locator.z);
    const double known = fabs(later - now), change = isfinite(known) ? known : INFINITY;
    const double part = isfinite(known) ? known / fmax(fabs(now), fabs(later)) : 1;
    if (part >= s->least && change > s->most.change) {
        s->most = (steep){name, f->where, change, part};
    }
}

static void consider_forces(search *s, const trm_force_group *group)
{
    for (int e = 0; group->values && e < group->n; e++) {
        for (int k = 0; group->values[e] && k < 3; k++) {
            consider(s, &group->values[e][k], group->names[e]);
        }
    }
}

void trm_sim_name_steepest(trm_sim *sim, trm_error *err)
{
    const trm_model *const model = sim->model;
    trm_run *const run = &sim->run;
    const double short_part = 1e-9; // of the time, as that of steps that make no headway
    const double T = fmax(fabs(run->now.t), run->now.t - sim->locator.following.start);
    search s = {.sim = sim, .h = short_part * T, .least = sqrt(short_part)};
    trm_locator_extrapolate(&sim->locator, run, s.h);
    for (int i = 0; i < model->nswitching_formulas; i++) {
        const trm_switching_formula *const formula = &model->switching_formulas[i];
        if (formula->event < 0) {
            consider(&s, &formula->f, formula->name);
        }
    }
    for (int k = 0; k < model->ngroups; k++) {
        consider_forces(&s, &model->groups[k]);
    }
    (void)trm_system_position(run->system, run->now.t, run->now.z); // where it succeeded before
    if (!s.most.name) {
        return;
    }
    const char *const rope = trm_sim_end_of_rope(model, s.most.name);
    const size_t used = strlen(err->message);
    if (*rope) {
        snprintf(err->message + used, sizeof err->message - used, "; '%.60s'%s", s.most.name, rope);
    } else {
        snprintf(err->message + used, sizeof err->message - used,
                 "; the formula of '%.60s' changes by %.2g of its value in %.2g s", s.most.name,
                 s.most.part, s.h);
    }
    snprintf(err->where, sizeof err->where, *s.most.where ? "%s" : "'%s'",
             *s.most.where ? s.most.where : s.most.name);
}
