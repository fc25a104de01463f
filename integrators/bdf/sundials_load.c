#include "integrators/bdf/sundials_compat.h"

TRM_LATE(, trm_sundials, TRM_SUNDIALS_FILE, SUNDIALS_FUNCTIONS)
#ifdef TRM_WITH_KLU
TRM_LATE(, trm_sundials_klu, TRM_SUNDIALS_KLU_FILE, SUNDIALS_KLU)
#endif
