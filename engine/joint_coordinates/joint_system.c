/// Joint coordinates as a system. Elements keep their code: forces and rows of the cuts are those
/// of an assembler of the cut model, seen through the tree,
///
///     f = T^T (f_abs - M_abs T' u),    G = G_abs T,    gamma = gamma_abs - G_abs T' u.
#include "base/loops.h"
#include "bodies/rotation.h"
#include "bodies/vector.h"
#include "engine/joint_coordinates/joint_tree.h"

#include <math.h>
#include <string.h>

/// motion->factored where Z belongs to the position, too.
enum { ROWS_KNOWN = 2 };

typedef struct joint_system {
    trm_system system;
    const trm_joint_tree *tree;
    const trm_bodies *bodies;
    trm_link_motion motion;
    trm_system *cut, *all; ///< assemblers: of the rows left, and of all rows
    double *u;             ///< [dofs] of the last motion
    double *v, *a, *f;     ///< [nv of the bodies] velocities, accelerations, forces
    double *seen;          ///< likewise: T' u of what was looked at last
    double *part;          ///< [nv]
    double *along;         ///< [dofs] forces along them
    double *constant; ///< [W links] as wrenches, forces that are constant; NULL: turn, or others
    double *Z, *P;    ///< rows seen from the dofs; room
    int rows_of_S;    ///< nonzero: S was made of this Z
} joint_system;

static joint_system *self(trm_system *system)
{
    return (joint_system *)system;
}

/// The cut model has failed.
static int blame(joint_system *js, int code)
{
    if (code) {
        trm_system *const system = &js->system;
        system->failed = js->cut->failed;
        system->explained = js->cut->explained;
        system->explained_at = js->cut->explained_at;
        memcpy(system->reason, js->cut->reason, sizeof system->reason);
    }
    return code;
}

/// The states, which follow the bodies.
static double *states_of(const joint_system *js, double *bodies)
{
    return bodies + js->bodies->nv - js->bodies->states;
}

/// v of the bodies := T u.
static void carry(joint_system *js, const double *u, double *v)
{
    trm_joints_carry(&js->motion, u);
    trm_joints_to_bodies(&js->motion, js->motion.X, v);
    memcpy(states_of(js, v), u + js->tree->ndofs, (size_t)js->bodies->states * sizeof *v);
}

/// x[nv] := T^T f.
static void collect(joint_system *js, double *f, double *x)
{
    trm_joints_from_bodies(&js->motion, f, 0);
    trm_joints_collect(&js->motion, x);
    memcpy(x + js->tree->ndofs, states_of(js, f), (size_t)js->bodies->states * sizeof *x);
}

/// V and A of the links at u; udot is 0.
static void move_links(joint_system *js, const double *u)
{
    const size_t bytes = (size_t)js->tree->ndofs * sizeof *u;
    if (!js->motion.moved || memcmp(js->u, u, bytes) != 0) {
        trm_joints_move(&js->motion, u, NULL);
        memcpy(js->u, u, bytes);
        js->motion.moved = 1;
    }
}

/// js->v of the bodies, of the links' V.
static void move_bodies(joint_system *js, const double *u)
{
    trm_joints_to_bodies(&js->motion, js->motion.V, js->v);
    memcpy(states_of(js, js->v), u + js->tree->ndofs, (size_t)js->bodies->states * sizeof *u);
}

/// rad, than its rate has led it since.
static double farther(const trm_turn *turn, double t, double x)
{
    return x - turn->x - turn->rate * (t - turn->t);
}

