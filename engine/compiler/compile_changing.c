/// The formulas of a scene with t, switching functions or functions of the state in them:
/// model->switching_formulas.
#include "engine/compiler/compile.h"

/// Whether a formula may peak along the motion, and is not searched: trm_input_coverage tells.
static int is_unsearched(const trm_scene_formula *of)
{
    return of->composed && of->formula->code && trm_time_formula_bends(of->formula->code);
}

static int is_switching(const trm_scene_formula *of)
{
    const trm_formula *const formula = of->formula;
    int timed = 0;
    for (int k = 0; k < formula->nvariables; k++) {
        timed |= formula->variables[k].kind == TRM_VARIABLE_TIME;
    }
    return formula->code && (timed || trm_expression_switching_functions(formula->code) > 0 ||
                             (!of->composed && trm_time_formula_bends(formula->code)));
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
    trm_scene_formula of;
    int n = 0;
    model->nunsearched = 0;
    for (int i = 0; (of = trm_scene_formula_of(scene, i)).formula; i++) {
        n += is_switching(&of);
        model->nunsearched += is_unsearched(&of);
    }
    model->nswitching_formulas = n;
    model->nswitching_functions = trm_switching_functions_before(scene, NULL);
    model->switching_formulas = trm_arena_take(arena, (size_t)n, sizeof *model->switching_formulas);
    trm_switching_formula counted = {0}, *watch = model->switching_formulas;
    for (int i = 0; (of = trm_scene_formula_of(scene, i)).formula; i++) {
        if (!is_switching(&of)) {
            continue;
        }
        trm_switching_formula *const out = watch ? watch++ : &counted;
        trm_function_compile(draft, of.formula, model, &out->f);
        compile_time_formula(of.formula, arena, out);
        out->name = trm_arena_text(arena, of.name);
        out->where = out->f.where;
        out->event = of.event - 1;
        out->reads = trm_function_reads(&out->f, TRM_VARIABLE_READING);
        model->observed |= out->reads;
        out->signals = out->event >= 0 ? 0 : out->signals; // nothing moves by its value
        out->peaking = out->event >= 0 || of.composed ? 0 : out->peaking;
        out->driven = of.held;
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
            trm_function_compile(draft, &s->value, model, &value);
            model->observed |= trm_function_reads(&value, TRM_VARIABLE_READING);
            if (setting) {
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
