/// Whether a model is an open planar tree of pins, and in which
/// order its bodies hang on each other.
#include "base/loops.h"
#include "base/status.h"
#include "engine/compiler/compile.h"

#include <string.h>

typedef struct nursery {
    const trm_model *model;
    const trm_draft *d;
    trm_tree *tree;
    trm_link *link; ///< [bodies] as they are found, outwards, and so are `parent`
    int *number;    ///< [bodies] among them, -1: none yet
    int *next;      ///< [bodies] the use to follow next, see draft.uses
} nursery;

/// Reasons against a tree that need no search.
static void refuse_others(trm_tree *tree, const trm_model *model, const trm_draft *d)
{
    if (d->scene->dimension == 3) {
        tree->refusal = TRM_NO_TREE_SPATIAL;
        return;
    }
    if (d->scene->nstates > 0) {
        tree->refusal = TRM_NO_TREE_STATE;
        return;
    }
    if (d->scene->ncontacts > 0) {
        tree->refusal = TRM_NO_TREE_CONTACT;
        return;
    }
    for (int b = 0; b < model->bodies.n && model->bodies.points > 0; b++) {
        if (d->scene->bodies[b].point_mass) {
            tree->refusal = TRM_NO_TREE_POINT;
            tree->culprit = b;
            return;
        }
    }
    for (int block = 0; block < d->nblocks; block++) {
        if (!trm_is_pin(d, block)) {
            tree->refusal = TRM_NO_TREE_KIND;
            tree->culprit = d->blocks[block].row;
            return;
        }
    }
}

/// J x beside x.
static void turn_left(double x[2][2])
{
    x[1][0] = -x[0][1];
    x[1][1] = x[0][0];
}

/// The next link: a body that hangs on `parent` by pin `block`. Returns its number.
static int plant(const nursery *n, int body, int parent, int block)
{
    trm_tree *tree = n->tree;
    const trm_bodies *bodies = &n->model->bodies;
    const int i = tree->n++;
    trm_link *link = &n->link[i];
    *link = (trm_link){.parent = parent, .body = body, .row = -1, .m = bodies->mass[body]};
    n->number[body] = i;
    if (block >= 0) {
        const trm_row *row = &n->d->rows[block].row[0];
        const int is_b = row->b == body;
        const double *own = is_b ? row->lb : row->la, *other = is_b ? row->la : row->lb;
        link->row = n->d->blocks[block].row;
        link->sign = is_b ? -1 : 1;
        for (int k = 0; k < 2; k++) {
            link->D[0][k] = -own[k];
            link->E[0][k] = other[k] + (parent >= 0 ? n->link[parent].D[0][k] : 0);
        }
        turn_left(link->D);
        turn_left(link->E);
    } else {
        tree->free[tree->nfree++] = i;
    }
    const double arm = link->D[0][0] * link->D[0][0] + link->D[0][1] * link->D[0][1];
    link->L = bodies->inertia[body] + bodies->mass[body] * arm;
    if (parent >= 0 && parent != i - 1) {
        n->link[parent].forks++;
    }
    return i;
}

/// The root and all that hangs on it, depth first. Returns a pin that closes a loop, or -1.
static int grow(const nursery *n, int root, int parent, int block)
{
    const trm_draft *d = n->d;
    int i = plant(n, root, parent, block);
    while (i >= 0) {
        const int body = n->link[i].body;
        if (n->next[body] == d->first_use[body + 1]) {
            i = n->link[i].parent;
            continue;
        }
        const int *use = d->uses + (size_t)2 * (size_t)n->next[body]++;
        const int other = d->block_bodies[d->blocks[use[0]].body + 1 - use[1]];
        if (other == d->scene->nbodies || d->blocks[use[0]].row == n->link[i].row) {
            continue; // pins of the ground are followed from there
        }
        if (n->number[other] >= 0) {
            return use[0];
        }
        i = plant(n, other, i, use[0]);
    }
    return -1;
}

/// All bodies: those that hang on the ground, then what is left.
static void grow_all(const nursery *n)
{
    const trm_draft *d = n->d;
    const int nbodies = d->scene->nbodies;
    int loop = -1;
    for (int b = 0; b < nbodies; b++) {
        n->number[b] = -1;
        n->next[b] = d->first_use[b];
    }
    for (int block = 0; block < d->nblocks && loop < 0; block++) {
        const int *pair = d->block_bodies + d->blocks[block].body;
        const int body = pair[0] == nbodies ? pair[1] : pair[0];
        if (pair[0] == nbodies || pair[1] == nbodies) {
            const int known = body == nbodies || n->number[body] >= 0;
            loop = known ? block : grow(n, body, TRM_TREE_GROUND, block);
        }
    }
    for (int b = 0; b < nbodies && loop < 0; b++) {
        if (n->number[b] < 0) {
            loop = grow(n, b, TRM_TREE_FREE, -1);
        }
    }
    if (loop >= 0) {
        n->tree->refusal = TRM_NO_TREE_LOOP;
        n->tree->culprit = d->blocks[loop].row;
        n->tree->n = 0;
    }
}

/// Whether the next body hangs on body i, and no other, and i on a pin.
static int leads_on(const nursery *n, int i)
{
    return n->link[i].parent != TRM_TREE_FREE && n->link[i].forks == 0 && i + 1 < n->tree->n &&
           n->link[i + 1].parent == i;
}

