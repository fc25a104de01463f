/// What several tests of runs share: scenes, methods, steps.
#pragma once

#include "tests/rig.h"

/// Room for the state of the scenes used here.
enum { MAX_Q = 256, MAX_V = 256, MAX_C = 256 };

/// All that a run has to say, for comparison bit by bit.
typedef struct record {
    double t;
    double q[MAX_Q], v[MAX_V], a[MAX_V], lambda[MAX_C];
    double checks[17]; ///< drift, energy, report
    double steps[2];   ///< steps and rejections
    double work[6];    ///< the rest of the counters
} record;

static inline void take(const trm_sim *sim, const trm_model *model, record *out)
{
    const trm_sizes n = trm_model_sizes(model);
    const trm_state s = trm_sim_state(sim);
    const trm_drift drift = trm_sim_drift(sim);
    const trm_energy energy = trm_sim_energy(sim);
    const trm_stats stats = trm_sim_stats(sim);
    const trm_report report = trm_sim_report(sim);
    const double checks[17] = {drift.position,
                               drift.velocity,
                               drift.row,
                               energy.kinetic,
                               energy.potential,
                               energy.work,
                               report.position_drift,
                               report.velocity_drift,
                               report.worst_row,
                               report.energy_initial,
                               report.energy_error,
                               report.energy_error_relative,
                               (double)report.branch_changes,
                               report.first_branch_change,
                               (double)report.crossings,
                               report.rcond_min,
                               report.t_rcond_min};
    const double steps[2] = {(double)stats.steps, (double)stats.rejected};
    const double work[6] = {(double)stats.force_evals,    (double)stats.jacobian_evals,
                            (double)stats.factorizations, stats.epsilon,
                            stats.epsilon_safe,           stats.h};
    memset(out, 0, sizeof *out);
    assert_true(n.nq <= MAX_Q && n.nv <= MAX_V && n.nc <= MAX_C);
    out->t = s.t;
    memcpy(out->q, s.q, (size_t)n.nq * sizeof(double));
    memcpy(out->v, s.v, (size_t)n.nv * sizeof(double));
    memcpy(out->a, s.a, (size_t)n.nv * sizeof(double));
    memcpy(out->lambda, s.lambda, (size_t)n.nc * sizeof(double));
    memcpy(out->checks, checks, sizeof checks);
    memcpy(out->steps, steps, sizeof steps);
    memcpy(out->work, work, sizeof work);
}

/// Equal bit by bit; the counters of work only when asked, since samples cost evaluations.
static inline void check_same(const char *what, const record *a, const record *b, int with_counters)
{
    const int state = !memcmp(&a->t, &b->t, offsetof(record, checks));
    const int checks = !memcmp(a->checks, b->checks, sizeof a->checks);
    const int steps = !memcmp(a->steps, b->steps, sizeof a->steps);
    const int work = !with_counters || !memcmp(a->work, b->work, sizeof a->work);
    if (!state || !checks || !steps || !work) {
        fail_msg("%s: %s%s%s%s differ", what, state ? "" : "state ", checks ? "" : "checks ",
                 steps ? "" : "steps ", work ? "" : "counters");
    }
}

static inline const char *name_of(const trm_method *method)
{
    static char name[64];
    snprintf(name, sizeof name, "%s, %s", method->integrator_name, method->stabilization_name);
    return name;
}

static inline trm_options loose(const trm_method *method)
{
    trm_options options = trm_default_options(method->integrator, method->stabilization);
    if (!method->adaptive) {
        options.h = 0.004;
    }
    return options;
}

// ----------------------------------------------------------------------------------------- landing

static const char spinning_pendulum[] =
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"bob\", \"mass\": 2,"
    " \"ends\": [[0, 0], [1, 0]]}], \"joints\": [{\"name\": \"O\", \"type\": \"revolute\","
    " \"bodies\": [\"ground\", \"bob\"], \"at\": [0, 0]}]}";