/// The position, and how much farther than their rates have led since the last wound point hinges
/// are: by what coordinates of the tree do about their axes. Where that changes steps are short.
static void place(joint_system *js, double t, const double *q)
{
    const trm_joint_axis *const joint = js->tree->cut->joint_axis;
    const int *const link_of = js->tree->link_of, W = js->motion.W;
    trm_turn *const turn = js->motion.pose->turn;
    const int n = turn && js->bodies->dimension == 3 ? js->tree->cut->sizes.njoint : 0;
    double all = 0, axis[3], w[3], *const X = js->motion.X + 4;
    trm_joints_place(&js->motion, q);
    for (int j = 0; j < n; j++) {
        turn[j].more = 0;
        if (joint[j].alone[0] > 0 && turn[j].known > 0) {
            all += fabs(farther(&turn[j], t, q[joint[j].alone[1]]));
        }
    }
    if (all > 1) { // a rad: surely less than half a turn
        memset(js->part, 0, (size_t)js->tree->ndofs * sizeof *q);
        for (int j = 0; j < n; j++) {
            if (joint[j].alone[0] > 0 && turn[j].known > 0) {
                js->part[joint[j].alone[0] - 1] = farther(&turn[j], t, q[joint[j].alone[1]]);
            }
        }
        trm_joints_carry(&js->motion, js->part);
    }
    for (int j = 0; all > 1 && j < n; j++) {
        trm_to_world(js->motion.pose, joint[j].a, joint[j].axis, axis);
        subtract(X + W * link_of[joint[j].b], X + W * link_of[joint[j].a], w);
        turn[j].more = dot(axis, w);
    }
}

static int position(trm_system *system, double t, const double *q)
{
    joint_system *js = self(system);
    double *const user = trm_assembler_user_q(js->cut);
    place(js, t, q);
    js->motion.factored = js->motion.factored != 0; // rows may follow the time
    if (user) {
        trm_joints_coordinates(&js->motion, q, user);
    }
    return blame(js, trm_assembler_rows(js->cut, t));
}

/// P[n] := L + constant
TRM_WIDE static void resist(int n, const double *L, const double *constant, double *restrict P)
{
    for (int i = 0; i < n; i++) {
        P[i] = L[i] + constant[i];
    }
}

/// motion->P := f_abs - M_abs T' u, and js->along; f[nv]: what of it belongs to states.
static int push(trm_system *system, const double *v, double *f, double *power)
{
    joint_system *js = self(system);
    const double *constant = js->tree->cut->constant_f;
    int code = 0;
    move_links(js, v);
    *power = 0;
    if (js->constant) {
        resist(js->tree->n * js->motion.W, js->motion.L, js->constant, js->motion.P);
    } else if (constant) {
        trm_joints_from_bodies(&js->motion, constant, 1);
    } else {
        const trm_tree_dofs dofs = {js->motion.q, v, js->along, js->tree->ndofs};
        memset(js->along, 0, (size_t)js->tree->ndofs * sizeof *f);
        move_bodies(js, v);
        js->cut->latest = system->latest;
        js->motion.pose->tree = &dofs;
        code = js->cut->ops->force(js->cut, js->v, js->f, power);
        js->motion.pose->tree = NULL;
        trm_joints_from_bodies(&js->motion, js->f, 1);
        memcpy(f + js->tree->ndofs, states_of(js, js->f), (size_t)js->bodies->states * sizeof *f);
    }
    return blame(js, code);
}

static int force(trm_system *system, const double *v, double *f, double *power)
{
    const joint_system *js = self(system);
    const int code = push(system, v, f, power);
    trm_joints_collect(&self(system)->motion, f);
    for (int k = 0; k < js->tree->ndofs; k++) {
        f[k] += js->along[k];
    }
    return code;
}

static int free_acceleration(trm_system *system, const double *v, double *a, double *power)
{
    const int code = push(system, v, a, power);
    trm_joints_accelerate(&self(system)->motion, self(system)->along, a);
    return code;
}

static int acceleration_residual(trm_system *system, const double *v, const double *a, int again,
                                 double *r)
{
    joint_system *js = self(system);
    if (system->nc == 0) {
        return 0;
    }
    move_links(js, v);
    if (!again) {
        memcpy(states_of(js, js->v), v + js->tree->ndofs, (size_t)js->bodies->states * sizeof *v);
    }
    if (a) {
        trm_joints_carry(&js->motion, a);
    }
    trm_joints_to_rows(&js->motion, js->motion.V, again ? NULL : js->v, js->motion.A,
                       a ? js->motion.X : NULL, js->a);
    for (int k = 0; k < js->bodies->states; k++) {
        states_of(js, js->a)[k] = a ? a[js->tree->ndofs + k] : 0;
    }
    return blame(js, js->cut->ops->acceleration_residual(js->cut, js->v, js->a, again, r));
}

// --------------------------------------------------------------------------------- linear algebra

