// Which joint to relax: every other kind of the registry is put in its place, the model is built
// anew, and its rows are counted at the generic position of the old one.

#include "base/linear/sums.h"
#include "constraints/joint.h"
#include "engine/compiler/compile.h"
#include "program/view.h"
#include "simulation/diagnosis/diagnosis_context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOINTS = 24, MOST_ROWS = 150, VARIANTS = 3 };

/// A scene under change, and its counts.
typedef struct trial {
    trm_scene scene;
    trm_scene_joint *joints; ///< [njoints]
    int redundant, freedoms;
} trial;

// ---------------------------------------------------------------------------------------- trying

/// Rows that follow from others, and freedoms. Returns 0 when there is no such model.
static int count(trm_diagnosis_context *d, const trm_scene *scene, int *redundant, int *freedoms)
{
    trm_model *model = NULL;
    trm_conditioning conditioning;
    trm_status status = trm_model_build(scene, &model, NULL);
    if (status != TRM_OK) {
        d->no_memory |= status == TRM_ERR_MEMORY;
        return 0;
    }
    status =
        trm_conditioning_open(&conditioning, model, TRM_CONDITIONING_RANK, d->damping, NULL, NULL);
    conditioning.bound =
        d->conditioning.basis.most > 0 ? fmax(model->misfit, TRM_DEPENDENT) : TRM_DEPENDENT;
    const int ok = status == TRM_OK &&
                   conditioning.nq == d->conditioning.nq && // another scene has others
                   trm_conditioning_at(&conditioning, d->generic_t, d->generic) == 0;
    d->no_memory |= status == TRM_ERR_MEMORY || (ok && !trm_conditioning_rank(&conditioning));
    *redundant = conditioning.nc - conditioning.basis.rank;
    *freedoms = ok ? trm_conditioning_freedoms(&conditioning) : 0;
    trm_conditioning_close(&conditioning);
    trm_model_destroy(model);
    return ok && !d->no_memory;
}

/// A unit vector perpendicular to the axis; `which` of two.
static void across(const double axis[3], int which, double out[3])
{
    const double x = axis[0], y = axis[1], z = axis[2];
    const int k = x * x <= y * y && x * x <= z * z ? 0 : y * y <= z * z ? 1 : 2;
    double e[3] = {k == 0, k == 1, k == 2};
    double u[3] = {y * e[2] - z * e[1], z * e[0] - x * e[2], x * e[1] - y * e[0]};
    const double length = trm_length(3, u);
    for (int i = 0; i < 3; i++) {
        u[i] /= length;
    }
    const double w[3] = {y * u[2] - z * u[1], z * u[0] - x * u[2], x * u[1] - y * u[0]};
    memcpy(out, which == 0 ? u : w, 3 * sizeof(double));
}

/// Whether entries of this kind have the key.
static int has_key(const trm_joint_kind *kind, const char *name, int dimension)
{
    const trm_key *key = kind->keys;
    while (key->name &&
           (strcmp(key->name, name) || (key->dimension && key->dimension != dimension))) {
        key++;
    }
    return key->name != NULL;
}

/// Put `kind` in the place of the joint's. A planar joint or a ball has no axis: x, y and z serve.
static void exchange(trm_scene_joint *joint, const trm_joint_kind *kind, int variant)
{
    joint->kind = kind;
    if (!joint->axis_given) {
        joint->axis_given = 1;
        for (int i = 0; i < 3; i++) {
            joint->axis[i] = i == variant;
        }
    }
    if (has_key(kind, "axis2", 3)) {
        joint->axis2_given = 1;
        across(joint->axis, variant % 2, joint->axis2);
    }
}

static int is(int joint, int j)
{
    return j == TRM_INDEX_NONE ? joint != TRM_INDEX_NONE : joint == j;
}

/// Whether something in the scene counts on the coordinate of joint j, and on its number;
/// TRM_INDEX_NONE: of any joint.
static int serves(const trm_scene *scene, int j)
{
    int found = 0;
    const trm_formula *formula;
    for (int i = 0; (formula = trm_scene_formula_of(scene, i).formula); i++) {
        found |= trm_formulas_read(formula, 1, j);
    }
    for (int i = 0; i < scene->nforces; i++) {
        found |= is(scene->forces[i].joint, j);
    }
    for (int i = 0; i < scene->nconstraints; i++) {
        const trm_scene_constraint *const def = &scene->constraints[i];
        found |= is(def->joint, j) || trm_formulas_read(&def->profile, 1, j);
    }
    for (int i = 0; i < scene->ncontacts; i++) {
        found |= is(scene->contacts[i].joint, j);
    }
    return found;
}

/// Variants worth trying for a joint: directions of an axis it does not have.
static int variants_of(const trial *t, const trm_scene_joint *joint, const trm_joint_kind *kind)
{
    const int dimension = t->scene.dimension;
    const int missing = has_key(kind, "axis2", dimension) ||
                        (has_key(kind, "axis", dimension) && !joint->axis_given);
    return !missing ? 1 : dimension == 2 ? 2 : VARIANTS;
}

