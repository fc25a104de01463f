#include "base/linear/late.h"
#include "integrators/bdf/sundials_compat.h"

#include <pthread.h>

#define NAME(name) #name,

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int there;
trm_sundials_functions trm_sundials;
#ifdef TRM_WITH_KLU
__typeof__(&SUNLinSol_KLU) trm_sundials_klu;
#endif

static void load(void)
{
    static const char *const names[] = {SUNDIALS_FUNCTIONS(NAME) NULL};
    there = trm_late_load(TRM_SUNDIALS_FILE, names, &trm_sundials);
#ifdef TRM_WITH_KLU
    static const char *const klu[] = {"SUNLinSol_KLU", NULL};
    there = there && trm_late_load(TRM_SUNDIALS_KLU_FILE, klu, &trm_sundials_klu);
#endif
}

int trm_sundials_load(void)
{
    pthread_once(&once, load);
    return there;
}
