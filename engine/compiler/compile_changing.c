/// The formulas of a scene with t, switching functions or functions of the state in them:
/// model->switching_formulas.
#include "engine/compiler/compile.h"

/// Formulas of motors, constraints and contacts, which come first.
static int held_formulas(const trm_scene *scene)
{
    return scene->njoints + TRM_CONSTRAINT_ROWS * scene->nconstraints + scene->ncontacts;
}

/// Which event has formula i; -1: none.
static int event_of(const trm_scene *scene, int i)
{
    const int first = held_formulas(scene) + TRM_FORCE_VALUES * scene->nforces + scene->ncontacts;
    return i < first ? -1 : i - first;
}

static const char *name_of(const trm_scene *scene, int i)
{
    const int event = event_of(scene, i);
    if (event >= 0) {
        return scene->events[event].name;
    }
    if (i < scene->njoints) {
        return scene->joints[i].name;
    }
    i -= scene->njoints;
    const int rows = TRM_CONSTRAINT_ROWS * scene->nconstraints;
    if (i < rows) {
        return scene->constraints[i / TRM_CONSTRAINT_ROWS].name;
    }
    i -= rows;
    if (i < scene->ncontacts) {
        return scene->contacts[i].name;
    }
    i -= scene->ncontacts;
    return i < TRM_FORCE_VALUES * scene->nforces
               ? scene->forces[i / TRM_FORCE_VALUES].name
               : scene->contacts[i - TRM_FORCE_VALUES * scene->nforces].name;
}

/// Whether formula i is composed by the kind of its constraint, as those of rolling, or is the
/// tension of a rope. They are not searched, and trm_input_coverage says so. The tension is k L + c
/// L', of lengths L, k and c not negative: along a straight line L is convex and L' rises, so that
/// what a point makes of it that passes near another one changes all that comes after, and stages
/// see it. Where points stay together, the length between them is rounding, which has peaks in
/// every step: a search ends steps on them without end. Equations of kinds are fulfilled along the
/// motion, and are long: in rolling, searches took hundreds of times the run, and ran out.
static int is_composed(const trm_scene *scene, int i)
{
    const int row = i - scene->njoints, rows = TRM_CONSTRAINT_ROWS * scene->nconstraints;
    const int force = row - rows - scene->ncontacts;
    if (row >= 0 && row < rows) {
        return scene->constraints[row / TRM_CONSTRAINT_ROWS].composed;
    }
    return force >= 0 && force < TRM_FORCE_VALUES * scene->nforces &&
           scene->forces[force / TRM_FORCE_VALUES].length;
}

/// Whether a formula may peak along the motion, and is not searched: trm_input_coverage tells.
static int is_unsearched(const trm_formula *formula, int composed)
{
    return composed && formula->code && trm_time_formula_bends(formula->code);
}

static int is_switching(const trm_formula *formula, int composed)
{
    int timed = 0;
    for (int k = 0; k < formula->nvariables; k++) {
        timed |= formula->variables[k].kind == TRM_VARIABLE_TIME;
    }
    return formula->code && (timed || trm_expression_switching_functions(formula->code) > 0 ||
                             (!composed && trm_time_formula_bends(formula->code)));
}

/// What the parts of the time need: sources of the variables and roles of the instructions.
static void compile_time_formula(const trm_formula *formula, trm_arena *arena,
                                 trm_switching_formula *out)
{
    const int n = formula->nvariables;
    int *source = trm_arena_ints(arena, n);
    unsigned char *role = trm_arena_take(arena, (size_t)trm_time_formula_length(formula->code), 1);
    for (int i = 0; source && i < n; i++) {
        const trm_variable *x = &formula->variables[i];
        source[i] = x->kind == TRM_VARIABLE_TIME    ? TRM_SOURCE_TIME
                    : x->kind == TRM_VARIABLE_INPUT ? x->index
                                                    : TRM_SOURCE_STATE;
    }
    if (role) {
        out->signals = trm_time_formula_roles(out->f.code, source, role);
        out->time = (trm_time_formula){.code = out->f.code, .source = source, .role = role};
        out->peaking = trm_time_formula_peaking(out->f.code, role, &out->time.last);
    }
}

