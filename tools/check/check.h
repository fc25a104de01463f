/// What `trammel check` found, and the two ways to say it.
#pragma once

#include "tools/common/assembly.h"
#include "tools/common/options.h"
#include "trammel/trammel_check.h"
#include "trammel/trammel_contact.h"
#include "trammel/trammel_methods.h"

typedef struct trm_inspection {
    trm_arguments arguments;
    trm_scene *scene;
    trm_model *model;
    trm_options options;
    trm_diagnosis *found; ///< NULL when the scene could not be looked at
    trm_assembly assembly;
    trm_contact_state *contacts; ///< [ncontact] as a run begins; NULL: none, or not looked at
    trm_status status;
    trm_error error;
} trm_inspection;

void trm_inspection_text(const trm_inspection *in); ///< check_text.c
void trm_inspection_json(const trm_inspection *in); ///< check_json.c

/// The row of the residual that speaks against the start, or of the larger of the two; -1.
int trm_inspection_worst_row(const trm_inspection *in);
/// Line of a row's owner in the scene file, 0 without.
int trm_inspection_line(const trm_inspection *in, int row);
/// Returns nonzero if row i of a list is the first of its owner there.
int trm_inspection_first(const trm_inspection *in, const int *rows, int i);
/// "velocity x", "rate": what component i of v is called; *body its body.
const char *trm_inspection_component(const trm_inspection *in, int i, int *body);
