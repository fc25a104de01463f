/// What was exerted, checked against the laws of forces: friction, contacts, reactions. The laws
/// are written down here a second time; modes of contacts, which decide forces in a run, are not
/// asked.
#pragma once

#include "integrators/trajectory/integrator.h"
#include "trammel/trammel_report.h"

/// Figures so far of a run.
typedef struct trm_force_check {
    double friction, contacts; ///< as in trm_forces
    int worst;                 ///< of these, where; -1: nowhere
    double t_worst;            ///< s
    double t_none;             ///< s: no forces were found that fit; NAN: always
    double work;               ///< J: of friction and limits by the law, all amounts added
    double work_gap;           ///< J: what was booked otherwise
} trm_force_check;

/// What a point is judged by, beside the contacts there.
typedef struct trm_force_point {
    double h;             ///< s, since the last point
    double known;         ///< s: to this the time of a change is known
    double size;          ///< m, of the mechanism
    int released;         ///< 1 + the limit or friction that has ended the step; 0: none
    const double *lambda; ///< [nc] multipliers
    double booked;        ///< W: power of friction and limits in the run
} trm_force_point;

/// Add an accepted point. contact->x, rate and force are those of the point.
void trm_force_check_add(trm_force_check *check, trm_contact *contact, const trm_run *run,
                         const trm_force_point *point);

/// Room for trm_force_check_reactions.
typedef struct trm_force_room {
    double *r, *x, *f; ///< [nv]
    double *c;         ///< [nc]
    double least;      ///< N/sqrt(kg), in the mass metric: terms that are none
} trm_force_room;

/// Newton-Euler of all bodies at run->now, where accelerations and multipliers are known:
/// |M a - f + G^T lambda - sum p_k G_k^T| in the mass metric over its terms, and G a - gamma over
/// the largest accelerations; the larger of both. Redundant rows count by what they do together.
/// NAN where forces have no value. Moves the system's current point to now.
double trm_force_check_reactions(const trm_run *run, const trm_force_room *room);
