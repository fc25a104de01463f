/// What the program tells of a run beside its report.
#pragma once

#include "trammel/trammel_contact.h"
#include "trammel/trammel_simulate.h"

/// N or N m: what dry friction of contact k holds at most, by the reactions of the same evaluation;
/// NAN where it has none.
double trm_sim_friction_bound(const trm_sim *sim, int k);

/// f[nv] of the bodies, N and N m: all forces but those of joints at a state of a recording, with
/// known[ninput + nstate + ncontact]: values of inputs and states, forces of contacts. Of v it
/// writes the states. The run is not to go on. Errors: those of trm_sim_terms.
trm_status trm_sim_recorded_forces(trm_sim *sim, double t, const double *q, double *v,
                                   const double *known, double *f, trm_error *err);

/// m or rad: the largest play of row `row` so far, and when, in s (t may be NULL). Rows that repeat
/// others except for a misfit (trm_options.misfit) count as redundant; what they leave open is play
/// that they share out. 0 where no row is redundant.
double trm_sim_misfit(const trm_sim *sim, int row, double *t);

/// A part of the mechanism that cannot move: as many independent rows as velocities, and no drive.
typedef struct trm_locked_part {
    const char *body;     ///< its first
    int nbodies;          ///< how many
    const char *joint[2]; ///< hinges or sliders between the same two of its bodies whose axes are
                          ///< farthest apart; NULL: none are
    double angle;         ///< rad, between these axes
} trm_locked_part;

/// The i-th of them, parts held by welds alone left out; 0: there are no more.
int trm_sim_locked(const trm_sim *sim, int i, trm_locked_part *out);
/// joint and angle of *out, of the whole model at its start.
void trm_model_axes(const trm_model *model, trm_locked_part *out);

/// Why the run has the coordinates of bodies, of its scene or its start; NULL: it has not.
const char *trm_sim_why_absolute(const trm_sim *sim);

/// The number of independent rows of G: the rank at the present point, by the rule of trm_check;
/// where this point is singular, the higher rank that the pivots of the run have shown before.
/// There are nv - rank degrees of freedom. With redundant rows it takes a dense factorization and
/// memory of its own: not for every step. (Beyond 1000 rows only the pivots count; they see no row
/// that is within 1e-3 of the others.) 0 for NULL.
int trm_sim_rank(const trm_sim *sim);

/// How the run has followed formulas of t, docs/explanation/events.md.
typedef struct trm_input_coverage {
    trm_inputs_covered inputs;
    double missed; ///< fixed steps: the largest part of the range of a formula that a step may have
                   ///< missed
    long unproved; ///< steps for which there was no proof
    long mode_changes; ///< mode changes of formulas
    int user_forces;   ///< nonzero: the model has functions of the user, which are sampled
    int unsearched; ///< equations of kinds of constraints (rolling, belts) and tensions of ropes,
                    ///< of which peaks between the stages of a step are not looked for
} trm_input_coverage;

trm_input_coverage trm_sim_input_coverage(const trm_sim *sim);

/// Nonzero when the steps of the run are limited by stability now; *out says why. No allocation.
int trm_sim_stiff(trm_sim *sim, trm_stiff *out);

/// Whose option one of trm_method.parameters is: "sequential regularization"; NULL: no such one.
const char *trm_parameter_family(const char *parameter);
