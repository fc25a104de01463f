/// Limits and friction of joints, and stops: model->contacts.
#include "engine/compile/compile.h"

static void compile_contact(trm_model *model, const trm_draft *d, const trm_scene_contact *def,
                            trm_contact_row *out)
{
    trm_arena *arena = &model->arena;
    char where[160] = "";
    int *bodies = trm_arena_ints(arena, 2 * def->x.nvariables);
    if (def->place.line > 0) {
        trm_scene_where(d->scene, def->place, where, sizeof where);
    }
    *out = (trm_contact_row){
        .name = trm_text_compile(def->name, arena),
        .where = trm_text_compile(where, arena),
        .unit = def->joint >= 0 && d->scene->joints[def->joint].kind->freedom == TRM_FREEDOM_ANGLE
                    ? "rad"
                    : "m",
        .bodies = bodies,
        .lo = def->limits[0],
        .hi = def->limits[1],
        .restitution = def->restitution,
        .stiffness = def->stiffness,
        .damping = def->damping,
        .exponent = def->exponent,
        .friction = def->friction,
    };
    trm_function_compile(d, &def->x, arena, &out->x);
    if (out->x.code) {
        const int scratch = trm_function_scratch(&out->x);
        model->scratch = scratch > model->scratch ? scratch : model->scratch;
    }
    if (bodies) {
        out->nbodies = trm_bodies_of_formula(d->scene, &def->x, bodies);
    }
}

void trm_compile_contacts(trm_model *model, const trm_draft *draft)
{
    const int n = model->ncontacts = draft->scene->ncontacts;
    model->contacts = trm_arena_take(&model->arena, (size_t)n, sizeof *model->contacts);
    for (int i = 0; i < n; i++) {
        trm_contact_row counted;
        compile_contact(model, draft, &draft->scene->contacts[i],
                        model->contacts ? &model->contacts[i] : &counted);
    }
}
