/// A model in joint coordinates: the spanning tree of its joints, and the rows that the tree
/// leaves.
///
/// From the ground outwards the next joint is that with the most rows, so that cuts have few; of
/// those the one nearest to the ground, so that paths are short. A joint whose reaction presses its
/// friction is a cut. A body that no joint reaches hangs on the ground by coordinates of its own.
#include "base/accuracy_policy.h"
#include "base/status.h"
#include "bodies/rotation.h"
#include "bodies/vector.h"
#include "engine/compiler/compile.h"
#include "engine/joint_coordinates/joint_tree.h"
#include "program/view.h"
#include "trammel/trammel_simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A tree while it grows.
typedef struct growth {
    const trm_draft *d;      ///< of all rows
    const trm_model *bodies; ///< compiled
    trm_joint_tree tree;
    int *depth;      ///< [links]
    char *in_tree;   ///< [joints] see trm_draft
    int (*alone)[2]; ///< [joints] likewise
    char *is_cut;    ///< [joints] of a joint that is none of the tree's
} growth;

// --------------------------------------------------------------------------------------- choosing

static const char *dofs_of(const growth *g, int joint)
{
    const trm_scene *scene = g->d->scene;
    const trm_scene_joint *j = &scene->joints[joint];
    const trm_joint_frame *frame = &g->d->frames[joint];
    const int universal = j->axis2_given;
    for (int k = 0; k < 2; k++) {
        if (j->body[k] >= 0 && scene->bodies[j->body[k]].point_mass) {
            return NULL;
        }
    }
    double R[9], along[3], across[3];
    trm_initial_rotation(scene, j->body[0], R);
    trm_rotate(R, frame->axis[0], along);
    trm_initial_rotation(scene, j->body[1], R);
    trm_rotate(R, frame->axis2[1], across);
    const double askew = along[0] * across[0] + along[1] * across[1] + along[2] * across[2];
    // the tree keeps the angle of a cross: beyond what counts as closed that is not its row
    return universal && !(fabs(askew) < 1e-9) ? NULL : j->kind->dofs;
}

static int link_of(const growth *g, int body)
{
    return body < 0 ? -1 : g->tree.link_of[body];
}

static int is_placed(const growth *g, int body)
{
    return body < 0 || g->tree.link_of[body] >= 0;
}

static int depth_of(const growth *g, int body)
{
    return body < 0 ? 0 : g->depth[link_of(g, body)];
}

/// The next joint of the tree, -1: none reaches a body that has no place yet.
static int next_joint(const growth *g)
{
    const trm_scene *scene = g->d->scene;
    int best = -1, rows = -1, depth = 0;
    for (int j = 0; j < scene->njoints; j++) {
        const int *body = scene->joints[j].body;
        const int placed = is_placed(g, body[0]);
        if (placed == is_placed(g, body[1]) || g->is_cut[j] || !dofs_of(g, j)) {
            continue;
        }
        const int own = g->d->rows[j].nlabels, deep = depth_of(g, body[!placed]);
        if (own > rows || (own == rows && deep < depth)) {
            best = j, rows = own, depth = deep;
        }
    }
    return best;
}

// ------------------------------------------------------------------------------------------ links

static void add_dof(growth *g, trm_dof_kind kind, const double axis[3], double sign)
{
    trm_joint_tree *tree = &g->tree;
    const int more = kind == TRM_DOF_BALL ? 3 : 1;
    for (int k = 0; k < more; k++) {
        trm_dof *dof = &tree->dofs[tree->ndofs++];
        *dof = (trm_dof){.kind = kind, .q = tree->nq};
        for (int c = 0; c < 3; c++) {
            dof->axis[c] = kind == TRM_DOF_BALL ? c == k : sign * axis[c];
        }
    }
    tree->nq += kind == TRM_DOF_BALL ? 4 : 1;
}

