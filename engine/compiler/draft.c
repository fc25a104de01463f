/// The geometry of the joints, their rows and the blocks of G, needed
/// before the model's arrays can be sized.
#include "base/status.h"
#include "engine/compiler/compile.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ----------------------------------------------------------------------------- frames of a joint

static void to_body(const double R[9], const double *world, double *local)
{
    for (int i = 0; i < 3; i++) {
        local[i] = R[i] * world[0] + R[3 + i] * world[1] + R[6 + i] * world[2];
    }
}

static void to_world(const double R[9], const double *local, double *world)
{
    for (int i = 0; i < 3; i++) {
        world[i] = R[3 * i] * local[0] + R[3 * i + 1] * local[1] + R[3 * i + 2] * local[2];
    }
}

/// World directions of the frame in the initial pose.
static void world_frame(const trm_scene *scene, const trm_scene_joint *joint, double axis[3],
                        double side0[3], double side1[3])
{
    const double ez[3] = {0, 0, 1};
    memset(axis, 0, 3 * sizeof(double));
    memset(side0, 0, 3 * sizeof(double));
    memset(side1, 0, 3 * sizeof(double));
    if (scene->dimension == 3) {
        memcpy(axis, joint->axis_given ? joint->axis : ez, 3 * sizeof(double));
        trm_joint_sides(joint, side0, side1);
    } else if (joint->axis_given) {
        memcpy(axis, joint->axis, 3 * sizeof(double));
        side0[0] = -axis[1];
        side0[1] = axis[0];
    }
}

/// World position of the joint's point on one of its bodies, in the initial pose.
static void initial_point(const trm_scene *scene, int body, const double local[3], double x[3])
{
    double R[9];
    trm_initial_rotation(scene, body, R);
    to_world(R, local, x);
    for (int i = 0; body >= 0 && i < 3; i++) {
        x[i] += scene->bodies[body].position[i];
    }
}

static double initial_angle(const trm_scene *scene, int body)
{
    return body >= 0 ? scene->bodies[body].angle : 0;
}

/// The joint's geometry in the frames of its bodies.
static void trm_joint_frame_compile(const trm_scene *scene, const trm_scene_joint *joint,
                                    trm_joint_frame *frame)
{
    double axis[3];
    double side[2][3];
    double x[2][3];
    world_frame(scene, joint, axis, side[0], side[1]);
    *frame = (trm_joint_frame){.dimension = scene->dimension,
                               .a = trm_body_or_ground(scene, joint->body[0]),
                               .b = trm_body_or_ground(scene, joint->body[1])};
    for (int i = 0; i < 2; i++) {
        double R[9];
        trm_initial_rotation(scene, joint->body[i], R);
        memcpy(frame->point[i], joint->local[i], sizeof frame->point[i]);
        to_body(R, axis, frame->axis[i]);
        to_body(R, side[0], frame->side[i][0]);
        to_body(R, side[1], frame->side[i][1]);
        if (joint->axis2_given) {
            to_body(R, joint->axis2, frame->axis2[i]);
        }
        initial_point(scene, joint->body[i], joint->local[i], x[i]);
    }
    const double dx = x[1][0] - x[0][0];
    const double dy = x[1][1] - x[0][1];
    const double dz = x[1][2] - x[0][2];
    frame->length = joint->length_given ? joint->length : sqrt(dx * dx + dy * dy + dz * dz);
    frame->angle = initial_angle(scene, joint->body[1]) - initial_angle(scene, joint->body[0]);
}

// ------------------------------------------------------------------------------ rows and blocks

static void draft_joint(trm_draft *d, int j)
{
    const trm_scene_joint *joint = &d->scene->joints[j];
    trm_row_list *rows = &d->rows[j];
    trm_joint_frame_compile(d->scene, joint, &d->frames[j]);
    if ((!d->in_tree || !d->in_tree[j]) && joint->switched != TRM_SWITCH_ROWS) {
        joint->kind->rows(&d->frames[j], rows);
    }
    if (joint->motor.code) {
        trm_joint_motor_row(joint->kind, &d->frames[j], rows);
    }
    for (int k = 0; k < rows->n && !trm_is_pin(d, j); k++) {
        d->entries[rows->row[k].kind]++;
    }
}

/// Append a block of `rows` rows over the bodies that follow in block_bodies.
static trm_block *append_block(trm_draft *d, int rows, int width, int nbodies)
{
    trm_block *block = &d->blocks[d->nblocks];
    *block = (trm_block){
        .row = d->nc, .rows = rows, .body = d->nblock_bodies, .nbodies = nbodies, .G = d->nG};
    d->size[d->nblocks++] = rows;
    d->nc += rows;
    d->nblock_bodies += nbodies;
    d->nG += nbodies * rows * width;
    return block;
}

