/// Limits and friction of joints, friction of screws, and stops: model->contacts.
#include "engine/compiler/compile.h"

#include <stdio.h>

/// The rows of a joint, its motor's left out, whose multipliers are a force. Returns how many;
/// *first is where they begin.
static int force_rows(const trm_scene_joint *joint, const trm_row_list *rows, int *first)
{
    const int end = rows->nlabels - (joint->motor.code != NULL);
    int n = 0;
    *first = end;
    for (int i = end - 1; i >= 0; i--) { // they stand together
        const int force = *rows->unit[i] == 'm';
        *first = force ? i : *first;
        n += force;
    }
    return n;
}

/// Whether a row is friction of a stop; with the coefficient 0 it is a coordinate that is reported.
static int slips_under_load(const trm_scene_contact *def)
{
    return def->normal > 0 && def->friction.coefficient > 0;
}

static void compile_contact(trm_model *model, const trm_draft *d, const trm_scene_contact *def,
                            trm_contact_row *out)
{
    trm_arena *arena = &model->arena;
    char name[160];
    int *bodies = trm_arena_ints(arena, 2 * def->x.nvariables);
    snprintf(name, sizeof name,
             def->normal > 1   ? "%s.friction2"
             : def->normal > 0 ? "%s.friction"
                               : "%s",
             def->name);
    *out = (trm_contact_row){
        .name = trm_arena_text(arena, name),
        .where = trm_where_compile(d->scene, def->place, arena),
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
    const trm_scene_friction *f = &def->friction;
    const int own = (int)(def - d->scene->contacts), slips = slips_under_load(def);
    out->friction.given = f->given && !(f->regularized > 0) && !(def->normal > 0 && !slips);
    out->normal = slips ? own - def->normal : -1;
    const int pair = slips && d->scene->dimension == 3;
    out->mate = !pair ? -1 : def->normal == 1 ? own + 1 : own - 1;
    out->coefficient = f->given ? f->coefficient * (def->joint >= 0 ? f->radius : 1) : 0;
    if (def->joint >= 0) {
        int first;
        out->rows = force_rows(&d->scene->joints[def->joint], &d->rows[def->joint], &first);
        out->row = d->blocks[def->joint].row + first;
    } else if (def->constraint >= 0) {
        out->row = d->blocks[d->scene->njoints + def->constraint].row;
        out->rows = d->blocks[d->scene->njoints + def->constraint].rows;
    }
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
    const int n = model->ncontacts = model->sizes.ncontact = draft->scene->ncontacts;
    model->contacts = trm_arena_take(&model->arena, (size_t)n, sizeof *model->contacts);
    model->poisson = draft->scene->impact;
    model->nloaded = model->npairs = 0;
    for (int i = 0; i < n; i++) {
        trm_contact_row counted;
        compile_contact(model, draft, &draft->scene->contacts[i],
                        model->contacts ? &model->contacts[i] : &counted);
        model->nloaded += draft->scene->contacts[i].friction.coefficient > 0;
        model->npairs +=
            draft->scene->contacts[i].normal == 2 && slips_under_load(&draft->scene->contacts[i]);
    }
}
