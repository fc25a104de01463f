/// The formulas of a scene in one order, and the numbers of their switching functions.
#include "base/expression/switching.h"
#include "engine/compiler/compile.h"

const trm_formula *trm_scene_formula(const trm_scene *scene, int i)
{
    if (i < scene->njoints) {
        return &scene->joints[i].motor;
    }
    i -= scene->njoints;
    if (i < TRM_CONSTRAINT_ROWS * scene->nconstraints) {
        return &scene->constraints[i / TRM_CONSTRAINT_ROWS].expression[i % TRM_CONSTRAINT_ROWS];
    }
    i -= TRM_CONSTRAINT_ROWS * scene->nconstraints;
    if (i < scene->ncontacts) {
        return &scene->contacts[i].x;
    }
    i -= scene->ncontacts;
    if (i < TRM_FORCE_VALUES * scene->nforces) {
        return &scene->forces[i / TRM_FORCE_VALUES].value[i % TRM_FORCE_VALUES];
    }
    i -= TRM_FORCE_VALUES * scene->nforces;
    if (i < scene->ncontacts) {
        return trm_scene_scale(&scene->contacts[i]);
    }
    i -= scene->ncontacts;
    return i < scene->nevents ? &scene->events[i].when : NULL;
}

static int switches_of(const trm_formula *formula)
{
    return formula->code ? trm_expression_switching_functions(formula->code) : 0;
}

int trm_switching_functions_before(const trm_scene *scene, const trm_formula *formula)
{
    int n = 0;
    const trm_formula *at;
    if (formula && switches_of(formula) == 0) {
        return 0; // of many springs, none has some
    }
    for (int i = 0; (at = trm_scene_formula(scene, i)) && at != formula; i++) {
        n += switches_of(at);
    }
    return n;
}
