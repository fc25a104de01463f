/// All methods: every integrator with each of its stabilizations.
#include "integrators/registry.h"

#ifdef TRM_WITH_SUNDIALS
#include "integrators/bdf/ida.h"
#include "trammel/trammel_methods.h"
#endif

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const trm_method_ops *const integrators[] = {
    &trm_heun,    &trm_midpoint,      &trm_rk4, &trm_dopri5, &trm_dop853, &trm_hem3,
    &trm_srm,     &trm_srm_invariant, &trm_alf, &trm_moreau, &trm_adams,
#ifdef TRM_WITH_SUNDIALS
    &trm_ida_ggl, &trm_ida_index1,
#endif
};

/// The stabilizations of every integrator without a list of its own.
static const trm_stabilization_ops *const general[] = {
    &trm_plain,        &trm_baumgarte,   &trm_s_both2,    &trm_s_full,
    &trm_s_both,       &trm_s_vel,       &trm_s_pos,      &trm_s_implicit,
    &trm_s_continuous, &trm_state_space, &trm_projection, &trm_tree_coordinates,
};

enum {
    INTEGRATORS = sizeof integrators / sizeof *integrators,
    GENERAL = sizeof general / sizeof *general,
    MOST = INTEGRATORS * GENERAL, ///< pairs
    TEXT = 96                     ///< of a source, of a list of parameters
};

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

static void add_all(void)
{
    for (int s = 0; s < GENERAL; s++) {
        for (int i = 0; i < INTEGRATORS; i++) {
            if (!integrators[i]->partners) {
                add(integrators[i], general[s]);
            }
        }
    }
    for (int i = 0; i < INTEGRATORS; i++) {
        const trm_stabilization_ops *const *partner = integrators[i]->partners;
        for (; partner && *partner; partner++) {
            add(integrators[i], *partner);
        }
    }
}

/// The pairs, listed at the first request.
static void need_pairs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_all);
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
    for (int i = 0; i < INTEGRATORS; i++) {
        if (integrators[i]->takes_contacts && !integrators[i]->partners) {
            append(out, *out ? ", " : "", integrators[i]->name);
        }
    }
    const char *between = " do, with ";
    for (int s = 0; s < GENERAL; s++) {
        if (general[s]->takes_contacts) {
            append(out, between, general[s]->name);
            between = ", ";
        }
    }
    for (int i = 0; i < INTEGRATORS; i++) {
        if (integrators[i]->takes_contacts && integrators[i]->partners) {
            append(out, ", and ", integrators[i]->name);
        }
    }
}
