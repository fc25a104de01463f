/// What the tests of the shipped scenes share.
#pragma once

#include "tests/reference.h"
#include "tests/rig.h"

/// Nothing suspicious: relative energy error under `bound`, no change of branch.
static inline void check_report(const rig *r, double bound)
{
    const trm_report report = trm_sim_report(r->sim);
    below("relative energy error", report.energy_error_relative, bound);
    assert_int_equal(report.branch_changes, 0);
}

static inline void check_point(const rig *r, const char *body, const double local[3],
                               const double x[3], double tolerance)
{
    double found[3];
    rig_point(r, body, local, found);
    for (int k = 0; k < 3; k++) {
        near(body, found[k], x[k], tolerance);
    }
}