int trm_bodies_of_variable(const trm_scene *scene, const trm_variable *x, int *bodies)
{
    if (x->kind == TRM_VARIABLE_TIME || x->kind == TRM_VARIABLE_INPUT ||
        x->kind == TRM_VARIABLE_STATE || x->kind == TRM_VARIABLE_READING) {
        return 0;
    }
    if (x->kind == TRM_VARIABLE_JOINT || x->kind == TRM_VARIABLE_JOINT_RATE) {
        memcpy(bodies, scene->joints[x->index].body, 2 * sizeof *bodies);
        return 2;
    }
    if (x->kind == TRM_VARIABLE_GUIDE || x->kind == TRM_VARIABLE_TOUCH) {
        const int *markers = scene->constraints[x->index].markers;
        bodies[0] = scene->markers[markers[0]].body;
        bodies[1] = scene->markers[markers[1]].body;
        return 2;
    }
    const int of_marker = x->kind == TRM_VARIABLE_POSITION || x->kind == TRM_VARIABLE_VELOCITY;
    bodies[0] = of_marker ? scene->markers[x->index].body : x->index;
    return 1;
}

/// The moving bodies of an expression that are not yet among
/// bodies[n]. Returns how many there are then.
static int bodies_of(const trm_scene *scene, const trm_formula *formula, int *bodies, int n)
{
    for (int i = 0; i < formula->nvariables; i++) {
        int of[2];
        const int nof = trm_bodies_of_variable(scene, &formula->variables[i], of);
        for (int side = 0; side < nof; side++) {
            int known = of[side] < 0;
            for (int k = 0; k < n; k++) {
                known = known || bodies[k] == of[side];
            }
            if (!known) {
                bodies[n++] = of[side];
            }
        }
    }
    return n;
}

int trm_bodies_of_formula(const trm_scene *scene, const trm_formula *formula, int *bodies)
{
    return bodies_of(scene, formula, bodies, 0);
}

/// Of moving bodies each: the reader of scenes has refused others.
static void draft_expressions(trm_draft *d, int width)
{
    for (int k = 0; k < d->scene->nconstraints; k++) {
        const trm_scene_constraint *def = &d->scene->constraints[k];
        int n = 0;
        for (int r = 0; r < def->nrows; r++) {
            n = bodies_of(d->scene, &def->expression[r], d->block_bodies + d->nblock_bodies, n);
        }
        append_block(d, def->nrows, width, n);
    }
}

static void draft_blocks(trm_draft *d, int width)
{
    for (int j = 0; j < d->scene->njoints; j++) {
        int *bodies = d->block_bodies + d->nblock_bodies;
        bodies[0] = d->frames[j].a;
        bodies[1] = d->frames[j].b;
        append_block(d, d->rows[j].nlabels, width, d->rows[j].nlabels > 0 ? 2 : 0);
    }
}

/// A block for each: the bodies of its coordinate.
static void draft_held(trm_draft *d, int width)
{
    for (int k = 0; k < d->nheld; k++) {
        const trm_scene_contact *const def = &d->scene->contacts[d->held[k].contact];
        int *const bodies = d->block_bodies + d->nblock_bodies;
        int n = bodies_of(d->scene, &def->x, bodies, 0);
        for (int i = 0; i < 2 && !def->x.code; i++) {
            const int body =
                def->touch ? def->touch->side[i].body : d->scene->joints[def->joint].body[i];
            if (body >= 0) {
                bodies[n++] = body;
            }
        }
        append_block(d, 1, width, n);
    }
}

static trm_status draft_user_rows(trm_draft *d, int width, trm_error *err)
{
    const int n = d->scene->nbodies;
    for (int k = 0; k < d->scene->nuser_constraints; k++) {
        const double rows = d->scene->user_constraints[k].rows;
        if (d->nG + rows * n * width > INT_MAX || d->nc + rows > INT_MAX || rows * rows > INT_MAX) {
            return TRM_FAIL(err, TRM_ERR_SCENE, d->scene->path,
                            "user constraint \"%.64s\" has more rows than a model can hold, %.0f",
                            d->scene->user_constraints[k].name, rows);
        }
        int *bodies = d->block_bodies + d->nblock_bodies;
        for (int b = 0; b < n; b++) {
            bodies[b] = b;
        }
        append_block(d, d->scene->user_constraints[k].rows, width, n);
    }
    return TRM_OK;
}