static void multiply_M(trm_system *system, double *x)
{
    joint_system *js = self(system);
    carry(js, x, js->a);
    trm_bodies_multiply(js->bodies, js->a);
    collect(js, js->a, x);
}

static void solve_M(trm_system *system, double *x)
{
    trm_joints_solve(&self(system)->motion, x);
}

static void multiply_G(trm_system *system, const double *x, double *y)
{
    joint_system *js = self(system);
    if (system->nc > 0) {
        trm_joints_carry(&js->motion, x);
        trm_joints_to_rows(&js->motion, js->motion.X, js->a, NULL, NULL, NULL);
        memcpy(states_of(js, js->a), x + js->tree->ndofs, (size_t)js->bodies->states * sizeof *x);
        js->cut->ops->multiply_G(js->cut, js->a, y);
    }
}

static void spread(trm_system *system, trm_metric metric, const double *y, double *x)
{
    joint_system *js = self(system);
    const int here = metric == TRM_METRIC_MASS && js->motion.factored == ROWS_KNOWN;
    if (here || (metric == TRM_METRIC_MASS_NEAR && js->rows_of_S)) {
        trm_joints_spread_rows(&js->motion, js->Z, y, x);
        memset(x + js->tree->ndofs, 0, (size_t)js->bodies->states * sizeof *x);
        return;
    }
    js->cut->ops->spread(js->cut, TRM_METRIC_IDENTITY, y, js->f);
    if (metric != TRM_METRIC_IDENTITY) {
        trm_joints_from_bodies(&js->motion, js->f, 0);
        trm_joints_accelerate(&js->motion, NULL, x);
        memcpy(x + js->tree->ndofs, states_of(js, js->f), (size_t)js->bodies->states * sizeof *x);
    } else {
        collect(js, js->f, x);
    }
}

/// Returns 0 where Z is not that of the position.
static int spread_both(trm_system *system, const double *y, double *f, double *u)
{
    joint_system *js = self(system);
    const int n = js->tree->ndofs;
    if (js->motion.factored != ROWS_KNOWN) {
        return 0;
    }
    trm_joints_spread_rows(&js->motion, js->Z, y, u);
    trm_joints_multiply_L(&js->motion, f);
    for (int k = n; k < system->nv; k++) {
        f[k] = u[k] = 0;
    }
    return 1;
}

static void subtract_spread(trm_system *system, trm_metric metric, const double *y, double *x)
{
    joint_system *js = self(system);
    spread(system, metric, y, js->part);
    for (int i = 0; i < system->nv; i++) {
        x[i] -= js->part[i];
    }
}

static void form_S(trm_system *system, trm_metric metric, double *S)
{
    joint_system *js = self(system);
    const trm_joint_tree *tree = js->tree;
    const int plain = metric == TRM_METRIC_IDENTITY;
    double room[TRM_PIN_BLOCK];
    if (!plain) {
        trm_joints_factor(&js->motion);
    }
    for (int i = tree->block0; i < tree->nblocks; i++) {
        const int rows = tree->cut->blocks[i].rows;
        if (rows > 0) {
            trm_joints_rows(&js->motion, i, rows, trm_assembler_block(js->cut, i, room), plain,
                            js->P, js->Z);
        }
    }
    js->rows_of_S = !plain;
    js->motion.factored = plain ? (js->motion.factored ? 1 : 0) : ROWS_KNOWN;
    trm_joints_form_S(&js->motion, plain, js->Z, S);
}

// ------------------------------------------------------------------------- kinematics and energy

static void rates(trm_system *system, const double *q, const double *v, double *qdot)
{
    const trm_joint_tree *tree = self(system)->tree;
    if (tree->nq == tree->ndofs) { // no quaternions
        memcpy(qdot, v, (size_t)tree->nq * sizeof *qdot);
        return;
    }
    for (int k = 0; k < tree->ndofs; k++) {
        const trm_dof *dof = &tree->dofs[k];
        if (dof->kind != TRM_DOF_BALL) {
            qdot[dof->q] = v[k];
            continue;
        }
        trm_quaternion_rate(q + dof->q, v + k, qdot + dof->q);
        k += 2;
    }
}

