/// @file
/// Trammel: the diagnosis of a mechanism, what is wrong with it and what could be done.
///
/// trm_check says what the rank is in the initial state. A diagnosis says why, and tells
/// what holds along the whole motion from what holds in this position only. All verdicts are taken
/// on rows and columns scaled by the size of the model: they do not change with its length, mass or
/// units, nor with the order of joints in the file.
///
/// @code
///     trm_check *check = NULL;
///     if (trm_check_create(model, NULL, &check, &err) == TRM_OK) {
///         printf("%d degrees of freedom\n", check->degrees_of_freedom);
///         for (int i = 0; i < check->nredundant; i++) {
///             printf("%s repeats others\n",
///                    trm_model_row_info(model, check->redundant[i].rows[0]).name);
///         }
///     }
///     trm_check_destroy(check);
/// @endcode
#ifndef TRAMMEL_CHECK_H
#define TRAMMEL_CHECK_H

#include "trammel_model.h"

TRM_API_BEGIN

// -------------------------------------------------------------------------------------- rank

typedef enum trm_redundancy_kind {
    TRM_REDUNDANCY_STRUCTURAL,    ///< dependent in a neighbourhood too
    TRM_REDUNDANCY_SINGULAR_HERE, ///< dependent in this position only
    TRM_REDUNDANCY_CONTRADICTORY, ///< dependent, and no nearby position satisfies them
    TRM_REDUNDANCY_UNCLASSIFIED   ///< dependent here; a nearby position would take too long to find
} trm_redundancy_kind;

/// A row that follows from others, with those others.
typedef struct trm_redundancy {
    const int *rows; ///< [nrows] a dependent set, the superfluous row first
    int nrows;
    trm_redundancy_kind kind;
} trm_redundancy;

/// What can be said of a model in its initial state.
typedef struct trm_check {
    trm_sizes sizes;
    int rank;                       ///< of G, rows and columns scaled so that no unit matters
    int degrees_of_freedom;         ///< nv - nstate - rank
    int consistent;                 ///< nonzero: both residuals are within the tolerance
    double position, velocity;      ///< max |g_i| and max |(G v + g_t)_i|, m or rad (per s);
                                    ///< expressions over what they change by in 1 m, in the size
                                    ///< of a larger mechanism, or in 1 rad
    int position_row, velocity_row; ///< where; -1 without constraints
    int nredundant;
    const trm_redundancy *redundant; ///< [nredundant] = nc - rank
} trm_check;

/// With options->assemble the state after assembly is checked. `options` may be NULL.
/// Errors: OPTIONS, MEMORY, CALLBACK. *out goes to trm_check_destroy.
trm_status trm_check_create(const trm_model *model, const trm_options *options, trm_check **out,
                            trm_error *err);
void trm_check_destroy(trm_check *check);

// --------------------------------------------------------------------------------- diagnosis

/// Which position the diagnosis is about.
typedef enum trm_examined {
    TRM_EXAMINED_GIVEN,  ///< the initial state, which closes
    TRM_EXAMINED_CLOSED, ///< it does not; the nearest closed position
    TRM_EXAMINED_OPEN    ///< nothing closes; the initial state as it is
} trm_examined;

/// How far one joint is open when all others of a conflict fit.
typedef struct trm_gap {
    int row;          ///< the joint's first row
    double size;      ///< in the unit of `unit`
    const char *unit; ///< "m", "rad" or ""
} trm_gap;

/// Rows that no position satisfies together; without any one of their joints the others can be.
typedef struct trm_conflict {
    double t;        ///< s, the first time
    double t_gap;    ///< s, when the gaps are these
    const int *rows; ///< [nrows]
    int nrows;
    const trm_gap *gaps; ///< [ngaps] one for each joint
    int ngaps;
    int elsewhere; ///< nonzero: other positions satisfy them, but no motion leads there
} trm_conflict;

/// A freedom that moves one body between others and nothing else.
typedef struct trm_idle {
    int body;
    int slides;      ///< nonzero: along the line, else about it
    double point[3]; ///< m, world, on the line
    double axis[3];  ///< unit, world
} trm_idle;

/// What exchanging the kind of one joint would do.
typedef struct trm_relaxation {
    int joint;          ///< index in the scene
    const char *name;   ///< of the joint
    const char *kind;   ///< "spherical", ...; NULL: take the joint out
    int removed;        ///< redundant rows that vanish
    int redundant_left; ///< those that stay
    int degrees_of_freedom;
} trm_relaxation;

