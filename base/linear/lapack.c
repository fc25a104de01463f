#include "base/linear/lapack.h"
#include "base/linear/late.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static trm_lapack routines;
static int there;

static void load(void)
{
    // in the order of trm_lapack
    static const char *const names[] = {"dgetrf_", "dgeev_", "dsyev_", "dgelss_", NULL};
    _Static_assert(sizeof names / sizeof *names == sizeof routines / sizeof routines.dgetrf + 1,
                   "a name for each routine");
    there = trm_late_load(TRM_LAPACK_FILE, names, &routines);
}

const trm_lapack *trm_lapack_open(void)
{
    pthread_once(&once, load);
    return there > 0 ? &routines : NULL;
}

int trm_lapack_lacks_memory(void)
{
    return !trm_lapack_open() && there == TRM_LATE_NO_MEMORY;
}
