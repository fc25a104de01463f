/// @file
/// Trammel: limits of joints, stops and dry friction in a run, docs/explanation/contact.md.
///
/// @code
///     const trm_impacts impacts = trm_sim_impacts(sim);
///     printf("%ld impacts took %g J\n", impacts.count, impacts.energy_lost);
///     trm_contact_state state;
///     for (int i = 0; trm_sim_contact(sim, i, &state); i++) {
///         printf("%s: force %g\n", trm_model_contact_info(model, i).name, state.force);
///     }
/// @endcode
#ifndef TRAMMEL_CONTACT_H
#define TRAMMEL_CONTACT_H

#include "trammel_scene.h"

TRM_API_BEGIN

/// A coordinate x with limits or friction: a joint's, the way along a screw's thread, or the
/// distance of a stop; or a row of a joint that an input switches, `hook.x`, `O.lock`.
typedef struct trm_contact_info {
    const char *name;  ///< of the joint, screw or stop; NULL: no such contact
    const char *where; ///< "a.json:14:7 /stops/2"; "" without a file
    const char *unit;  ///< of x, "m" or "rad"; its force is in N or N m
    double lo, hi;     ///< infinite where there is no limit
} trm_contact_info;

/// Contact 0 <= contact < trm_sizes.ncontact.
trm_contact_info trm_model_contact_info(const trm_model *model, int contact);

/// How a contact is held, or that it is not.
typedef enum trm_contact_mode {
    TRM_CONTACT_MODE_OPEN,        ///< between its limits, without dry friction
    TRM_CONTACT_MODE_LOW,         ///< pressed against lo
    TRM_CONTACT_MODE_HIGH,        ///< pressed against hi
    TRM_CONTACT_MODE_STICKS,      ///< held by friction
    TRM_CONTACT_MODE_REGULARIZED, ///< open, with friction by a smooth law: it creeps where it
                                  ///< should stick
    TRM_CONTACT_SLIDES,           ///< between its limits, friction against its rate
    TRM_CONTACT_UNDETERMINED, ///< in a dwell that joints and drives decide: friction is anything
                              ///< within its bound, and counts as 0
    TRM_CONTACT_MODE_LOCKED   ///< a row of a switched joint that is closed, or a lock
} trm_contact_mode;

typedef struct trm_contact_state {
    trm_contact_mode mode;
    double x, rate; ///< m or rad, per s
    double force;   ///< N or N m along x: of the stop and of friction; NAN where none can be had
} trm_contact_state;

/// Contact i at the end of the last step, its force from an evaluation there; with `moreau` its
/// mean over the step. Returns 0 when there is none of that number, or another call is at work on
/// this run. No allocation.
int trm_sim_contact(const trm_sim *sim, int contact, trm_contact_state *out);

/// Time-stepping (Moreau) of order 1, "projected steps" in reports, that a run by located events
/// has used where no forces fit, several do, or events are too many (docs/explanation/contact.md).
typedef struct trm_projected_told {
    long intervals;           ///< how often
    long crowds;              ///< of these: since events were too many
    long steps, steps_before; ///< in all intervals, and in those that have ended
    double from, to;          ///< s: begin of the first, end of the last
} trm_projected_told;

/// Impacts of a run so far. energy_lost is part of trm_energy.work, with the other sign.
typedef struct trm_impacts {
    long count;         ///< times at which something struck
    double energy_lost; ///< J, by the work of the impulses
    double last;        ///< s; NAN before the first
    long changes;       ///< times that a contact changed its mode
    long settled;       ///< times that bouncing ended: further flights cannot be resolved
    double rest;        ///< s, the last end of bouncing, by the series of flights; NAN before
    trm_projected_told projected;
} trm_impacts;

trm_impacts trm_sim_impacts(const trm_sim *sim);

TRM_API_END

#endif
