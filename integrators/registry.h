/// Which integrators and stabilizations go together.
#pragma once

#include "integrators/trajectory/stabilization.h"
#include "trammel/trammel_methods.h"

/// The code behind a pair; ops is NULL when the two do not mix.
typedef struct trm_method_code {
    const trm_method *method;
    const trm_method_ops *ops;
    const trm_stabilization_ops *stabilization; ///< NULL: the integrator is the stabilization
} trm_method_code;

/// One more, with all that it goes with. Errors: OPTIONS (its name is taken).
trm_status trm_registry_add_stabilization(const trm_stabilization_ops *ops, trm_error *err);
trm_status trm_registry_add_integrator(const trm_method_ops *ops, trm_error *err);
enum { TRM_MOST_OWN = 8 }; ///< of each kind

trm_method_code trm_method_find(trm_integrator integrator, trm_stabilization stabilization);

/// Whether a model with limits, friction or stops can be run.
int trm_method_takes_contacts(const trm_method *method);
enum { TRM_METHOD_NAMES = 160 };
/// Those that take contacts: "rk4, dopri5 do, with plain, s-both2, and moreau".
void trm_methods_with_contacts(char out[TRM_METHOD_NAMES]);

/// Errors: OPTIONS, with a sentence about the wrong value and its range.
trm_status trm_options_check(const trm_options *options, trm_error *err);

/// Where joints are inverted one by one no rank shows which rows repeat others: a sentence about
/// it; NULL: they may miss each other.
const char *trm_options_refuse_misfit(const trm_options *options);

/// A over the tolerance of a step.
int trm_method_steps(trm_integrator integrator);

/// The finest tolerance that steps of this model resolve in double precision.
double trm_choice_finest(const trm_model *model, trm_integrator integrator);