void trm_compile_switching(trm_model *model, const trm_draft *draft)
{
    const trm_scene *scene = draft->scene;
    trm_arena *arena = &model->arena;
    const trm_formula *formula;
    int n = 0;
    model->nunsearched = 0;
    for (int i = 0; (formula = trm_scene_formula(scene, i)); i++) {
        n += is_switching(formula, is_composed(scene, i));
        model->nunsearched += is_unsearched(formula, is_composed(scene, i));
    }
    model->nswitching_formulas = n;
    model->nswitching_functions = trm_switching_functions_before(scene, NULL);
    model->switching_formulas = trm_arena_take(arena, (size_t)n, sizeof *model->switching_formulas);
    trm_switching_formula counted = {0}, *watch = model->switching_formulas;
    for (int i = 0; (formula = trm_scene_formula(scene, i)); i++) {
        if (!is_switching(formula, is_composed(scene, i))) {
            continue;
        }
        trm_switching_formula *const out = watch ? watch++ : &counted;
        trm_function_compile(draft, formula, arena, &out->f);
        const int scratch = model->switching_formulas ? trm_function_scratch(&out->f) : 0;
        model->scratch = scratch > model->scratch ? scratch : model->scratch;
        compile_time_formula(formula, arena, out);
        out->name = trm_arena_text(arena, name_of(scene, i));
        out->where = out->f.where;
        out->event = event_of(scene, i);
        out->reads = trm_function_reads(&out->f, TRM_VARIABLE_READING);
        model->observed |= out->reads;
        out->signals = out->event >= 0 ? 0 : out->signals; // nothing moves by its value
        out->peaking = out->event >= 0 || is_composed(scene, i) ? 0 : out->peaking;
        out->driven = i < held_formulas(scene);
    }
}

/// Names, places and settings.
void trm_compile_events(trm_model *model, const trm_draft *draft)
{
    const trm_scene *scene = draft->scene;
    trm_arena *arena = &model->arena;
    const int n = model->sizes.nevent = scene->nevents;
    model->nsettings = 0;
    for (int i = 0; i < n; i++) {
        model->nsettings += scene->events[i].nsettings;
    }
    model->event_info = trm_arena_take(arena, (size_t)n, sizeof *model->event_info);
    model->settings = trm_arena_take(arena, (size_t)model->nsettings, sizeof *model->settings);
    trm_event_setting *setting = model->settings;
    for (int i = 0; i < n; i++) {
        const trm_scene_event *event = &scene->events[i];
        const trm_event_info info = {.name = trm_arena_text(arena, event->name),
                                     .when = trm_arena_text(arena, event->when.text),
                                     .where = trm_where_compile(scene, event->place, arena),
                                     .stops = event->stop,
                                     .every = event->every};
        if (model->event_info) {
            model->event_info[i] = info;
        }
        for (int k = 0; k < event->nsettings; k++) {
            const trm_setting *s = &event->settings[k];
            const char *const name = trm_arena_text(arena, s->name);
            trm_function value = {0};
            trm_function_compile(draft, &s->value, arena, &value);
            model->observed |= trm_function_reads(&value, TRM_VARIABLE_READING);
            if (setting) {
                const int scratch = trm_function_scratch(&value);
                model->scratch = scratch > model->scratch ? scratch : model->scratch;
                *setting++ =
                    (trm_event_setting){.event = i,
                                        .input = s->input,
                                        .state = s->state,
                                        .name = name,
                                        .scale = s->state >= 0 ? scene->states[s->state].scale : 1,
                                        .value = value};
            }
        }
    }
}