/// The dofs of a joint, in the frame of the body that it hangs on.
static void add_dofs(growth *g, int joint, const char *dofs, int reversed)
{
    static const double ez[3] = {0, 0, 1};
    const trm_joint_frame *frame = &g->d->frames[joint];
    const trm_scene *scene = g->d->scene;
    const int *body = scene->joints[joint].body;
    const int n = (int)strlen(dofs);
    const int on = reversed ? 1 : 0;
    const double *axis = frame->axis[on], (*side)[3] = frame->side[on];
    double R[9], world[3], axis2[3];
    trm_initial_rotation(scene, body[1], R);
    trm_rotate(R, frame->axis2[1], world);
    trm_initial_rotation(scene, body[on], R);
    trm_rotate_back(R, world, axis2);
    for (int i = 0; i < n; i++) {
        const double sign = reversed ? -1 : 1;
        switch (dofs[reversed ? n - 1 - i : i]) {
        case 'R':
            add_dof(g, TRM_DOF_TURN, scene->dimension == 2 ? ez : axis, sign);
            break;
        case 'U':
            add_dof(g, TRM_DOF_TURN, axis2, sign);
            break;
        case 'P':
            add_dof(g, TRM_DOF_SLIDE, axis, sign);
            break;
        case 'X':
            add_dof(g, TRM_DOF_SLIDE, side[0], sign);
            break;
        case 'Y':
            add_dof(g, TRM_DOF_SLIDE, side[1], sign);
            break;
        case 'B':
            add_dof(g, TRM_DOF_BALL, ez, 1);
            break;
        default: // no joint says another letter: constraints/joint.h
            break;
        }
    }
}

static trm_joint_link *add_link(growth *g, int body, int parent)
{
    trm_joint_tree *tree = &g->tree;
    trm_joint_link *link = &tree->links[tree->n];
    *link = (trm_joint_link){.body = body,
                             .parent = parent,
                             .on = parent < 0 ? g->d->scene->nbodies : tree->links[parent].body,
                             .joint = -1,
                             .first = tree->ndofs,
                             .q0 = tree->nq,
                             .after = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                             .after_quat = {1, 0, 0, 0}};
    g->depth[tree->n] = parent < 0 ? 1 : g->depth[parent] + 1;
    tree->link_of[body] = tree->n++;
    return link;
}

/// A turn is a a^T + (1 - a a^T) cos + [a] sin.
static void fill_turn(trm_dof *dof, const double *after)
{
    const double *a = dof->axis;
    const double across[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
    double by[27];
    for (int k = 0; k < 9; k++) {
        by[k] = a[k / 3] * a[k % 3];
        by[9 + k] = (k % 4 == 0) - by[k];
        by[18 + k] = across[k];
    }
    for (int k = 0; k < 27; k++) {
        const double *row = by + k / 3 * 3;
        dof->turn[k / 3 * 4 + k % 3] =
            after ? row[0] * after[k % 3] + row[1] * after[4 + k % 3] + row[2] * after[8 + k % 3]
                  : by[k];
    }
}

static void close_link(growth *g, trm_joint_link *link)
{
    link->n = g->tree.ndofs - link->first;
    link->nq = g->tree.nq - link->q0;
    for (int k = link->first; k < g->tree.ndofs; k++) {
        trm_dof *dof = &g->tree.dofs[k];
        if (dof->kind == TRM_DOF_TURN) {
            link->turned |= k == g->tree.ndofs - 1;
            fill_turn(dof, k == g->tree.ndofs - 1 ? link->after : NULL);
        }
    }
}

/// Whether both bodies of a joint, turned by R, agree on its axis: that of the tree is that of one.
static int is_one_axis(const trm_joint_frame *frame, int side, const double *own, const double *on)
{
    double a[3], b[3], off = 0;
    trm_rotate(own, frame->axis[side], a);
    trm_rotate(on, frame->axis[!side], b);
    for (int c = 0; c < 3; c++) {
        off = fmax(fabs(a[c] - b[c]), off);
    }
    return off <= TRM_NO_MISFIT;
}

static void hang(growth *g, int joint)
{
    const trm_scene *scene = g->d->scene;
    const int *body = scene->joints[joint].body;
    const int side = is_placed(g, body[0]); // of the new body
    const int own = body[side], on = body[!side];
    const trm_joint_frame *frame = &g->d->frames[joint];
    trm_joint_link *link = add_link(g, own, link_of(g, on));
    double R[9], of[9];
    link->joint = joint;
    link->block_side = side;
    memcpy(link->at, frame->point[!side], sizeof link->at);
    memcpy(link->to, frame->point[side], sizeof link->to);
    if (scene->dimension == 2) {
        link->at[2] = link->to[2] = 0;
    }
    trm_initial_rotation(scene, on, R);
    trm_initial_rotation(scene, own, of);
    for (int k = 0; k < 9; k++) { // R^T of
        const int r = k / 3, c = k % 3;
        link->after[4 * r + c] = R[r] * of[c] + R[3 + r] * of[3 + c] + R[6 + r] * of[6 + c];
    }
    link->angle = scene->bodies[own].angle - (on >= 0 ? scene->bodies[on].angle : 0);
    if (scene->dimension == 3) {
        memcpy(link->after_quat, scene->bodies[own].quaternion, sizeof link->after_quat);
        if (on >= 0) {
            const double *q = scene->bodies[on].quaternion, back[4] = {q[0], -q[1], -q[2], -q[3]};
            trm_quaternion_product(back, link->after_quat, link->after_quat);
        }
    }
    add_dofs(g, joint, dofs_of(g, joint), side == 0);
    g->in_tree[joint] = 1;
    close_link(g, link);
    for (int k = 0; k < link->n && is_one_axis(frame, side, of, R); k++) {
        const int dof = link->first + (side == 0 ? link->n - 1 - k : k);
        const int part = link->n == 1 ? joint : scene->joints[joint].first + k; // in order
        const int turns = g->tree.dofs[dof].kind == TRM_DOF_TURN;
        if (link->n == 1 || (turns && k < scene->joints[joint].nparts)) {
            g->alone[part][0] = 1 + dof;
            g->alone[part][1] = g->tree.dofs[dof].q;
        }
    }
}

static void set_free(growth *g, int body)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const trm_scene *scene = g->d->scene;
    trm_joint_link *link = add_link(g, body, -1);
    for (int k = 0; k < scene->dimension; k++) {
        add_dof(g, TRM_DOF_SLIDE, axes[k], 1);
    }
    if (!scene->bodies[body].point_mass) {
        add_dof(g, scene->dimension == 2 ? TRM_DOF_TURN : TRM_DOF_BALL, axes[2], 1);
    }
    close_link(g, link);
}

