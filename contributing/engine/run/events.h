/// Events of the scene: conditions that begin to hold, what they do, and a memory of them.
#ifndef TRM_EVENTS_H
#define TRM_EVENTS_H

#include "engine/mechanism/model.h"
#include "integrators/trajectory/integrator.h"

enum { TRM_EVENTS_KEPT = 100 };

typedef struct trm_events {
    int n;
    unsigned char *holds; ///< [n] each condition, at the last time it was looked at
    int stop;             ///< nonzero: one that stops has begun to hold in the last step
    long count;
    double t[TRM_EVENTS_KEPT]; ///< s, of event i at i modulo KEPT
    int event[TRM_EVENTS_KEPT];
    double *state; ///< [KEPT][nq + nv]
} trm_events;

void trm_events_layout(trm_events *events, const trm_model *model, trm_arena *arena);
/// A run begins: no condition has held yet.
void trm_events_start(trm_events *events);
/// Look at the conditions at now, with the branches that the system holds; those that begin to hold
/// are kept, and do what they say. Errors: CALLBACK (a condition that is no number).
trm_status trm_events_look(trm_events *events, const trm_model *model, trm_run *run,
                           trm_error *err);

#endif