static void normalize(trm_system *system, double *q)
{
    const trm_joint_tree *tree = self(system)->tree;
    for (int k = 0; tree->nq > tree->ndofs && k < tree->ndofs; k++) {
        if (tree->dofs[k].kind == TRM_DOF_BALL) {
            double *const quat = q + tree->dofs[k].q;
            const double length = sqrt(quat[0] * quat[0] + dot(quat + 1, quat + 1));
            for (int c = 0; c < 4; c++) {
                quat[c] /= length;
            }
            k += 2;
        }
    }
}

static void move(trm_system *system, const double *dx, double *q)
{
    const trm_joint_tree *tree = self(system)->tree;
    const int plain = tree->nq == tree->ndofs; // no quaternions
    for (int k = 0; plain && k < tree->ndofs; k++) {
        q[k] += dx[k];
    }
    for (int k = 0; !plain && k < tree->ndofs; k++) {
        const trm_dof *dof = &tree->dofs[k];
        if (dof->kind != TRM_DOF_BALL) {
            q[dof->q] += dx[k];
            continue;
        }
        double rate[4];
        trm_quaternion_rate(q + dof->q, dx + k, rate);
        for (int c = 0; c < 4; c++) {
            q[dof->q + c] += rate[c];
        }
        k += 2;
    }
    normalize(system, q);
}

static void wind(trm_system *system, const double *v)
{
    joint_system *js = self(system);
    const trm_tree_dofs dofs = {js->motion.q, v, js->along, js->tree->ndofs};
    carry(js, v, js->v);           // a run winds, and moves
    js->motion.pose->tree = &dofs; // angles of the tree are coordinates
    trm_system_wind(js->cut, js->v);
    js->motion.pose->tree = NULL;
}

static void *turns(const trm_system *system, size_t *bytes)
{
    return trm_system_winding(((const joint_system *)system)->cut, bytes);
}

static double kinetic(trm_system *system, const double *v)
{
    joint_system *js = self(system);
    trm_joints_carry(&js->motion, v);
    return trm_joints_kinetic(&js->motion);
}

static double potential(trm_system *system)
{
    return trm_system_potential(self(system)->cut);
}

static void mass_diagonal(trm_system *system, double *m)
{
    joint_system *js = self(system);
    trm_joints_mass_matrix(&js->motion, (trm_mass_matrix){.at = m});
    for (int k = js->tree->ndofs; k < system->nv; k++) {
        m[k] = 1;
    }
}

static void hold(trm_system *system, const int64_t *mode)
{
    joint_system *js = self(system);
    trm_system_hold_modes(js->cut, mode);
    trm_system_hold_modes(js->all, mode);
}

static void switching(trm_system *system, double t, const double *q, const double *v, int only,
                      double *g)
{
    joint_system *js = self(system);
    place(js, t, q);
    carry(js, v, js->v);
    trm_assembler_switching(js->cut, t, js->v, only, g);
}

static trm_kinematics kinematics(trm_system *system, double t, const double *q, const double *v,
                                 const double *a)
{
    joint_system *js = self(system);
    place(js, t, q);
    carry(js, a, js->a);
    move_links(js, v);
    move_bodies(js, v);
    trm_joints_to_bodies(&js->motion, js->motion.A, js->seen);
    memset(states_of(js, js->seen), 0, (size_t)js->bodies->states * sizeof *js->seen);
    return trm_assembler_moving(js->cut, t, js->v, js->a);
}

/// T^T J^T, and J T' u.
static double row(trm_system *system, const double *slots, double *row)
{
    joint_system *js = self(system);
    double sum = 0;
    trm_bodies_scatter(js->bodies, slots, js->f);
    for (int i = 0; i < js->bodies->nv; i++) {
        sum += js->f[i] * js->seen[i];
    }
    collect(js, js->f, row);
    return sum;
}

static const trm_system_ops ops = {
    TRM_SYSTEM_OPS,
    .free_acceleration = free_acceleration,
    .spread_both = spread_both,
    .wind = wind,
    .turns = turns,
    .hold = hold,
    .switching = switching,
    .kinematics = kinematics,
    .row = row,
};