/// How far d, from the point of a link in its own frame, is from the axis of its dof k; from the
/// point, where dofs behind it turn the frame.
static double off_axis(const trm_joint_tree *tree, const trm_joint_link *link, int k,
                       const double d[3])
{
    double axis[3], sum = 0, along = 0;
    for (int c = 0; c < 3; c++) {
        axis[c] = link->after[c] * tree->dofs[k].axis[0] +
                  link->after[4 + c] * tree->dofs[k].axis[1] +
                  link->after[8 + c] * tree->dofs[k].axis[2];
        along += axis[c] * d[c];
        sum += d[c] * d[c];
    }
    int last = 1;
    for (int l = k + 1; l < link->first + link->n; l++) {
        last &= tree->dofs[l].kind != TRM_DOF_TURN;
    }
    return sqrt(last ? fmax(sum - along * along, 0) : sum);
}

/// Arms and reach of a link: the centre of a body, or the point of another link, is at x in its
/// frame, and `more` lies behind that.
static void reach_out(trm_joint_tree *tree, trm_joint_link *link, const double x[3], double more)
{
    const double d[3] = {x[0] - link->to[0], x[1] - link->to[1], x[2] - link->to[2]};
    link->reach = fmax(link->reach, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + more);
    for (int k = link->first; k < link->first + link->n; k++) {
        trm_dof *const dof = &tree->dofs[k];
        const double arm = dof->kind == TRM_DOF_SLIDE ? 0 : off_axis(tree, link, k, d) + more;
        dof->arm = fmax(dof->arm, arm);
    }
}

/// Points on the ground are from the origin of the tree from here on.
static void find_arms(trm_joint_tree *tree)
{
    static const double centre[3] = {0, 0, 0};
    for (int i = tree->n - 1; i >= 0; i--) {
        trm_joint_link *const link = &tree->links[i];
        reach_out(tree, link, centre, 0);
        if (link->parent >= 0) {
            reach_out(tree, &tree->links[link->parent], link->at, link->reach);
        } else {
            subtract(link->at, tree->origin, link->at);
        }
    }
}

/// Friction that a joint's reaction presses asks for its multipliers; what is switched may let go.
static void list_cuts(growth *g)
{
    const trm_scene *scene = g->d->scene;
    for (int j = 0; j < scene->njoints; j++) {
        g->is_cut[j] = scene->joints[j].cut || scene->joints[j].switched == TRM_SWITCH_ROWS;
    }
    for (int k = 0; k < scene->ncontacts; k++) {
        const trm_scene_contact *contact = &scene->contacts[k];
        if (contact->joint >= 0 && contact->friction.coefficient > 0) {
            g->is_cut[trm_holder_of(scene, contact->joint)] = 1;
        }
    }
}

