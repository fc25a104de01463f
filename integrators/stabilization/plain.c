/// The index-1 form as it is [ACPR95 (1.5)-(1.6)]:
///
///     M a + G^T lambda = f,    G a = gamma.
///
/// g and G v + g_t are invariants that nothing protects: errors of the steps let g grow like t^2.
#include "integrators/trajectory/stabilization.h"
#include "trammel/trammel_methods.h"

const trm_stabilization_ops trm_plain = {
    .id = TRM_STABILIZATION_PLAIN,
    .name = "plain",
    .doc = "index 1, nothing corrected: drift grows like t^2",
    .source = "ACPR95 (1.5)-(1.6)",
    .parameters = "",
    .takes_contacts = 1,
    .rates = trm_index1_rates,
};