static int can_become(const trial *t, int j, const trm_joint_kind *kind)
{
    const trm_scene_joint *const joint = &t->scene.joints[j];
    const int other = kind->dimension != 0 && kind->dimension != t->scene.dimension;
    const int used = joint->motor.code || serves(&t->scene, j);
    return kind != joint->kind && !other && !kind->apart &&
           (!used || kind->freedom == joint->kind->freedom);
}

static int try_kind(trm_diagnosis_context *d, trial *t, int j, const trm_joint_kind *kind,
                    trm_relaxation *out)
{
    const trm_scene_joint before = t->joints[j];
    int found = 0;
    for (int variant = 0; variant < variants_of(t, &before, kind); variant++) {
        int redundant = 0, freedoms = 0;
        exchange(&t->joints[j], kind, variant);
        const int counted = count(d, &t->scene, &redundant, &freedoms);
        t->joints[j] = before;
        if (counted && redundant < t->redundant && freedoms >= t->freedoms &&
            (!found || freedoms < out->degrees_of_freedom)) {
            found = 1;
            *out = (trm_relaxation){.joint = j,
                                    .name = before.name,
                                    .kind = kind->name,
                                    .removed = t->redundant - redundant,
                                    .redundant_left = redundant,
                                    .degrees_of_freedom = freedoms};
        }
    }
    return found;
}

/// Take the joint out; only where nothing counts joints, since those behind it move up.
static int try_without(trm_diagnosis_context *d, trial *t, int j, trm_relaxation *out)
{
    const trm_scene_joint before = t->joints[j];
    const size_t rest = (size_t)(t->scene.njoints - j - 1) * sizeof before;
    int redundant = 0, freedoms = 0;
    if (serves(&t->scene, TRM_INDEX_NONE)) {
        return 0;
    }
    memmove(&t->joints[j], &t->joints[j + 1], rest);
    t->scene.njoints--;
    const int counted = count(d, &t->scene, &redundant, &freedoms);
    t->scene.njoints++;
    memmove(&t->joints[j + 1], &t->joints[j], rest);
    t->joints[j] = before;
    *out = (trm_relaxation){.joint = j,
                            .name = before.name,
                            .removed = t->redundant - redundant,
                            .redundant_left = redundant,
                            .degrees_of_freedom = freedoms};
    return counted && redundant < t->redundant && freedoms == t->freedoms;
}

// --------------------------------------------------------------------------------------- choosing

/// Better first: freedoms kept, more rows removed, an exchange before a removal, then by name.
static int compare(const void *a, const void *b)
{
    const trm_relaxation *const x = a, *const y = b;
    const int freedoms = x->degrees_of_freedom - y->degrees_of_freedom;
    const int removed = y->removed - x->removed;
    const int out = (x->kind == NULL) - (y->kind == NULL);
    const int name = strcmp(x->name, y->name);
    const int kind = x->kind && y->kind ? strcmp(x->kind, y->kind) : 0;
    return freedoms ? freedoms : removed ? removed : out ? out : name ? name : kind;
}

static int in_structural_set(const trm_diagnosis_context *d, const char *name)
{
    for (int k = 0; k < d->found.nsets; k++) {
        const trm_redundancy *const s = &d->found.sets[k];
        for (int i = 0; s->kind == TRM_REDUNDANCY_STRUCTURAL && i < s->nrows; i++) {
            if (strcmp(d->model->row_info[s->rows[i]].name, name) == 0) {
                return 1;
            }
        }
    }
    return 0;
}

/// All exchanges of one joint that help, best first. Returns how many.
static int list(trm_diagnosis_context *d, trial *t, trm_relaxation *out, int most)
{
    int n = 0, tried = 0;
    for (int j = 0; j < t->scene.njoints && tried < MOST_JOINTS; j++) {
        if (t->joints[j].part > 0 || !in_structural_set(d, t->joints[j].name)) {
            continue;
        }
        tried++;
        for (int k = 0; trm_joint_kinds[k] && n < most; k++) {
            n += can_become(t, j, trm_joint_kinds[k]) &&
                 try_kind(d, t, j, trm_joint_kinds[k], &out[n]);
        }
        n += n < most && try_without(d, t, j, &out[n]);
    }
    qsort(out, (size_t)n, sizeof *out, compare);
    return n;
}

trm_status trm_diagnosis_relax(trm_diagnosis_context *context, trm_error *err)
{
    enum { MOST = 256 };
    const trm_scene *const scene = context->scene;
    if (!scene || context->conditioning.nc == context->found.rank_nearby ||
        context->conditioning.nc > MOST_ROWS || scene->njoints == 0) {
        return TRM_OK;
    }
    trm_relaxation *const all = trm_pool_take(&context->pool, MOST, sizeof *all);
    trial t = {.scene = *scene};
    t.joints = trm_pool_take(&context->pool, (size_t)scene->njoints, sizeof *t.joints);
    if (!all || !t.joints) {
        return trm_diagnosis_no_memory(err);
    }
    memcpy(t.joints, scene->joints, (size_t)scene->njoints * sizeof *t.joints);
    t.scene.joints = t.joints;
    t.redundant = context->conditioning.nc - context->found.rank_nearby;
    t.freedoms = trm_system_motions(context->conditioning.system) - context->found.rank_nearby;
    context->found.relaxations = all;
    context->found.nrelaxations = list(context, &t, all, MOST);
    return TRM_OK;
}