static void grow(growth *g)
{
    const int n = g->d->scene->nbodies;
    list_cuts(g);
    for (int body = 0; g->tree.n < n;) {
        const int joint = next_joint(g);
        if (joint >= 0) {
            hang(g, joint);
            continue;
        }
        while (g->tree.link_of[body] >= 0) {
            body++;
        }
        set_free(g, body);
    }
    memcpy(g->tree.origin, g->d->scene->bodies[g->tree.links[0].body].position, 3 * sizeof(double));
}

/// The link that moves a body: its own, or the nearest inwards of those that it is fixed to; -1.
static int mover_of(const trm_joint_tree *tree, int body)
{
    int i = tree->link_of[body];
    while (i >= 0 && tree->links[i].n == 0) {
        i = tree->links[i].parent;
    }
    return i;
}

/// The first body of those that joints without `cut` tie to `body`, -1: the ground.
static int root_of(const int *first, int body)
{
    while (body >= 0 && first[body] != body) {
        body = first[body];
    }
    return body;
}

/// A joint that is cut at the wish of the scene closes a loop of others.
static trm_status check_cuts(const growth *g, trm_error *err)
{
    const trm_scene *scene = g->d->scene;
    int *const first = g->depth; // what has grown needs it no more
    trm_status status = TRM_OK;
    for (int b = 0; b < scene->nbodies; b++) {
        first[b] = b;
    }
    for (int j = 0; j < scene->njoints; j++) {
        const trm_scene_joint *const joint = &scene->joints[j];
        const int a = root_of(first, joint->body[0]), b = root_of(first, joint->body[1]);
        if (!joint->cut && joint->part == 0 && a != b) { // the ground is the root of what it holds
            first[a < 0 ? b : a] = a < 0 ? -1 : b;
        }
    }
    for (int j = 0; status == TRM_OK && j < scene->njoints; j++) {
        const trm_scene_joint *const joint = &scene->joints[j];
        const int *const body = joint->body;
        if (joint->cut && root_of(first, body[0]) != root_of(first, body[1])) {
            char where[512];
            trm_scene_where(scene, joint->place, where, sizeof where);
            status = TRM_FAIL(err, TRM_ERR_SCENE, where,
                              "joint '%s' cannot be cut: without it nothing ties '%s' to '%s'",
                              joint->name, body[0] < 0 ? "ground" : scene->bodies[body[0]].name,
                              body[1] < 0 ? "ground" : scene->bodies[body[1]].name);
        }
    }
    return status;
}

/// Rows of a cut between bodies that no dof moves apart are 0: they are left out, and their
/// multipliers are 0, the smallest.
static void leave_out_idle(growth *g)
{
    const trm_scene *scene = g->d->scene;
    for (int j = 0; j < scene->njoints; j++) {
        const int *body = scene->joints[j].body;
        const int a = body[0] < 0 ? -1 : mover_of(&g->tree, body[0]);
        const int b = body[1] < 0 ? -1 : mover_of(&g->tree, body[1]);
        if (!g->in_tree[j] && a == b) {
            g->in_tree[j] = 1;
            g->tree.nidle += g->d->rows[j].nlabels - (scene->joints[j].motor.code != NULL);
        }
    }
}

// ------------------------------------------------------------------------------------------- auto

/// Why `auto` takes the coordinates of bodies: runs counted by validation/campaign/coordinates
/// --cost --hinges, where evaluations cost the same at 0.44. Where motors decide all motions, their
/// rows cost what the tree saves: 13 random arms take 0.9 to 1.23 of the instructions, 1.09 in the
/// mean. Before the tree grows all joints are in it. Of loops the start decides:
/// tree.start_decides.
static const char *why_absolute(growth *g)
{
    const trm_scene *const scene = g->d->scene;
    const int motions = g->bodies->sizes.nv - g->bodies->bodies.states;
    int kept = 0, left = 0, motors = 0; // rows, joints, joints
    if (scene->simulation.coordinates != TRM_COORDINATES_AUTO) {
        return scene->simulation.coordinates == TRM_COORDINATES_JOINT ? NULL : "as asked";
    }
    for (int j = 0; j < scene->njoints; j++) {
        const int grows = g->tree.n == 0, rows = g->d->rows[j].nlabels;
        motors += scene->joints[j].motor.code != NULL;
        kept += grows || g->in_tree[j] ? rows - (scene->joints[j].motor.code != NULL) : 0;
        left += !grows && !g->in_tree[j] && rows > 0;
    }
    g->tree.start_decides = left > 0;
    return scene->dimension == 2                       ? "in the plane they are faster"
           : scene->nbodies < 2                        ? "for one body they are faster"
           : 2 * kept < motions                        ? "joints hold less than half of the motions"
           : g->tree.n > 0 && kept + motors >= motions ? "motors decide all motions"
                                                       : NULL;
}