/// Whether `count` bodies from the first on can be swept in parts. The last body of a part is
/// first taken without the bodies that hang on it; where its inertia is small, digits are lost by
/// this: m |E|^2/L units of roundoff.
static int are_even(const nursery *n, int first, int count)
{
    const double most = 1e3;
    double m = 0, swing = 0;
    for (const trm_link *link = n->link + first; link < n->link + first + count; link++) {
        const double *E = link[1].E[0];
        m = trm_larger(link->m, m);
        swing = trm_larger((E[0] * E[0] + E[1] * E[1]) / link->L, swing);
    }
    return m * swing <= most;
}

/// Places: within a path by rows.
static void place_all(const nursery *n)
{
    trm_tree *tree = n->tree;
    int i = 0;
    tree->npaths = 0;
    while (i < tree->n) {
        int length = 0;
        while (leads_on(n, i + length)) {
            length++;
        }
        const trm_path path = {.first = i, .rows = length / TRM_LANES};
        const int bodies = path.rows * TRM_LANES;
        const int whole = path.rows >= TRM_PATH_LEAST && are_even(n, i, bodies) ? bodies : 0;
        for (int k = 0; k < whole; k++) {
            tree->outward[i + k] = i + k % path.rows * TRM_LANES + k / path.rows;
        }
        if (whole > 0) {
            tree->path[tree->npaths++] = path;
        }
        i += whole;
        for (int k = whole; k < length + 1; k++, i++) {
            tree->outward[i] = i;
        }
    }
}

/// The links by place.
static void settle_all(const nursery *n)
{
    trm_tree *tree = n->tree;
    for (int k = 0; k < tree->n; k++) {
        const trm_link *from = &n->link[k], *next = &n->link[k + 1 < tree->n ? k + 1 : k];
        const int i = tree->outward[k];
        tree->link[i] = *from;
        if (from->parent >= 0) {
            tree->link[i].parent = tree->outward[from->parent];
        }
        tree->m[i] = from->m;
        tree->L[i] = from->L;
        tree->Dx[i] = from->D[0][0];
        tree->Dy[i] = from->D[0][1];
        tree->Ex[i] = next->E[0][0];
        tree->Ey[i] = next->E[0][1];
    }
}

static void copy_constant_forces(trm_tree *tree, const trm_model *model)
{
    tree->constant = model->constant_f != NULL;
    for (int i = 0; tree->constant && i < tree->n; i++) {
        for (int k = 0; k < 3; k++) {
            tree->f[k * tree->n + i] = model->constant_f[3 * tree->link[i].body + k];
        }
    }
}

void trm_compile_tree(trm_model *model, const trm_draft *d)
{
    trm_arena *arena = &model->arena;
    trm_tree *tree = &model->tree;
    *tree = (trm_tree){0};
    refuse_others(tree, model, d);
    const int n = tree->refusal == TRM_IS_TREE ? model->bodies.n : 0;
    tree->link = trm_arena_take(arena, (size_t)n, sizeof *tree->link);
    tree->outward = trm_arena_ints(arena, n);
    tree->free = trm_arena_ints(arena, n);
    tree->path =
        trm_arena_take(arena, (size_t)(n / (TRM_LANES * TRM_PATH_LEAST)), sizeof *tree->path);
    tree->f = trm_arena_doubles(arena, 3 * n);
    tree->m = trm_arena_doubles(arena, n);
    tree->L = trm_arena_doubles(arena, n);
    tree->Dx = trm_arena_doubles(arena, n);
    tree->Dy = trm_arena_doubles(arena, n);
    tree->Ex = trm_arena_doubles(arena, n);
    tree->Ey = trm_arena_doubles(arena, n);
    const nursery all = {.model = model,
                         .d = d,
                         .tree = tree,
                         .link = trm_arena_take(arena, (size_t)n, sizeof(trm_link)),
                         .number = trm_arena_ints(arena, n),
                         .next = trm_arena_ints(arena, n)};
    if (arena->base && n > 0) {
        grow_all(&all);
        place_all(&all);
        settle_all(&all);
        copy_constant_forces(tree, model);
    }
}

trm_status trm_tree_check(const trm_model *model, trm_error *err)
{
    static const char must[] = "the method 'tree' needs an open planar tree of pins";
    const trm_tree *tree = &model->tree;
    const trm_row_info *row = &model->row_info[tree->culprit];
    switch (tree->refusal) {
    case TRM_NO_TREE_EQUATIONS:
        return TRM_FAIL(err, TRM_ERR_OPTIONS, NULL, "%s; equations show none", must);
    case TRM_NO_TREE_SPATIAL:
        return TRM_FAIL(err, TRM_ERR_OPTIONS, NULL, "%s; this mechanism is spatial", must);
    case TRM_NO_TREE_STATE:
        return TRM_FAIL(err, TRM_ERR_OPTIONS, NULL, "%s; this scene has states beside it", must);
    case TRM_NO_TREE_CONTACT:
        return TRM_FAIL(err, TRM_ERR_OPTIONS, model->contacts[0].where,
                        "%s; '%s' has limits, friction or a stop", must, model->contacts[0].name);
    case TRM_NO_TREE_POINT:
        return TRM_FAIL(err, TRM_ERR_OPTIONS, model->body_info[tree->culprit].name,
                        "%s; body '%s' is a point mass, which has no angle", must,
                        model->body_info[tree->culprit].name);
    case TRM_NO_TREE_KIND:
        return TRM_FAIL(err, TRM_ERR_OPTIONS, row->where, "%s; '%s' is more or less than a pin",
                        must, row->name);
    case TRM_NO_TREE_LOOP:
        return TRM_FAIL(err, TRM_ERR_OPTIONS, row->where, "%s; '%s' closes a loop", must,
                        row->name);
    case TRM_NO_TREE_JOINTS:
    case TRM_IS_TREE:
        break;
    }
    return TRM_OK;
}
