/// Events of the scene: conditions that begin to hold, their effects, and a record of them.
#pragma once

#include "engine/multibody/model.h"
#include "integrators/trajectory/integrator.h"

enum { TRM_EVENTS_KEPT = 100 };

/// Their arrays, which a run that goes on for another one keeps.
typedef struct trm_events_arrays {
    unsigned char *holds;  ///< [n] each condition, at its last evaluation, see events.c
    unsigned char *begins; ///< [n] those that happen now
    double *value;         ///< [nsettings] what they set
    double *state;         ///< [KEPT][width]
} trm_events_arrays;

typedef struct trm_events {
    trm_events_arrays of;
    int n;
    int nq;           ///< coordinates of the bodies
    size_t width;     ///< and velocities
    double t_instant; ///< s, the last instant at which conditions were evaluated
    int stop;         ///< nonzero: an event that stops the run occurred in the last step
    long count;
    double t[TRM_EVENTS_KEPT]; ///< s, of event i at i modulo KEPT
    int event[TRM_EVENTS_KEPT];
} trm_events;

void trm_events_layout(trm_events *events, const trm_model *model, trm_arena *arena);
/// Start a run: no condition has held yet.
void trm_events_start(trm_events *events);
/// Evaluate the conditions at now, in the modes that the system holds; events are recorded, and
/// take effect together: what they set is computed with all values before. Errors: CALLBACK (a
/// condition or a value that is no number), DIVERGED (two of them set one input).
trm_status trm_events_evaluate(trm_events *events, const trm_model *model, trm_run *run,
                               trm_error *err);
/// Evaluate the conditions at an instant (trm_locator_enter_instant). A condition true at the
/// instant and after it raises one event.
trm_status trm_events_evaluate_at_instant(trm_events *events, const trm_model *model, trm_run *run,
                                          trm_error *err);
