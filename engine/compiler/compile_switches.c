/// The formulas of a scene in one order, and the numbers of their switching functions.
#include "base/expression/switching.h"
#include "engine/compiler/compile.h"

static int of_markers(const trm_formula *formula)
{
    int all = 1;
    for (int i = 0; i < formula->nvariables; i++) {
        const trm_variable_kind kind = formula->variables[i].kind;
        all &= kind == TRM_VARIABLE_POSITION || kind == TRM_VARIABLE_VELOCITY;
    }
    return all;
}

trm_scene_formula trm_scene_formula_of(const trm_scene *scene, int i)
{
    enum { ROWS = TRM_CONSTRAINT_ROWS, VALUES = TRM_FORCE_VALUES };
    if (i < scene->njoints) {
        return (trm_scene_formula){&scene->joints[i].motor, scene->joints[i].name, .held = 1};
    }
    i -= scene->njoints;
    if (i < ROWS * scene->nconstraints) {
        const trm_scene_constraint *const def = &scene->constraints[i / ROWS];
        return (trm_scene_formula){&def->expression[i % ROWS], def->name, .held = 1,
                                   .composed = def->composed};
    }
    i -= ROWS * scene->nconstraints;
    if (i < scene->ncontacts) {
        return (trm_scene_formula){&scene->contacts[i].x, scene->contacts[i].name, .held = 1};
    }
    i -= scene->ncontacts;
    if (i < VALUES * scene->nforces) {
        const trm_scene_force *const def = &scene->forces[i / VALUES];
        return (trm_scene_formula){&def->value[i % VALUES], def->name,
                                   .composed = def->length && of_markers(&def->value[0])};
    }
    i -= VALUES * scene->nforces;
    if (i < scene->ncontacts) {
        const trm_scene_contact *const def = &scene->contacts[i];
        return (trm_scene_formula){.formula = trm_scene_scale(def), .name = def->name};
    }
    i -= scene->ncontacts;
    return i < scene->nevents
               ? (trm_scene_formula){&scene->events[i].when, scene->events[i].name, .event = 1 + i}
               : (trm_scene_formula){0};
}

static int switches_of(const trm_formula *formula)
{
    return formula->code ? trm_expression_switching_functions(formula->code) : 0;
}

int trm_switching_functions_before(const trm_scene *scene, const trm_formula *formula)
{
    int n = 0;
    if (formula && switches_of(formula) == 0) {
        return 0; // of many springs, none has some
    }
    const trm_formula *at;
    for (int i = 0; (at = trm_scene_formula_of(scene, i).formula) && at != formula; i++) {
        n += switches_of(at);
    }
    return n;
}
