/// All methods: every integrator with each of its stabilizations.
#include "integrators/registry.h"

#include "base/status.h"
#ifdef TRM_WITH_SUNDIALS
#include "integrators/bdf/ida.h"
#endif
#include "trammel/trammel_methods.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const trm_method_ops *const shipped_integrators[] = {
    &trm_heun,    &trm_midpoint,      &trm_rk4, &trm_dopri5, &trm_dop853, &trm_hem3,
    &trm_srm,     &trm_srm_invariant, &trm_alf, &trm_moreau, &trm_adams,
#ifdef TRM_WITH_SUNDIALS
    &trm_ida_ggl, &trm_ida_index1,
#endif
};

/// The stabilizations of every integrator without a list of its own.
static const trm_stabilization_ops *const shipped_general[] = {
    &trm_plain, &trm_baumgarte,  &trm_s_both2,      &trm_s_full,      &trm_s_both,     &trm_s_vel,
    &trm_s_pos, &trm_s_implicit, &trm_s_continuous, &trm_state_space, &trm_projection,
};

enum {
    INTEGRATORS = sizeof shipped_integrators / sizeof *shipped_integrators,
    GENERAL = sizeof shipped_general / sizeof *shipped_general,
    MOST_INTEGRATORS = INTEGRATORS + TRM_MOST_OWN,
    MOST_GENERAL = GENERAL + TRM_MOST_OWN,
    MOST = MOST_INTEGRATORS * MOST_GENERAL, ///< pairs
    TEXT = 96                               ///< of a source, of a list of parameters
};

// shipped, then registered
static const trm_method_ops *integrators[MOST_INTEGRATORS];
static const trm_stabilization_ops *general[MOST_GENERAL];
static int nintegrators, ngeneral;

static struct {
    int n;
    trm_method methods[MOST];
    trm_method_code codes[MOST];
    char sources[MOST][TEXT], parameters[MOST][TEXT];
} pairs;

/// "a", "b" or "a; b" with `between` between them.
static void join(char out[TEXT], const char *a, const char *between, const char *b)
{
    const int both = a && *a && b && *b;
    snprintf(out, TEXT, "%s%s%s", a ? a : "", both ? between : "", b ? b : "");
}

static void add(const trm_method_ops *ops, const trm_stabilization_ops *stabilization)
{
    const int i = pairs.n++;
    join(pairs.sources[i], ops->source, "; ", stabilization->source);
    join(pairs.parameters[i], stabilization->parameters, " ", ops->parameters);
    pairs.methods[i] = (trm_method){
        .integrator = ops->integrator,
        .stabilization = stabilization->id,
        .integrator_name = ops->name,
        .stabilization_name = stabilization->name,
        .integrator_doc = ops->doc,
        .stabilization_doc = stabilization->doc,
        .source = pairs.sources[i],
        .order = ops->order,
        .adaptive = ops->adaptive,
        .parameters = pairs.parameters[i],
    };
    const int steps_alone = !stabilization->rates;
    pairs.codes[i] = (trm_method_code){&pairs.methods[i], ops, steps_alone ? NULL : stabilization};
}

/// With all integrators so far that take every stabilization.
static void add_stabilization(const trm_stabilization_ops *ops)
{
    general[ngeneral++] = ops;
    for (int i = 0; i < nintegrators; i++) {
        if (!integrators[i]->partners) {
            add(integrators[i], ops);
        }
    }
}

/// With its own stabilizations.
static void add_partners(const trm_method_ops *ops)
{
    const trm_stabilization_ops *const *partner = ops->partners;
    for (; partner && *partner; partner++) {
        add(ops, *partner);
    }
}

static void add_all(void)
{
    for (; nintegrators < INTEGRATORS; nintegrators++) {
        integrators[nintegrators] = shipped_integrators[nintegrators];
    }
    for (int s = 0; s < GENERAL; s++) {
        add_stabilization(shipped_general[s]);
    }
    for (int i = 0; i < INTEGRATORS; i++) {
        add_partners(integrators[i]);
    }
}

/// The pairs, listed at the first request.
static void need_pairs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_all);
}

/// Errors: OPTIONS (a pair has this name).
static trm_status check_name(const char *name, trm_error *err)
{
    for (int i = 0; i < pairs.n; i++) {
        if (strcmp(pairs.methods[i].integrator_name, name) == 0 ||
            strcmp(pairs.methods[i].stabilization_name, name) == 0) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "name", "a method is called \"%.40s\" already",
                            name);
        }
    }
    return TRM_OK;
}

trm_status trm_registry_add_stabilization(const trm_stabilization_ops *ops, trm_error *err)
{
    need_pairs();
    TRM_TRY(check_name(ops->name, err));
    add_stabilization(ops);
    return TRM_OK;
}

trm_status trm_registry_add_integrator(const trm_method_ops *ops, trm_error *err)
{
    need_pairs();
    TRM_TRY(check_name(ops->name, err));
    if (ops->partners) {
        TRM_TRY(check_name((*ops->partners)->name, err));
    }
    integrators[nintegrators++] = ops;
    add_partners(ops);
    for (int s = 0; s < ngeneral && !ops->partners; s++) {
        add(ops, general[s]);
    }
    return TRM_OK;
}

int trm_methods(const trm_method **out)
{
    need_pairs();
    if (out) {
        *out = pairs.methods;
    }
    return pairs.n;
}

trm_method_code trm_method_find(trm_integrator integrator, trm_stabilization stabilization)
{
    need_pairs();
    for (int i = 0; i < pairs.n; i++) {
        const trm_method *method = &pairs.methods[i];
        if (method->integrator == integrator && method->stabilization == stabilization) {
            return pairs.codes[i];
        }
    }
    return (trm_method_code){0};
}

int trm_method_takes_contacts(const trm_method *method)
{
    const trm_method_code code = trm_method_find(method->integrator, method->stabilization);
    return code.stabilization && code.ops->takes_contacts && code.stabilization->takes_contacts;
}

/// Append a name to a list.
static void append(char out[TRM_METHOD_NAMES], const char *between, const char *name)
{
    const size_t used = strlen(out);
    snprintf(out + used, TRM_METHOD_NAMES - used, "%s%s", between, name);
}

void trm_methods_with_contacts(char out[TRM_METHOD_NAMES])
{
    *out = '\0';
    need_pairs();
    for (int i = 0; i < nintegrators; i++) {
        if (integrators[i]->takes_contacts && !integrators[i]->partners) {
            append(out, *out ? ", " : "", integrators[i]->name);
        }
    }
    const char *between = " do, with ";
    for (int s = 0; s < ngeneral; s++) {
        if (general[s]->takes_contacts) {
            append(out, between, general[s]->name);
            between = ", ";
        }
    }
    for (int i = 0; i < nintegrators; i++) {
        if (integrators[i]->takes_contacts && integrators[i]->partners) {
            append(out, ", and ", integrators[i]->name);
        }
    }
}
