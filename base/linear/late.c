#include "base/linear/late.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/// *function := the address of a function, or NULL.
static void find(void *library, const char *name, void *function)
{
    void *const found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
}

/// OpenBLAS starts a thread for each processor when it is loaded. They wait in loops: a run that
/// calls it once would take the CPU time of many. Its own functions end them.
static void end_threads(void *library)
{
    void (*set_threads)(int) = NULL;
    int (*shut_down)(void) = NULL;
    find(library, "openblas_set_num_threads", &set_threads);
    find(library, "blas_thread_shutdown_", &shut_down);
    if (set_threads && shut_down) {
        set_threads(1);
        shut_down();
    }
}

/// Whether the loader, which need not leave errno, gives want of memory as its reason.
static int lacks_memory(const char *reason)
{
    return !reason || strstr(reason, strerror(ENOMEM)) || strstr(reason, "out of memory");
}

int trm_late_load(const char *file, const char *const *names, void *table)
{
    void *const others = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_NOLOAD);
    errno = 0;
    void *const library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (!library && (errno == ENOMEM || lacks_memory(dlerror()))) {
        return TRM_LATE_NO_MEMORY;
    }
    if (others) { // its threads belong to whoever loaded it
        dlclose(others);
    } else if (library) {
        end_threads(library);
    }
    for (int i = 0; library && names[i]; i++) {
        void *function;
        find(library, names[i], &function);
        if (!function) {
            return lacks_memory(dlerror()) ? TRM_LATE_NO_MEMORY : 0;
        }
        memcpy((char *)table + (size_t)i * sizeof function, &function, sizeof function);
    }
    return library != NULL;
}