// ------------------------------------------------------------------------------------------ paths

/// Nonzero if `link` is on the way from body `body` to the ground.
static int is_above(const trm_joint_tree *tree, int link, int body)
{
    int i = tree->link_of[body];
    while (i > link) {
        i = tree->links[i].parent;
    }
    return i == link;
}

/// Paths of all blocks of the cut draft, to the ground: L^-1 fills the way from where two bodies of
/// a row meet, though their wrenches cancel there. Returns how many entries; out may be NULL.
static int list_paths(trm_joint_tree *tree, const trm_draft *cut, trm_row_path *paths,
                      trm_path_link *out)
{
    int n = 0;
    tree->nZ = tree->most_path = 0;
    for (int b = 0; b < cut->nblocks; b++) {
        const trm_block *block = &cut->blocks[b];
        const int *body = cut->block_bodies + block->body, first = n;
        for (int i = tree->n - 1; i >= 0 && block->nbodies > 0; i--) {
            int on = 0, side = -1;
            for (int k = 0; k < block->nbodies; k++) {
                on += is_above(tree, i, body[k]);
                side = tree->link_of[body[k]] == i ? k : side;
            }
            if (on == 0) {
                continue;
            }
            if (out) {
                out[n] = (trm_path_link){.link = i, .inward = -1, .side = side, .Z = tree->nZ};
                for (int e = first; e < n; e++) {
                    const int inward = tree->links[out[e].link].parent == i;
                    out[e].inward = inward ? n - first : out[e].inward;
                }
            }
            tree->nZ += tree->links[i].n * trm_rows_apart(block->rows);
            n++;
        }
        if (paths) {
            paths[b] = (trm_row_path){first, n - first};
        }
        tree->most_path = n - first > tree->most_path ? n - first : tree->most_path;
    }
    return n;
}

/// Nonzero if two blocks move a common dof.
static int meet(const trm_joint_tree *tree, const trm_path_link *path, const trm_row_path *i,
                const trm_row_path *j)
{
    int a = i->first, b = j->first;
    while (a < i->first + i->n && b < j->first + j->n) {
        if (path[a].link == path[b].link) {
            if (tree->links[path[a].link].n > 0) {
                return 1;
            }
            a++, b++;
        } else if (path[a].link > path[b].link) {
            a++;
        } else {
            b++;
        }
    }
    return 0;
}

/// Pairs i >= j of blocks with rows that meet. Returns how many; out may be NULL.
static int list_pairs(const trm_joint_tree *tree, const trm_draft *cut, const trm_path_link *path,
                      const trm_row_path *paths, int *out)
{
    int n = 0;
    for (int i = 0; i < cut->nblocks; i++) {
        for (int j = 0; j <= i && paths[i].n > 0; j++) {
            if (paths[j].n > 0 && meet(tree, path, &paths[i], &paths[j])) {
                if (out) {
                    out[2 * n] = i;
                    out[2 * n + 1] = j;
                }
                n++;
            }
        }
    }
    return n;
}

/// The pattern of S holds those beside those of the bodies.
static int add_pairs(trm_draft *cut, int npairs, const int *pairs)
{
    int *all = realloc(cut->pairs, 2 * (size_t)(cut->npairs + npairs + 1) * sizeof *all);
    if (!all) {
        return 0;
    }
    cut->pairs = all;
    for (int k = 0; k < npairs; k++) {
        if (pairs[2 * k] != pairs[2 * k + 1]) {
            memcpy(all + 2 * cut->npairs++, pairs + 2 * k, 2 * sizeof *all);
        }
    }
    return 1;
}

// ------------------------------------------------------------------------------------- the model

static void *copied(trm_arena *arena, const void *from, int n, size_t size)
{
    void *to = trm_arena_take(arena, (size_t)n, size);
    if (to && n > 0) {
        memcpy(to, from, (size_t)n * size);
    }
    return to;
}

/// The coordinates of a body are those of the joint it hangs by.
static void fill_bodies(trm_model *model, const trm_joint_tree *tree)
{
    const int ground = model->sizes.nbody;
    for (int i = 0; i < tree->n; i++) {
        const trm_joint_link *link = &tree->links[i];
        trm_body_info *info = &model->body_info[link->body];
        const int mover = mover_of(tree, link->body);
        info->q0 = link->nq > 0 ? link->q0 : 0;
        info->v0 = mover < 0 ? model->sizes.nv : tree->links[mover].first;
        info->nq = link->nq;
        info->nv = link->n;
    }
    for (int b = 0; b < model->nblocks; b++) {
        for (int k = 0; k < model->blocks[b].nbodies; k++) {
            int *const body = &model->block_bodies[model->blocks[b].body + k];
            const int mover = *body < ground ? mover_of(tree, *body) : -1;
            *body = mover < 0 ? ground : tree->links[mover].body;
        }
    }
}