/// For every moving body, the blocks that act on it: uses[2*i] is the block, uses[2*i+1] the
/// body's place in it.
static int index_uses(trm_draft *d)
{
    const int n = d->scene->nbodies;
    int *end = calloc((size_t)n + 1, sizeof(int));
    d->first_use = calloc((size_t)n + 2, sizeof(int));
    d->uses = calloc(2 * (size_t)d->nblock_bodies + 1, sizeof(int));
    const int ok = end && d->first_use && d->uses;
    for (int i = 0; ok && i < d->nblock_bodies; i++) {
        d->first_use[d->block_bodies[i] + 1]++;
    }
    for (int b = 0; ok && b <= n; b++) {
        d->first_use[b + 1] += d->first_use[b];
        end[b] = d->first_use[b];
    }
    for (int i = 0; ok && i < d->nblocks; i++) {
        for (int k = 0; k < d->blocks[i].nbodies; k++) {
            const int use = end[d->block_bodies[d->blocks[i].body + k]]++;
            d->uses[2 * use] = i;
            d->uses[2 * use + 1] = k;
        }
    }
    free(end);
    return ok;
}

/// Blocks i > j that share a moving body give S_ij a contribution each, and every block one on the
/// diagonal for each of its moving bodies.
static int pair_blocks(trm_draft *d)
{
    size_t npairs = 0;
    for (int b = 0; b < d->scene->nbodies; b++) {
        const size_t m = (size_t)(d->first_use[b + 1] - d->first_use[b]);
        npairs += m * (m + 1) / 2;
    }
    d->pairs = malloc((2 * npairs + 1) * sizeof(int));
    if (!d->pairs) {
        return 0;
    }
    for (int b = 0; b < d->scene->nbodies; b++) {
        for (int i = d->first_use[b]; i < d->first_use[b + 1]; i++) {
            for (int j = d->first_use[b]; j < i; j++) {
                d->pairs[2 * d->npairs] = d->uses[2 * i];
                d->pairs[2 * d->npairs + 1] = d->uses[2 * j];
                d->npairs++;
            }
        }
    }
    return 1;
}

static int allocate(trm_draft *d)
{
    const trm_scene *scene = d->scene;
    const size_t blocks =
        (size_t)(scene->njoints + scene->nconstraints + scene->nuser_constraints + d->nheld) + 1;
    size_t bodies = 2 * (size_t)scene->njoints + 1;
    for (int k = 0; k < scene->nconstraints; k++) {
        for (int r = 0; r < scene->constraints[k].nrows; r++) {
            bodies += 2 * (size_t)scene->constraints[k].expression[r].nvariables;
        }
    }
    for (int k = 0; k < d->nheld; k++) {
        bodies += 2 + 2 * (size_t)scene->contacts[d->held[k].contact].x.nvariables;
    }
    bodies += (size_t)scene->nuser_constraints * (size_t)scene->nbodies;
    d->frames = calloc((size_t)scene->njoints + 1, sizeof *d->frames);
    d->rows = calloc((size_t)scene->njoints + 1, sizeof *d->rows);
    d->blocks = calloc(blocks, sizeof *d->blocks);
    d->size = calloc(blocks, sizeof *d->size);
    d->block_bodies = calloc(bodies, sizeof *d->block_bodies);
    d->guides = calloc((size_t)scene->nguides + 1, sizeof *d->guides);
    return d->guides && d->frames && d->rows && d->blocks && d->size && d->block_bodies;
}

trm_status trm_draft_create(trm_draft *draft, trm_error *err)
{
    const trm_scene *const scene = draft->scene;
    const int width = scene->dimension == 2 ? 3 : 6;
    if (!allocate(draft)) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, scene->path, "not enough memory for a model");
    }
    for (int j = 0; j < scene->njoints; j++) {
        draft_joint(draft, j);
    }
    draft_blocks(draft, width);
    draft_expressions(draft, width);
    TRM_TRY(draft_user_rows(draft, width, err));
    draft_held(draft, width);
    if (!index_uses(draft) || !pair_blocks(draft)) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, scene->path, "not enough memory for a model");
    }
    return TRM_OK;
}

void trm_draft_destroy(trm_draft *draft)
{
    free(draft->frames);
    free(draft->rows);
    free(draft->blocks);
    free(draft->block_bodies);
    free(draft->size);
    free(draft->pairs);
    free(draft->first_use);
    free(draft->uses);
    free(draft->guides);
}