/// Constant forces as wrenches. A torque in space turns with its body.
static void find_constant(joint_system *js)
{
    const double *const f = js->tree->cut->constant_f;
    const trm_bodies *bodies = js->bodies;
    double turns = f ? 0 : 1;
    for (int b = 0; f && bodies->dimension == 3 && b < bodies->n; b++) {
        const double *const torque = f + bodies->v0[b] + 3;
        turns += bodies->point[b] ? 0 : dot(torque, torque);
    }
    if (turns > 0) {
        js->constant = NULL;
        return;
    }
    trm_joints_from_bodies(&js->motion, f, 0);
    memcpy(js->constant, js->motion.P, (size_t)(js->tree->n * js->motion.W) * sizeof *f);
}

trm_system *trm_joint_system_layout(const trm_model *model, double delta, trm_arena *arena)
{
    const trm_joint_tree *tree = model->joints;
    const trm_bodies *bodies = &tree->cut->bodies;
    void *placed;
    joint_system counted, *js = trm_arena_struct(arena, sizeof counted, &counted, &placed);
    *js = (joint_system){.tree = tree, .bodies = bodies};
    js->cut = trm_assembler_layout(tree->cut, delta, arena);
    js->all = trm_assembler_layout(tree->absolute, delta, arena);
    trm_link_motion_layout(&js->motion, tree, bodies, js->cut ? trm_assembler_pose(js->cut) : NULL,
                           arena);
    js->u = trm_arena_doubles(arena, tree->ndofs);
    TRM_ARENA_DOUBLES(arena, bodies->nv, &js->v, &js->a, &js->f, &js->seen);
    js->part = trm_arena_doubles(arena, model->sizes.nv);
    js->along = trm_arena_doubles(arena, tree->ndofs);
    js->constant = trm_arena_doubles(arena, js->motion.W * tree->n);
    js->Z = trm_arena_doubles(arena, tree->nZ);
    js->P = trm_arena_doubles(arena, 24 * tree->most_path);
    double *const w = trm_arena_doubles(arena, model->sizes.nc);
    double *const f = trm_arena_doubles(arena, model->sizes.nv);
    double *const u = trm_arena_doubles(arena, model->sizes.nv);
    js->system = (trm_system){.ops = &ops,
                              .nq = model->sizes.nq,
                              .nv = model->sizes.nv,
                              .nc = model->sizes.nc,
                              .states = bodies->states,
                              .latest = INFINITY,
                              .speed = model->speed,
                              .structure = &model->structure,
                              .found = {.w = w, .f = f, .u = u}};
    trm_solver_layout(&js->system.solver, model->pattern, delta, arena);
    if (!placed) {
        return NULL;
    }
    trm_system *const cut = js->cut;
    js->system.nswitching_functions = cut->nswitching_functions;
    js->system.moving = cut->moving;
    js->system.g = cut->g;
    js->system.g_t = cut->g_t;
    js->system.inputs = js->all->inputs = cut->inputs;
    js->system.first_turns = cut->first_turns;
    trm_assembler_pose(js->all)->turn = trm_assembler_pose(cut)->turn;
    find_constant(js);
    return &js->system;
}

trm_system *trm_model_system(const trm_model *model, double delta, trm_arena *arena)
{
    return model->from_equations ? trm_equations_layout(model, delta, arena)
           : model->joints       ? trm_joint_system_layout(model, delta, arena)
                                 : trm_assembler_layout(model, delta, arena);
}

// ----------------------------------------------------------------------------- to and from bodies

trm_system *trm_joint_system_absolute(trm_system *system)
{
    return self(system)->all;
}

trm_system *trm_joint_system_cut(trm_system *system)
{
    return self(system)->cut;
}

void trm_joint_system_mass(trm_system *system, int stride, double *H)
{
    trm_joints_mass_matrix(&self(system)->motion, (trm_mass_matrix){H, stride});
}

void trm_joint_system_inertial(trm_system *system, const double *u, double *x)
{
    joint_system *js = self(system);
    trm_joints_move(&js->motion, u, NULL);
    js->motion.moved = 0;
    for (int i = 0; i < js->tree->n * js->motion.W; i++) {
        js->motion.P[i] = -js->motion.L[i];
    }
    trm_joints_collect(&js->motion, x);
}

