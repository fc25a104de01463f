// What tests of singular positions share: runs of a scene, and what a run that has kept its branch
// reports.
#pragma once

#include "tests/rig.h"

/// phi2 of the slider-crank off by 1e-9, so that no symmetry hides an error.
static const char *const disturbed[] = {"disturb", "1e-9", NULL};

static inline trm_options assembling(trm_options options)
{
    options.assemble = 1;
    return options;
}

static inline trm_report run_to(rig *r, trm_options options, double t_end)
{
    rig_start(r, assembling(options));
    rig_run(r, t_end);
    return trm_sim_report(r->sim);
}

static inline void check_kept(const char *what, trm_report report, long crossings, double energy)
{
    if (report.crossings != crossings || report.branch_changes != 0) {
        fail_msg("%s: %ld crossings, %ld changes of branch", what, report.crossings,
                 report.branch_changes);
    }
    below(what, report.energy_error_relative, energy);
    below(what, report.position_drift, 1e-9);
}

static inline double first_crossing(rig *r)
{
    trm_crossing crossing;
    run_to(r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-13, 1e-13), 1);
    assert_true(trm_sim_crossing(r->sim, 0, &crossing));
    return crossing.t;
}
