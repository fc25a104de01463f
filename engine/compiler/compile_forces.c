/// Forces, arrays by kind: scene -> model.
#include "engine/compiler/compile.h"

#include <string.h>

/// One element: its formulas are copied to the model, and returned;
/// its geometry comes from the draft.
static const trm_function *compile_element(trm_model *model, const trm_draft *draft,
                                           const trm_scene_force *def, const trm_force_kind *kind,
                                           void *element)
{
    trm_arena *arena = &model->arena;
    trm_function *value = trm_arena_take(arena, TRM_FORCE_VALUES, sizeof *value);
    trm_function counted;
    for (int i = 0; i < TRM_FORCE_VALUES; i++) {
        trm_function_compile(draft, &def->value[i], model, value ? &value[i] : &counted);
        model->time_forces |= value && trm_function_reads(&value[i], TRM_VARIABLE_TIME);
    }
    if (!value) {
        return NULL;
    }
    trm_force_site site = {.scene = draft->scene,
                           .alone = draft->alone,
                           .ground = draft->scene->nbodies,
                           .value = value,
                           .mass = model->bodies.mass};
    trm_joint_geometry geometry;
    if (def->joint >= 0) {
        site.joint_freedom = draft->scene->joints[def->joint].kind->freedom;
        trm_joint_site(&draft->frames[def->joint], &geometry, &site);
    }
    kind->compile(def, &site, element);
    return value;
}

static void compile_group(trm_model *model, const trm_draft *draft, const trm_force_kind *kind,
                          int n, trm_force_group *group)
{
    trm_arena *arena = &model->arena;
    char *elements = trm_arena_take(arena, (size_t)n, kind->size);
    const char **names = trm_arena_take(arena, (size_t)n, sizeof *names);
    const trm_function **values = trm_arena_take(arena, (size_t)n, sizeof *values);
    int next = 0;
    for (int i = 0; i < draft->scene->nforces; i++) {
        const trm_scene_force *def = &draft->scene->forces[i];
        if (def->kind == kind) {
            const char *name = trm_arena_text(arena, def->name);
            const trm_function *value = compile_element(
                model, draft, def, kind, elements ? elements + (size_t)next * kind->size : NULL);
            if (names && values) {
                names[next] = name;
                values[next] = value;
            }
            next++;
        }
    }
    if (group) {
        *group = (trm_force_group){
            .kind = kind, .n = n, .elements = elements, .names = names, .values = values};
    }
}

/// The weight of all bodies: one element that no line of the file names.
static void compile_gravity(trm_model *model, const trm_draft *draft, trm_force_group *group)
{
    const trm_force_kind *kind = trm_force_kinds[0];
    const char **names = trm_arena_take(&model->arena, 1, sizeof *names);
    void *element = trm_arena_take(&model->arena, 1, kind->size);
    const trm_force_site site = {
        .scene = draft->scene, .ground = draft->scene->nbodies, .mass = model->bodies.mass};
    if (group) {
        kind->compile(NULL, &site, element);
        names[0] = kind->name;
        *group = (trm_force_group){.kind = kind, .n = 1, .elements = element, .names = names};
    }
}

static void compile_user_forces(trm_model *model, const trm_scene *scene)
{
    trm_arena *arena = &model->arena;
    model->nuser_forces = scene->nuser_forces;
    model->user_forces =
        trm_arena_take(arena, (size_t)scene->nuser_forces, sizeof *model->user_forces);
    for (int i = 0; i < scene->nuser_forces; i++) {
        const trm_force_def *def = &scene->user_forces[i];
        const char *name = trm_arena_text(arena, def->name);
        double *times = trm_arena_doubles(arena, def->ntimes);
        if (model->user_forces) {
            model->user_forces[i] = *def;
            model->user_forces[i].name = name;
            model->user_forces[i].times = times;
            for (int k = 0; k < def->ntimes; k++) {
                times[k] = def->times[k];
            }
        }
    }
}

static int elements_of(const trm_scene *scene, const trm_force_kind *kind)
{
    int n = 0;
    for (int i = 0; i < scene->nforces; i++) {
        n += scene->forces[i].kind == kind;
    }
    return n;
}

