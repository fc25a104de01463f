#include "base/linear/late.h"

#include <dlfcn.h>
#include <string.h>

int trm_late_load(const char *file, const char *const *names, void *table)
{
    void *const library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    for (int i = 0; library && names[i]; i++) {
        void *const function = dlsym(library, names[i]);
        if (!function) {
            return 0;
        }
        memcpy((char *)table + (size_t)i * sizeof function, &function, sizeof function);
    }
    return library != NULL;
}