static void fill_lengths(const trm_model *model, const trm_joint_tree *tree, char *lengths)
{
    for (int k = 0; k < tree->ndofs; k++) {
        const char length = tree->dofs[k].kind == TRM_DOF_SLIDE;
        lengths[tree->dofs[k].q] = length;
        lengths[model->sizes.nq + k] = length;
    }
}

/// Parts are those of the bodies; the first velocity of each stands for it.
static void fill_parts(trm_model *model, const trm_joint_tree *tree, int *stands)
{
    const trm_model *all = tree->absolute;
    for (int i = 0; i < all->sizes.nv; i++) {
        stands[i] = -1;
    }
    for (int i = 0; i < tree->n; i++) {
        const trm_joint_link *link = &tree->links[i];
        int *const part = &stands[all->component[all->body_info[link->body].v0]];
        *part = *part < 0 && link->n > 0 ? link->first : *part;
        for (int k = link->first; k < link->first + link->n; k++) {
            model->component[k] = *part;
            model->body_of[k] = link->first;
        }
    }
    for (int k = tree->ndofs; k <= model->sizes.nv; k++) { // the last: of what is fixed
        model->component[k] = model->body_of[k] = k;
    }
}

/// One cell: M ties all velocities.
static void compile_cell(trm_model *model)
{
    trm_arena *arena = &model->arena;
    int *q0 = trm_arena_ints(arena, 2), *v0 = trm_arena_ints(arena, 2);
    int *member = trm_arena_ints(arena, 1);
    trm_tie *tie = trm_arena_take(arena, 1, sizeof *tie);
    model->structure = (trm_structure){
        .ncells = 1, .q0 = q0, .v0 = v0, .nties = 1, .ties = tie, .members = member};
    if (q0) {
        q0[1] = model->sizes.nq;
        v0[1] = model->sizes.nv;
        *tie = (trm_tie){.rows = model->sizes.nc, .n = 1};
    }
}

static void fill_row_of(const trm_joint_tree *tree, int *row_of)
{
    for (int b = 0; b < tree->cut->nblocks; b++) {
        const trm_block *of = &tree->absolute->blocks[b], *cut = &tree->cut->blocks[b];
        for (int r = 0; r < cut->rows; r++) { // the motor's row is the last
            row_of[cut->row + r] = of->row + of->rows - cut->rows + r;
        }
    }
}

static void fill_row_pairs(trm_joint_tree *tree, const int *pairs)
{
    const trm_pattern *pattern = tree->cut->pattern;
    for (int k = 0; k < tree->npairs; k++) {
        int transposed = 0, i = pairs[2 * k], j = pairs[2 * k + 1];
        const int S = trm_pattern_offset(pattern, i, j, &transposed);
        if (transposed) {
            const int other = i;
            i = j, j = other;
        }
        tree->pairs[k] = (trm_row_pair){i, j, S, pattern->size[pattern->place[j]]};
    }
}

/// Links of bodies that blocks with rows hold: all, if some are given by formulas.
static void fill_held(trm_joint_tree *tree)
{
    const trm_model *const cut = tree->cut;
    for (int i = 0; i < tree->n; i++) {
        int holds = cut->nexpressions + cut->nuser_rows > 0;
        for (int b = 0; b < cut->nblocks && !holds; b++) {
            const trm_block *const block = &cut->blocks[b];
            for (int k = 0; k < block->nbodies; k++) {
                holds |= cut->block_bodies[block->body + k] == tree->links[i].body;
            }
        }
        if (holds) {
            tree->held[tree->nheld++] = i;
        }
    }
}

