/// trammel run --watch: the mechanism in characters, in the terminal, while it runs.
#pragma once

#include "trammel/trammel_scene.h"

typedef struct trm_terminal_view trm_terminal_view;

/// In a terminal the run is held back to real time, or so that it takes ten seconds when it is
/// shorter than two or longer than twenty; else some frames are printed one below the other.
/// Errors: OPTIONS (a scene in space), MEMORY.
trm_status trm_terminal_view_create(const trm_scene *scene, const trm_model *model, double end,
                                    trm_terminal_view **out, trm_error *err);
void trm_terminal_view_destroy(trm_terminal_view *watch);

/// After an accepted step: the frames that are due by now. Errors: those of trm_sim_sample.
trm_status trm_terminal_view_show(trm_terminal_view *watch, trm_sim *sim, trm_error *err);