/// Given values of the initial state that cannot hold together with the joints.
typedef struct trm_given_conflict {
    int n;
    const int *index; ///< [n] positions: bodies; velocities: components of v
    const double
        *value; ///< [n] velocities: what they are given as, m/s or rad/s; NULL for positions
} trm_given_conflict;

/// A joint on a bar (a body drawn by its ends) that is neither at one of its ends nor well between
/// them on its line: it may be meant so. A hint, no error.
typedef struct trm_off_end {
    int joint;        ///< index in the scene
    const char *name; ///< of the joint
    int body;
    double beyond; ///< m along the bar, past its nearer end; negative: short of it; 0: at it, or in
                   ///< between
    double beside; ///< m from the bar's line
} trm_off_end;

typedef struct trm_diagnosis {
    trm_sizes sizes;
    int complete; ///< zero: too many rows for more than counting and rank

    trm_examined examined;
    const double *q;           ///< [nq] the position examined
    int consistent;            ///< both residuals are within the tolerance
    double position, velocity; ///< as in trm_check, of the given (or assembled) state
    int position_row, velocity_row;
    double acceleration;      ///< largest part of gamma that no acceleration satisfies, over
                              ///< the row's length
    int acceleration_row;     ///< -1: every row can be satisfied
    trm_given_conflict poses; ///< bodies whose given poses no closed position shares
    trm_given_conflict velocities;

    double misfit;  ///< what redundant rows miss each other by, over the size of the mechanism or
                    ///< in rad; 0: they repeat each other exactly
    int misfit_row; ///< where most; -1: nowhere

    int gruebler;             ///< nv - nstate - nc
    int rank;                 ///< of G in the position examined
    int rank_nearby;          ///< the highest in nearby closed positions
    int degrees_of_freedom;   ///< nv - nstate - rank, of velocity
    int freedoms_of_position; ///< more than these where constraints hold velocities alone, else the
                              ///< same; -1: not counted
    int mobility;             ///< freedoms along which the mechanism really moves; -1: not known,
                              ///< where more than 8 are at rank_nearby and not all of them real,
                              ///< or where one of them does not close
    int nidle;
    const trm_idle *idle;

    int nsets; ///< nc - rank minimal dependent sets, then one for each conflict; see nunsearched
    const trm_redundancy *sets;
    int nconflicts;
    const trm_conflict *conflicts;

    const int *unique; ///< [nc] nonzero: the multiplier is determined; zero: redundancy leaves it
                       ///< open, and the solver returns the one of least sum D_i lambda_i^2, D the
                       ///< largest diagonal of G M^-1 G^T met
    int nundetermined;

    int nrelaxations; ///< of one joint each, those that keep the freedoms first
    const trm_relaxation *relaxations;

    int nassemblies; ///< planar, one freedom: positions with the first body held; 0: not looked for
    const double *const *assemblies; ///< [nassemblies] q, the position examined first
    int held;                        ///< the body held; -1

    int noff_ends;
    const trm_off_end *off_ends;

    int nunsearched; ///< of the sets, the last ones before those of conflicts: minimal too, but not
                     ///< searched for the fewest joints, which would take too long
    int conflicts_unsearched; ///< nonzero: conflicts may have more joints than it takes, and gaps
                              ///< are not those of all: the search for the smallest would take too
                              ///< long
} trm_diagnosis;

/// `scene` is the one the model was built from, for suggestions; NULL: none. `end` (s): drives are
/// followed from 0 to there; 0: to 1 s. `options` (NULL: defaults) gives tolerance and whether to
/// assemble. Errors: OPTIONS, MEMORY, CALLBACK. *out goes to trm_diagnosis_destroy.
trm_status trm_diagnosis_create(const trm_scene *scene, const trm_model *model,
                                const trm_options *options, double end, trm_diagnosis **out,
                                trm_error *err);
void trm_diagnosis_destroy(trm_diagnosis *diagnosis);

/// unique[nc] := whether row i of lambda is determined at (t, q), as in trm_diagnosis. Errors:
/// OPTIONS (NULL, not finite, more than 1000 rows), MEMORY, CALLBACK.
trm_status trm_unique_multipliers(const trm_model *model, double t, const double *q, int *unique,
                                  trm_error *err);

TRM_API_END

#endif
