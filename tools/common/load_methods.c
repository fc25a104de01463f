#include "tools/common/load_methods.h"

#include "trammel/trammel_error.h"
#include "trammel/trammel_register.h"

#include <dlfcn.h>
#include <string.h>

typedef int load_fn(const trm_registry *registry);

trm_status trm_load_methods(const char *path, trm_error *err)
{
    trm_error wrong = {.status = TRM_OK};
    const trm_registry registry = {.version = TRM_REGISTER_VERSION,
                                   .stabilization = trm_register_stabilization,
                                   .integrator = trm_register_integrator,
                                   .err = &wrong};
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        return TRM_FAIL(err, TRM_ERR_IO, "--load",
                        "%s; a name without a slash is looked for where "
                        "the system has its libraries: write ./FILE.so",
                        dlerror());
    }
    load_fn *load = NULL;
    void *const symbol = dlsym(library, "trammel_load");
    memcpy(&load, &symbol, sizeof load); // ISO C has no conversion from void * to a function
    if (load == NULL) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--load", "%s has no function trammel_load", path);
    }
    if (load(&registry) != 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--load", "the methods of %s are refused: %s", path,
                        wrong.message[0] ? wrong.message : "trammel_load failed");
    }
    return TRM_OK;
}
