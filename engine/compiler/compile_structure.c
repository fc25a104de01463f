/// Which bodies meet in a row or a force: scene -> model->structure.
#include "engine/compiler/compile.h"

/// A tie under way: its members go to `members` while that is not NULL.
typedef struct weaving {
    int *members;
    int next;  ///< place of the next member
    int nties; ///< so far
    int nbodies;
    int ncells; ///< the bodies, then the states
    trm_tie *ties;
} weaving;

static void begin(weaving *w, int row, int rows)
{
    if (w->ties) {
        w->ties[w->nties] = (trm_tie){.row = row, .rows = rows, .first = w->next};
    }
}

/// The ground, which moves by no unknown, is left out; a cell may be added twice.
static void add(weaving *w, int body)
{
    if (body < 0 || body >= w->ncells) {
        return;
    }
    if (w->members) {
        w->members[w->next] = body;
    }
    w->next++;
}

static void end(weaving *w)
{
    if (w->ties) {
        w->ties[w->nties].n = w->next - w->ties[w->nties].first;
    }
    w->nties++;
}

static void add_formula(weaving *w, const trm_scene *scene, const trm_formula *formula)
{
    for (int i = 0; i < formula->nvariables; i++) {
        if (formula->variables[i].kind == TRM_VARIABLE_STATE) {
            add(w, w->nbodies + formula->variables[i].index);
        }
        int of[2];
        const int n = trm_bodies_of_variable(scene, &formula->variables[i], of);
        for (int k = 0; k < n; k++) {
            add(w, of[k]);
        }
    }
}

static void weave_force(weaving *w, const trm_scene *scene, const trm_scene_force *force)
{
    begin(w, 0, 0);
    for (int i = 0; i < 2; i++) {
        add(w, force->body[i]);
        if (force->marker[i] >= 0) {
            add(w, scene->markers[force->marker[i]].body);
        }
        if (force->joint >= 0) {
            add(w, scene->joints[force->joint].body[i]);
        }
    }
    if (force->kind == &trm_force_state) {
        add(w, w->nbodies + (int)(force - scene->forces) - scene->first_state);
    }
    for (int i = 0; i < TRM_FORCE_VALUES; i++) {
        add_formula(w, scene, &force->value[i]);
    }
    end(w);
}

/// What a user's force depends on is not known: it may be everything.
static void weave_user_forces(weaving *w, const trm_scene *scene)
{
    if (scene->nuser_forces > 0) {
        begin(w, 0, 0);
        for (int b = 0; b < w->ncells; b++) {
            add(w, b);
        }
        end(w);
    }
}

static void weave(weaving *w, const trm_draft *draft)
{
    w->next = w->nties = 0;
    for (int i = 0; i < draft->nblocks; i++) {
        const trm_block *block = &draft->blocks[i];
        begin(w, block->row, block->rows);
        for (int k = 0; k < block->nbodies; k++) {
            const int body = draft->block_bodies[block->body + k];
            add(w, body < w->nbodies ? body : TRM_INDEX_GROUND);
        }
        end(w);
    }
    for (int i = 0; i < draft->scene->nforces; i++) {
        weave_force(w, draft->scene, &draft->scene->forces[i]);
    }
    weave_user_forces(w, draft->scene);
}

void trm_compile_structure(trm_model *model, const trm_draft *draft)
{
    const int nbodies = draft->scene->nbodies;
    const int ncells = nbodies + draft->scene->nstates;
    weaving w = {.nbodies = nbodies, .ncells = ncells};
    weave(&w, draft);
    trm_structure *out = &model->structure;
    *out = (trm_structure){.ncells = ncells, .nties = w.nties};
    int *q0 = trm_arena_ints(&model->arena, ncells + 1);
    int *v0 = trm_arena_ints(&model->arena, ncells + 1);
    w.ties = trm_arena_take(&model->arena, (size_t)w.nties, sizeof *w.ties);
    w.members = trm_arena_ints(&model->arena, w.next);
    if (!q0) {
        return;
    }
    weave(&w, draft);
    for (int b = 0; b < nbodies; b++) {
        q0[b + 1] = q0[b] + model->body_info[b].nq;
        v0[b + 1] = v0[b] + model->body_info[b].nv;
    }
    for (int k = nbodies; k < ncells; k++) {
        q0[k + 1] = q0[k];
        v0[k + 1] = v0[k] + 1;
    }
    out->q0 = q0;
    out->v0 = v0;
    out->ties = w.ties;
    out->members = w.members;
}