/// Contacts that the tree ties to each other are one block. Limits, friction and locks of a joint
/// of the tree that has one dof are rows of its coordinate.
static void join_contacts(trm_model *model, const trm_joint_tree *tree)
{
    const trm_model *const cut = tree->cut;
    trm_contact_row *const rows =
        copied(&model->arena, cut->contacts, cut->ncontacts, sizeof *cut->contacts);
    int *const part = trm_arena_ints(&model->arena, 1);
    for (int k = 0; rows && k < cut->ncontacts; k++) {
        rows[k].part = part;
        rows[k].nparts = 1;
        for (int i = 0; i < tree->n && rows[k].joint >= 0 && !rows[k].of_joint; i++) {
            const trm_joint_link *const link = &tree->links[i];
            rows[k].dof =
                link->joint == rows[k].joint && link->n == 1 ? 1 + link->first : rows[k].dof;
        }
    }
    model->contacts = rows;
    model->contact_room = cut->ncontacts > 2 ? cut->ncontacts : 2; // as of find_parts
    model->contacts_at_once = cut->ncontacts;
}

/// What of `model`, a copy of the cut model, is its own.
static void compile(trm_model *model, const trm_joint_tree *grown, const trm_path_link *path,
                    const trm_row_path *paths, const int *pairs)
{
    trm_arena *arena = &model->arena;
    const trm_model *cut = grown->cut, *all = grown->absolute;
    int nmembers = 0;
    for (int b = 0; b < cut->nblocks; b++) {
        nmembers += cut->blocks[b].nbodies;
    }
    trm_joint_tree *tree = copied(arena, grown, 1, sizeof *tree), counted = *grown;
    tree = tree ? tree : &counted;
    tree->links = copied(arena, grown->links, grown->n, sizeof *grown->links);
    tree->dofs = copied(arena, grown->dofs, grown->ndofs, sizeof *grown->dofs);
    tree->link_of = copied(arena, grown->link_of, all->sizes.nbody + 1, sizeof(int));
    tree->path = copied(arena, path, grown->npath, sizeof *path);
    tree->paths = copied(arena, paths, cut->nblocks, sizeof *paths);
    tree->pairs = trm_arena_take(arena, (size_t)grown->npairs, sizeof *tree->pairs);
    tree->held = trm_arena_ints(arena, grown->n);
    tree->row_of = trm_arena_ints(arena, cut->sizes.nc);
    model->sizes.nq = grown->nq;
    model->sizes.nv = grown->ndofs + cut->bodies.states;
    model->joints = tree;
    model->cut = (trm_model *)cut;
    model->absolute = (trm_model *)all;
    model->constant_a = model->constant_f = NULL;
    model->q0 = trm_arena_doubles(arena, model->sizes.nq);
    model->v0 = trm_arena_doubles(arena, model->sizes.nv);
    model->body_info = copied(arena, cut->body_info, all->sizes.nbody, sizeof *cut->body_info);
    model->block_bodies = copied(arena, cut->block_bodies, nmembers, sizeof(int));
    join_contacts(model, tree);
    char *lengths = trm_arena_take(arena, (size_t)(model->sizes.nq + model->sizes.nv), 1);
    model->lengths = lengths;
    TRM_ARENA_INTS(arena, model->sizes.nv + 1, &model->component, &model->body_of);
    int *stands = trm_arena_ints(arena, all->sizes.nv);
    compile_cell(model);
    if (arena->base) {
        fill_row_pairs(tree, pairs);
        fill_held(tree);
        fill_row_of(tree, tree->row_of);
        fill_bodies(model, tree);
        fill_lengths(model, tree, lengths);
        fill_parts(model, tree, stands);
    }
    trm_model_find_components(model);
}

static int open(growth *g)
{
    const size_t n = (size_t)g->d->scene->nbodies, joints = (size_t)g->d->scene->njoints;
    trm_joint_tree *tree = &g->tree;
    tree->links = calloc(n + 1, sizeof *tree->links);
    tree->dofs = calloc(TRM_MOST_DOFS * n + 1, sizeof *tree->dofs);
    tree->link_of = malloc((n + 1) * sizeof *tree->link_of);
    g->depth = calloc(n + 1, sizeof *g->depth);
    g->in_tree = calloc(joints + 1, 1);
    g->alone = calloc(joints + 1, sizeof *g->alone);
    g->is_cut = calloc(joints + 1, 1);
    for (size_t b = 0; tree->link_of && b <= n; b++) {
        tree->link_of[b] = -1;
    }
    return tree->links && tree->dofs && tree->link_of && g->depth && g->in_tree && g->alone &&
           g->is_cut;
}

static void close(growth *g)
{
    free(g->tree.links);
    free(g->tree.dofs);
    free(g->tree.link_of);
    free(g->tree.paths);
    free(g->tree.path);
    free(g->depth);
    free(g->in_tree);
    free(g->alone);
    free(g->is_cut);
}

