/// Which integrator, which stabilization, which step or tolerances: what the command line says,
/// completed by what the engine recommends.
#pragma once

#include "tools/common/options.h"
#include "trammel/trammel_methods.h"

typedef struct trm_choice {
    const trm_method *method;
    trm_options options;
    char reason[256]; ///< one sentence
} trm_choice;

/// `accuracy` <= 0: the scene does not ask for one. Errors:
/// OPTIONS, and those of trm_choose_options.
trm_status trm_choose_method(const trm_arguments *arguments, const trm_model *model,
                             double accuracy, trm_choice *out, trm_error *err);

/// Methods' parameters that the arguments give, and no others.
void trm_set_parameters(const trm_arguments *arguments, trm_options *options);

/// Returns nonzero if the method reads the parameter that the option --NAME sets.
int trm_method_reads(const trm_method *method, const char *name);

const char *trm_srm_matrix_name(trm_srm_matrix E);
