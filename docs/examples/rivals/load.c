/// All rivals as one library:
///
///     cc -shared -fPIC *.c -o rivals.so -lm
///     trammel compare four_bar.json --load ./rivals.so --methods hem5,generalized-alpha,srm
#include "rivals.h"

int trammel_load(const trm_registry *registry);

int trammel_load(const trm_registry *registry)
{
    const trm_own_stabilization *const stabilizations[] = {&rival_projection_positions,
                                                           &rival_s_lower};
    const trm_own_integrator *const integrators[] = {
        &rival_abm4, &rival_hem5, &rival_augmented_lagrangian, &rival_generalized_alpha,
        &rival_generalized_alpha_ggl};
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        failed |= registry->stabilization(stabilizations[i], NULL, registry->err) != TRM_OK;
    }
    for (int i = 0; i < 5; i++) {
        failed |= registry->integrator(integrators[i], NULL, NULL, registry->err) != TRM_OK;
    }
    return failed;
}