/// Paths and pairs of the cut draft; *pairs is allocated.
static int find_paths(growth *g, trm_draft *cut, int **pairs)
{
    trm_joint_tree *tree = &g->tree;
    tree->nblocks = cut->nblocks;
    tree->npath = list_paths(tree, cut, NULL, NULL);
    tree->paths = calloc((size_t)cut->nblocks + 1, sizeof *tree->paths);
    tree->path = calloc((size_t)tree->npath + 1, sizeof *tree->path);
    if (!tree->paths || !tree->path) {
        return 0;
    }
    list_paths(tree, cut, tree->paths, tree->path);
    tree->npairs = list_pairs(tree, cut, tree->path, tree->paths, NULL);
    *pairs = malloc((2 * (size_t)tree->npairs + 1) * sizeof **pairs);
    if (!*pairs) {
        return 0;
    }
    list_pairs(tree, cut, tree->path, tree->paths, *pairs);
    return add_pairs(cut, tree->npairs, *pairs);
}

/// What the factor of S takes: of each row the square of the entries beside it, multiplications.
static double work_of(const trm_pattern *p)
{
    double sum = 0;
    for (int k = 0; k < p->nblocks; k++) {
        double beside = p->size[k];
        for (int e = p->column[k]; e < p->column[k + 1]; e++) {
            beside += p->size[p->block[e]];
        }
        sum += p->size[k] * beside * beside;
    }
    return sum;
}

/// all->in_joints := `model`, zeros, by the tree that has grown, but where `auto` finds that the
/// cuts couple so many loops that S takes more than that of the bodies.
static trm_status fill_model(growth *g, trm_model *all, trm_model *model, trm_error *err)
{
    trm_draft cut = {
        .scene = g->d->scene, .in_tree = g->in_tree, .alone = (const int(*)[2])g->alone};
    trm_model *left = calloc(1, sizeof *left);
    int *pairs = NULL, ok = left && model;
    trm_status status = TRM_OK;
    if (ok) {
        status = trm_draft_create(&cut, err);
        ok = status != TRM_OK || find_paths(g, &cut, &pairs);
    }
    if (ok && status == TRM_OK) {
        status = trm_model_compile(&cut, left, err);
        g->tree.absolute = left->absolute = all;
        g->tree.cut = left;
        *model = *left;
        model->arena = (trm_arena){0};
    }
    if (ok && status == TRM_OK && g->tree.start_decides &&
        work_of(left->pattern) > work_of(all->pattern)) {
        all->why_absolute = "too many loops are coupled";
    }
    const int taken = ok && status == TRM_OK && !all->why_absolute;
    if (taken) {
        compile(model, &g->tree, g->tree.path, g->tree.paths, pairs);
        ok = trm_arena_open(&model->arena);
    }
    if (taken && ok) {
        compile(model, &g->tree, g->tree.path, g->tree.paths, pairs);
        all->in_joints = model;
    } else {
        trm_model_destroy(left);
        trm_arena_close(model ? &model->arena : &(trm_arena){0});
        free(model);
    }
    free(pairs);
    trm_draft_destroy(&cut);
    return ok ? status
              : TRM_FAIL(err, TRM_ERR_MEMORY, g->d->scene->path, "not enough memory for a model");
}

trm_status trm_compile_joint_tree(trm_model *all, const trm_draft *draft, trm_error *err)
{
    growth g = {.d = draft, .bodies = all};
    all->why_absolute = why_absolute(&g);
    if (all->why_absolute) {
        return TRM_OK;
    }
    trm_status status = TRM_OK;
    if (!open(&g)) {
        status = TRM_FAIL(err, TRM_ERR_MEMORY, draft->scene->path, "not enough memory for a tree");
    } else {
        grow(&g);
        find_arms(&g.tree);
        leave_out_idle(&g);
        all->why_absolute = why_absolute(&g);
        status = check_cuts(&g, err);
    }
    if (status == TRM_OK && !all->why_absolute) {
        status = fill_model(&g, all, calloc(1, sizeof *all), err);
    }
    close(&g);
    return status;
}

int trm_model_cut(const trm_model *model, int i)
{
    const trm_model *const own = model ? model->in_joints : NULL;
    for (int j = 0; own && i >= 0 && j < own->sizes.njoint; j++) {
        int held = own->blocks[j].rows == 0;
        for (int k = 0; k < own->joints->n; k++) {
            held |= own->joints->links[k].joint == j;
        }
        if (!held && i-- == 0) {
            return j;
        }
    }
    return -1;
}

const char *trm_model_why_absolute(const trm_model *model)
{
    return model ? model->why_absolute : NULL;
}