void trm_joint_system_find(trm_system *system, double t, const double *q, const double *v,
                           const double *near, double *s, double *u)
{
    joint_system *js = self(system);
    const trm_kinematics look = trm_assembler_kinematics(js->all, t, q, v, v);
    trm_joints_find(&js->motion, look.pose, look.V, near, s, u);
    memcpy(u + js->tree->ndofs, v + js->bodies->nv - js->bodies->states,
           (size_t)js->bodies->states * sizeof *u);
}

/// lambda of the joint of link i, whose rows hold it by the wrench P about its centre.
static void react(const joint_system *js, int i, const double *P, double *lambda)
{
    const trm_joint_link *link = &js->tree->links[i];
    const trm_model *absolute = js->tree->absolute;
    const trm_block *block = &absolute->blocks[link->joint];
    const int rows = block->rows - js->tree->cut->blocks[link->joint].rows;
    const int width = js->bodies->width;
    double room[TRM_PIN_BLOCK], held[6];
    const double *G =
        trm_assembler_block(js->all, link->joint, room) + link->block_side * block->rows * width;
    memcpy(held, P, 3 * sizeof *held);
    if (width == 6) {
        rotate_back(js->motion.pose->R + 9 * link->body, P + 4, held + 3);
    }
    trm_joints_fit(width, rows, G, held, lambda + block->row);
}

/// lambda of the joints of the tree, which hold js->f.
static void react_all(joint_system *js, double *lambda)
{
    const trm_joint_tree *tree = js->tree;
    collect(js, js->f, js->part);
    for (int i = 0; i < tree->n; i++) {
        if (tree->links[i].joint >= 0) {
            react(js, i, js->motion.P + js->motion.W * i, lambda);
        }
    }
}

/// lambda[rows of bodies] := that of the cuts, 0 of the others.
static void put_cuts(const joint_system *js, const double *cuts, double *lambda)
{
    memset(lambda, 0, (size_t)js->tree->absolute->sizes.nc * sizeof *lambda);
    for (int i = 0; i < js->system.nc; i++) {
        lambda[js->tree->row_of[i]] = cuts[i];
    }
}

/// lambda of the joints of the tree: what holds bodies against forces, those of contacts and those
/// of the cuts, f + load - M a = G^T lambda.
static int find_reactions(joint_system *js, double t, const double *lambda, const double *load,
                          const trm_absolute_state *out)
{
    const int nv = js->bodies->nv;
    double power;
    put_cuts(js, lambda, out->lambda);
    int code = trm_system_position(js->all, t, out->q);
    code = code ? code : js->all->ops->force(js->all, out->v, js->f, &power);
    memcpy(js->a, out->a, (size_t)nv * sizeof *js->a);
    trm_bodies_multiply(js->bodies, js->a);
    trm_system_multiply_GT(js->all, out->lambda, js->v);
    for (int i = 0; i < nv; i++) {
        js->f[i] += (load ? load[i] : 0) - js->a[i] - js->v[i];
    }
    react_all(js, out->lambda);
    return code;
}

void trm_joint_system_bodies(trm_system *system, const double *s, const double *u, double *q,
                             double *v)
{
    joint_system *js = self(system);
    trm_joints_place(&js->motion, s);
    carry(js, u, v);
    trm_joints_coordinates(&js->motion, s, q);
}

int trm_joint_system_show(trm_system *system, double t, const double *s, const double *u,
                          const double *udot, const double *lambda, const double *load,
                          const trm_absolute_state *out)
{
    joint_system *js = self(system);
    place(js, t, s);
    trm_joint_system_bodies(system, s, u, out->q, out->v);
    const size_t states = (size_t)js->bodies->states * sizeof *u;
    trm_joints_move(&js->motion, u, udot);
    js->motion.moved = 0;
    trm_joints_to_bodies(&js->motion, js->motion.A, out->a);
    memcpy(states_of(js, out->a), udot + js->tree->ndofs, states);
    return find_reactions(js, t, lambda, load, out);
}

void trm_absolute_layout(trm_absolute_state *state, const trm_model *absolute, trm_arena *arena)
{
    const trm_sizes n = absolute->sizes;
    state->q = trm_arena_doubles(arena, n.nq + n.nv);
    state->v = state->q ? state->q + n.nq : NULL;
    state->a = trm_arena_doubles(arena, n.nv);
    state->lambda = trm_arena_doubles(arena, n.nc);
}
