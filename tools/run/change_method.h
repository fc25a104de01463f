/// The default method gives way to ida where a run is stiff, and takes over again where that does not pay.
///
/// Pace is simulated time per evaluation of the forces: an explicit pair at its stability limit keeps the pace that it
/// has; ida is tried for some steps and stays as long as it is faster.
#ifndef TRM_TOOLS_CHANGE_METHOD_H
#define TRM_TOOLS_CHANGE_METHOD_H

#include "engine/trammel.h"

typedef struct trm_change_method {
    int may;               ///< nonzero: the method was the engine's choice, and ida is there
    trm_options of_choice; ///< the explicit pair
    trm_options implicit;  ///< ida
    int found, turns;      ///< whether the run was stiff; how often the method changed
    int in_ida, wanted;    ///< which it is now; nonzero: it is to change
    double t_found;        ///< s: when first
    trm_stiff stiff;       ///< as it was then
    double pace;           ///< s per evaluation of the explicit pair
    double t_mark, t_retry, t_entered;
    long step_mark, evals_mark, step_entered, probe, ida_steps;
} trm_change_method;

/// `chosen`: nonzero when the method was the engine's choice.
void trm_change_method_start(trm_change_method *change, const trm_model *model,
                             const trm_options *options, int chosen);
/// After an accepted step; then ->wanted says whether trm_change_method_do is to be called.
void trm_change_method_look(trm_change_method *change, trm_sim *sim);
/// *sim becomes the same run by the other method. It stays where that one refuses. Errors: MEMORY.
trm_status trm_change_method_do(trm_change_method *change, trm_sim **sim, trm_error *err);

/// Of its coefficient: "N s/m".
const char *trm_stiff_unit(const trm_stiff *stiff);

#endif