/// Where every force is, group by group, which are there.
static void find_places(trm_model *model, const trm_scene *scene)
{
    for (int k = 0; k < model->ngroups; k++) {
        int element = 0;
        for (int i = 0; i < scene->nforces; i++) {
            if (scene->forces[i].kind == model->groups[k].kind) {
                model->force_at[i] = (trm_force_place){k, element++};
            }
        }
    }
}

/// Force i, which has an effort.
static trm_actuator actuator_of(const trm_model *model, const trm_draft *draft, int i)
{
    const int joint = draft->scene->forces[i].joint;
    const trm_force_place at = model->force_at[i];
    trm_joint_axis axis = {.freedom = TRM_FREEDOM_DISTANCE};
    if (!draft->scene->forces[i].kind->directions) {
        trm_compile_axis(draft, joint, &axis);
    }
    return (trm_actuator){.info = {.name = model->groups[at.group].names[at.element],
                                   .joint = joint,
                                   .unit = trm_turns(axis.freedom) ? "N m" : "N"},
                          .at = at};
}

/// A rope that does not stretch is a stop.
static int has_effort(const trm_scene_force *force)
{
    return force->kind->effort && !force->inextensible;
}

static void compile_places(trm_model *model, const trm_draft *draft)
{
    const trm_scene *scene = draft->scene;
    int n[2] = {0};
    for (int i = 0; i < scene->nforces; i++) {
        n[scene->forces[i].kind->passive] += has_effort(&scene->forces[i]);
    }
    model->nforces = scene->nforces;
    model->sizes.nactuator = n[0];
    model->neffort = n[0] + n[1];
    model->force_at =
        trm_arena_take(&model->arena, (size_t)model->nforces, sizeof *model->force_at);
    model->actuators =
        trm_arena_take(&model->arena, (size_t)model->neffort, sizeof *model->actuators);
    if (model->force_at) {
        find_places(model, scene);
    }
    int next[2] = {0, n[0]};
    for (int i = 0; model->actuators && i < scene->nforces; i++) {
        if (has_effort(&scene->forces[i])) {
            model->actuators[next[scene->forces[i].kind->passive]++] = actuator_of(model, draft, i);
        }
    }
}

/// Forces that are the same wherever the bodies are and however they move. (In space the gyroscopic
/// ones are not among them, and accelerations are not constant.)
static void compile_constant_forces(trm_model *model)
{
    const trm_bodies *bodies = &model->bodies;
    const trm_pose nowhere = {.nbody = bodies->n, .width = bodies->width};
    double *weights = trm_arena_doubles(&model->arena, trm_bodies_slots(bodies));
    double *f = trm_arena_doubles(&model->arena, bodies->nv);
    double *a = trm_arena_doubles(&model->arena, bodies->nv);
    int all = model->nuser_forces == 0;
    if (!model->arena.base) {
        return;
    }
    for (int k = 0; k < model->ngroups; k++) {
        const trm_force_group *group = &model->groups[k];
        all &= group->kind->constant;
        if (group->kind->constant) {
            group->kind->apply(group->elements, group->n, &nowhere, NULL, weights);
        }
    }
    model->weights = weights;
    if (all) {
        trm_bodies_scatter(bodies, weights, f);
        trm_bodies_scatter_solved(bodies, weights, a);
        model->constant_f = f;
        model->constant_a = bodies->dimension == 2 ? a : NULL;
    }
}

void trm_compile_forces(trm_model *model, const trm_draft *draft)
{
    const trm_scene *scene = draft->scene;
    const double *gravity = scene->gravity;
    const int weight = gravity[0] != 0 || gravity[1] != 0 || gravity[2] != 0;
    int ngroups = weight;
    for (int k = 1; trm_force_kinds[k]; k++) {
        ngroups += elements_of(scene, trm_force_kinds[k]) > 0;
    }
    model->groups = trm_arena_take(&model->arena, (size_t)ngroups, sizeof *model->groups);
    model->ngroups = ngroups;
    int next = 0;
    if (weight) {
        compile_gravity(model, draft, model->groups ? &model->groups[next] : NULL);
        next++;
    }
    for (int k = 1; trm_force_kinds[k]; k++) {
        const int n = elements_of(scene, trm_force_kinds[k]);
        if (n > 0) {
            compile_group(model, draft, trm_force_kinds[k], n,
                          model->groups ? &model->groups[next] : NULL);
            next++;
        }
    }
    compile_places(model, draft);
    compile_user_forces(model, scene);
    compile_constant_forces(model);
}
