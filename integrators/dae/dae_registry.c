#include "integrators/dae/dae_form.h"

#include <stddef.h>

static const trm_dae_form *const forms[] = {
    [TRM_DAE_METHOD_SRM] = &trm_dae_srm,
    [TRM_DAE_METHOD_SRM_SINGULAR] = &trm_dae_srm_singular,
    [TRM_DAE_METHOD_PENALTY] = &trm_dae_penalty,
    [TRM_DAE_METHOD_BAUMGARTE] = &trm_dae_baumgarte,
    [TRM_DAE_METHOD_PARK_CHIOU] = &trm_dae_park_chiou,
    [TRM_DAE_METHOD_PSEUDO_COMPRESSIBILITY] = &trm_dae_pseudo,
    [TRM_DAE_METHOD_SRM_INDEX3] = &trm_dae_srm_index3,
};

static const char initial[] = "heun forward-euler backward-euler imex-euler imex";

static const trm_dae_method_info methods[] = {
    {TRM_DAE_METHOD_SRM, "srm", initial, "AL95 (2.4)-(2.5), AL93 (3.3)-(3.4), (3.15)",
     "epsilon iterations E alpha1 alpha2 start y0"},
    {TRM_DAE_METHOD_SRM_SINGULAR, "srm-singular", initial, "AL95 (3.2), AL93 (3.8), (3.16)",
     "epsilon iterations alpha1 alpha2 start y0"},
    {TRM_DAE_METHOD_PENALTY, "penalty", initial, "AL95 (2.12)", "epsilon E alpha2 start y0"},
    {TRM_DAE_METHOD_BAUMGARTE, "baumgarte", initial, "AL95 (2.13)", "alpha2"},
    {TRM_DAE_METHOD_PARK_CHIOU, "park-chiou", initial, "AL93 (3.7)", "epsilon start y0"},
    {TRM_DAE_METHOD_PSEUDO_COMPRESSIBILITY, "pseudo-compressibility", initial, "Chorin (1967)",
     "epsilon alpha2 start y0"},
    {TRM_DAE_METHOD_SRM_INDEX3, "srm-index-3", "heun forward-euler backward-euler",
     "AL95 (4.14)-(4.16)", "epsilon iterations E start y0"},
};
enum { METHODS = sizeof methods / sizeof *methods };

int trm_dae_methods(const trm_dae_method_info **out)
{
    if (out) {
        *out = methods;
    }
    return METHODS;
}

const trm_dae_form *trm_dae_form_of(trm_dae_method method)
{
    const int number = (int)method;
    return number >= 0 && number < METHODS ? forms[number] : NULL;
}
