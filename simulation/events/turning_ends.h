/// Springs and ropes whose ends meet: their force turns round within a step.
///
/// A tension along d = x_b - x_a that does not vanish with d is not continuous where the ends meet,
/// and nearly so where they pass close by: at the distance b with the speed u, d turns within b/u.
/// Stages on both sides of such a place make no series in h. A step that d turns in by more than a
/// right angle is split there: up to the place, over it, and on.
#pragma once

#include "base/arena.h"
#include "engine/multibody/model.h"
#include "integrators/trajectory/integrator.h"

typedef struct trm_turning_ends {
    int n;               ///< directions that are looked at
    double (*d[2])[3];   ///< [n] m, at both ends of a step
    double (*inside)[3]; ///< [n] m, within a step
    double t;            ///< s, where it ends; NAN: not known
    double *z;           ///< [run->n] workspace
} trm_turning_ends;

void trm_turning_ends_layout(trm_turning_ends *ends, const trm_model *model, const trm_run *run,
                             trm_arena *arena);
/// The state is another one.
void trm_turning_ends_forget(trm_turning_ends *ends);
/// m, how far the ends of a spring or rope are apart at the end of the last step, at most: a length
/// is no more exact than its rounding. 0: not known.
double trm_turning_ends_farthest(const trm_turning_ends *ends);
/// s, where the step just taken is to end instead; INFINITY: it stays. *moved: the system's current
/// point is another one.
double trm_turning_ends_split(trm_turning_ends *ends, const trm_model *model, trm_run *run,
                              int *moved);
