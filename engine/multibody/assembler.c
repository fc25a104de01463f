/// Bodies in absolute coordinates as a system: M, f, g, G, g_t,
/// gamma and N of a model from a scene.
///
/// M is block diagonal and constant, so S = G M^-1 G^T is a sum over bodies: joints i and j that
/// share body b add G_ib M_b^-1 G_jb^T to S_ij. Vectors of nv entries are spread over slots
/// (bodies/pose.h) on the way in.
#include "base/status.h"
#include "engine/multibody/coordinate.h"
#include "engine/multibody/form_spatial.h"
#include "engine/multibody/model.h"
#include "engine/multibody/sides.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct assembler {
    trm_system system;
    const trm_model *model;
    trm_pose pose;
    double *q;       ///< [nq] copy of the current point, for user functions
    double *V, *F;   ///< [slots]
    double *G;       ///< [nG] blocks as in trm_block
    double *m;       ///< [pins.nmoments]
    double *H;       ///< [nG] sides of joints that fix a point, times the weight: form_spatial.h
    double *g, *g_t; ///< [nc]
    double *gamma;   ///< [nc] of all rows except those of pins
    double *part;    ///< [nv] to be subtracted
    double *user;    ///< [user_work] rows of a user's G
    double *user_v;  ///< [nv]
    double *user_q;  ///< [nq]
} assembler;

static assembler *self(trm_system *system)
{
    return (assembler *)system;
}

static int slots(const trm_model *model)
{
    return trm_bodies_slots(&model->bodies);
}

/// The pose stands; the time is t.
static void arrive(assembler *as, double t)
{
    as->pose.t = t;
    trm_inputs_at(as->system.inputs, as->model->sizes.ninput, t, as->pose.input);
}

trm_kinematics trm_assembler_moving(trm_system *system, double t, const double *v, const double *a)
{
    assembler *as = self(system);
    arrive(as, t);
    trm_bodies_gather(&as->model->bodies, v, as->V);
    trm_bodies_gather(&as->model->bodies, a, as->F);
    return (trm_kinematics){&as->pose, as->V, as->F};
}

static trm_kinematics kinematics(trm_system *system, double t, const double *q, const double *v,
                                 const double *a)
{
    assembler *as = self(system);
    trm_bodies_pose(&as->model->bodies, t, q, &as->pose);
    return trm_assembler_moving(system, t, v, a);
}

trm_kinematics trm_assembler_kinematics(trm_system *system, double t, const double *q,
                                        const double *v, const double *a)
{
    return system->ops->kinematics(system, t, q, v, a);
}

trm_kinematics trm_assembler_kinematics_of(trm_system *system, double t, const double *q,
                                           const double *v, int n, const int *list)
{
    assembler *as = self(system);
    const trm_bodies *const bodies = &as->model->bodies;
    if (system->ops->kinematics != kinematics) {
        return system->ops->kinematics(system, t, q, v, v);
    }
    arrive(as, t);
    for (int i = 0; i < n; i++) {
        if (list[i] >= 0 && list[i] < bodies->n) {
            trm_bodies_place(bodies, list[i], q, v, &as->pose, as->V);
        }
    }
    for (int k = 0; k < bodies->states; k++) {
        as->V[trm_state_slot(&as->pose, k)] = v[bodies->nv - bodies->states + k];
    }
    return (trm_kinematics){&as->pose, as->V, as->F};
}

static double row(trm_system *system, const double *slots, double *row)
{
    trm_bodies_scatter(&self(system)->model->bodies, slots, row);
    return 0;
}

double trm_assembler_row(trm_system *system, const double *slots, double *row)
{
    return system->ops->row(system, slots, row);
}

trm_pose *trm_assembler_pose(trm_system *system)
{
    return &self(system)->pose;
}

double *trm_assembler_user_q(trm_system *system)
{
    assembler *as = self(system);
    return as->model->nuser_rows + as->model->nuser_forces > 0 ? as->q : NULL;
}

const double *trm_assembler_block(const trm_system *system, int block, double room[TRM_PIN_BLOCK])
{
    const assembler *as = (const assembler *)system;
    const trm_model *model = as->model;
    const int at = model->pins.nmoments > 0 ? model->pins.moment[block] : -1;
    const double *m = as->m + at;
    if (at < 0) {
        return as->G + model->blocks[block].G;
    }
    for (int k = 0; k < 2; k++) {
        const int body = model->block_bodies[model->blocks[block].body + k];
        const int moves = body < model->bodies.n;
        const double sign = moves ? 2 * k - 1 : 0;
        const double rows[6] = {sign, 0, moves ? m[0] : 0, 0, sign, moves ? m[1] : 0};
        memcpy(room + 6 * k, rows, sizeof rows);
        m += moves ? 2 : 0;
    }
    return room;
}

void trm_assembler_blame(trm_system *system, const trm_pose *pose, const double *V,
                         const char *name, const trm_function *formulas, int n)
{
    system->failed = name;
    system->explained = NULL;
    for (int i = 0; i < n && !system->explained; i++) {
        const int told =
            trm_function_reason(&formulas[i], pose, V, system->reason, sizeof system->reason);
        system->explained = told ? name : NULL;
        system->explained_at = formulas[i].where;
    }
}

// ------------------------------------------------------------------------------------ positions

static const trm_contact_row *held_by(const assembler *as, const trm_expression_row *row)
{
    return row->held.contact >= 0 ? &as->model->contacts[row->held.contact] : NULL;
}

/// The coordinate of a contact: g = x - at, one row of G, g_t.
static void held_position(assembler *as, const trm_expression_row *row, double *g, double *g_t,
                          const trm_gradient_place *at)
{
    const trm_contact_row *const contact = held_by(as, row);
    const size_t width = (size_t)as->model->bodies.width;
    double x[3], place[TRM_COORDINATE_PLACE];
    if (contact->x.code) {
        *g = trm_function_gradient(&contact->x, &as->pose, at, g_t) - row->held.at;
        return;
    }
    memcpy(place, row->held.place, sizeof place);
    memset(as->F, 0, (size_t)slots(as->model) * sizeof(double));
    *g_t = trm_coordinate_gradient(contact, place, 1, &as->pose, as->V, as->F);
    trm_coordinate_jet(contact, place, 1, &as->pose, as->V, x);
    *g = row->of_velocity ? 0 : x[0] - row->held.at;
    for (int b = 0; b < at->nbodies; b++) {
        memcpy(at->G + b * at->stride, as->F + width * (size_t)at->bodies[b],
               width * sizeof(double));
    }
}

/// Rows by expression: g = e, one row of G, g_t.
static void expression_positions(assembler *as)
{
    const trm_model *model = as->model;
    const int width = model->bodies.width;
    for (int k = 0; k < model->nexpressions; k++) {
        const trm_expression_row *row = &model->expressions[k];
        const trm_block *block = &model->blocks[row->block];
        const trm_gradient_place at = {.bodies = model->block_bodies + block->body,
                                       .nbodies = block->nbodies,
                                       .stride = block->rows * width,
                                       .G = as->G + block->G + row->r * width};
        const int i = block->row + row->r;
        if (row->r == 0) {
            memset(at.G, 0, (size_t)(block->nbodies * at.stride) * sizeof(double));
        }
        if (held_by(as, row)) {
            held_position(as, row, &as->g[i], &as->g_t[i], &at);
        } else if (row->of_velocity) {
            as->g[i] = 0;
            as->g_t[i] = trm_function_speed_gradient(&row->e, &as->pose, &at);
        } else {
            as->g[i] = trm_function_gradient(&row->e, &as->pose, &at, &as->g_t[i]);
        }
    }
}

/// The model that functions of the user know.
static const trm_model *told_of(const trm_model *model)
{
    return model->absolute ? model->absolute : model;
}

/// Rows by a user: their dense G goes into one block per body.
static int user_positions(assembler *as)
{
    const trm_model *model = as->model, *const told = told_of(model);
    const trm_bodies *bodies = &model->bodies;
    const int nv = bodies->nv;
    const double t = as->pose.t;
    for (int k = 0; k < model->nuser_rows; k++) {
        const trm_constraint_def *def = &model->user_rows[k].def;
        const trm_block *block = &model->blocks[model->user_rows[k].block];
        int code = def->g(told, t, as->q, as->g + block->row, def->user);
        code = code ? code : def->G(told, t, as->q, as->user, def->user);
        if (!code && def->g_t) {
            code = def->g_t(told, t, as->q, as->g_t + block->row, def->user);
        }
        if (code) {
            as->system.failed = def->name;
            return code;
        }
        if (trm_system_check_finite(&as->system, def->name, block->rows, as->g + block->row) ||
            trm_system_check_finite(&as->system, def->name, block->rows, as->g_t + block->row) ||
            trm_system_check_finite(&as->system, def->name, block->rows * nv, as->user)) {
            return 1;
        }
        for (int r = 0; r < block->rows; r++) {
            trm_bodies_gather(bodies, as->user + r * nv, as->F);
            for (int b = 0; b < bodies->n; b++) {
                memcpy(as->G + block->G + (b * block->rows + r) * bodies->width,
                       as->F + b * bodies->width, (size_t)bodies->width * sizeof(double));
            }
        }
    }
    return 0;
}

/// A driven row: g - c(t), g_t = -c'.
static int drive_positions(assembler *as)
{
    for (int k = 0; k < as->model->ndrives; k++) {
        const trm_drive *drive = &as->model->drives[k];
        double c[3];
        trm_function_of_time(&drive->c, &as->pose, c);
        as->g[drive->row] -= c[0];
        if (drive->period > 0) {
            trm_turn *const turn = &as->pose.turn[drive->joint];
            as->g[drive->row] = remainder(as->g[drive->row], drive->period);
            turn->x = turn->known > 0 ? turn->x : c[0]; // a run begins with the motor's turns
        }
        as->g_t[drive->row] = -c[1];
        if (!isfinite(c[0]) || !isfinite(c[1]) || !isfinite(c[2])) {
            trm_assembler_blame(&as->system, &as->pose, as->V, drive->name, &drive->c, 1);
            return 1;
        }
    }
    return 0;
}

/// Name the first row by expression whose value is not a number.
static int expressions_finite(assembler *as)
{
    for (int k = 0; k < as->model->nexpressions; k++) {
        const trm_expression_row *row = &as->model->expressions[k];
        const int r = as->model->blocks[row->block].row + row->r;
        if (!isfinite(as->g[r]) || !isfinite(as->g_t[r])) {
            trm_assembler_blame(&as->system, &as->pose, as->V, row->name, &row->e, 1);
            return 0;
        }
    }
    return 1;
}

/// Whether there are rows other than those of pins.
static int has_other_rows(const assembler *as)
{
    return as->system.nc > 2 * (as->model->pins.nground + as->model->pins.n);
}

/// Rows that may move by themselves, after the others.
static int moving_positions(assembler *as)
{
    expression_positions(as);
    TRM_TRY(user_positions(as));
    return drive_positions(as) || !expressions_finite(as);
}

static int position(trm_system *system, double t, const double *q)
{
    assembler *as = self(system);
    const trm_model *model = as->model;
    double *const user = trm_assembler_user_q(system);
    if (user) {
        memcpy(user, q, (size_t)system->nq * sizeof(double));
    }
    trm_bodies_pose(&model->bodies, t, q, &as->pose);
    return trm_assembler_rows(system, t);
}

int trm_assembler_rows(trm_system *system, double t)
{
    assembler *as = self(system);
    const trm_model *model = as->model;
    arrive(as, t);
    trm_pins_position(&model->pins, &as->pose, as->g, as->m, as->G);
    if (!has_other_rows(as)) {
        return 0;
    }
    const trm_row_ops *const *ops_of = trm_row_table[model->bodies.dimension - 2];
    for (int k = 0; k < model->nkinds; k++) {
        const int kind = model->kind[k];
        ops_of[kind]->position(&model->batch[kind], &as->pose, as->g, as->G);
    }
    return system->moving ? moving_positions(as) : 0;
}

static trm_planar_place place(trm_system *system, double t)
{
    assembler *as = self(system);
    const trm_pose *pose = &as->pose;
    arrive(as, t);
    return (trm_planar_place){pose->x, pose->y, pose->angle, pose->c, pose->s, as->g, as->m};
}

// --------------------------------------------------------------------------------------- forces

/// F = 0, the start of a sum.
static void clear_F(assembler *as)
{
    memset(as->F, 0, (size_t)slots(as->model) * sizeof(double));
}

/// Forces of the user, first in F; they count as work. f[nv] is a workspace.
static int user_forces(assembler *as, const double *v, double *f)
{
    const trm_model *model = as->model, *const told = told_of(model);
    const int nv = as->system.nv;
    const double t = fmin(as->pose.t, as->system.latest);
    memset(f, 0, (size_t)nv * sizeof(double));
    for (int k = 0; k < model->nuser_forces; k++) {
        const trm_force_def *def = &model->user_forces[k];
        const int code = def->force(told, t, as->q, v, f, def->user);
        if (code) {
            as->system.failed = def->name;
            return code;
        }
        if (trm_system_check_finite(&as->system, def->name, nv, f)) {
            return 1;
        }
    }
    trm_bodies_gather(&model->bodies, f, as->F);
    return 0;
}

/// Forces by elements of the kinds that only work, or of the others. Returns how many groups.
static int element_forces(assembler *as, int only_work, double *power)
{
    const trm_model *model = as->model;
    int n = 0;
    for (int k = 0; k < model->ngroups; k++) {
        const trm_force_group *group = &model->groups[k];
        const trm_force_kind *kind = group->kind;
        if (only_work != (!kind->potential && !kind->power)) {
            continue;
        }
        const int bad = kind->apply(group->elements, group->n, &as->pose, as->V, as->F);
        if (bad) {
            trm_assembler_blame(&as->system, &as->pose, as->V, group->names[bad - 1],
                                group->values ? group->values[bad - 1] : NULL,
                                group->values ? TRM_FORCE_VALUES : 0);
            return -1;
        }
        *power += kind->power ? kind->power(group->elements, group->n, &as->pose, as->V) : 0;
        n++;
    }
    return n;
}

static int force(trm_system *system, const double *v, double *f, double *power)
{
    assembler *as = self(system);
    const trm_model *model = as->model;
    *power = 0;
    clear_F(as);
    TRM_TRY(model->nuser_forces > 0 ? user_forces(as, v, f) : 0);
    trm_bodies_gather(&model->bodies, v, as->V);
    const int nwork = element_forces(as, 1, power);
    for (int i = 0; nwork + model->nuser_forces > 0 && i < model->bodies.width * model->bodies.n;
         i++) {
        *power += as->F[i] * as->V[i];
    }
    const trm_tree_dofs *const tree = as->pose.tree;
    for (int k = 0; tree && k < tree->n; k++) {
        *power += tree->f[k] * tree->u[k];
    }
    if (!model->absolute) { // else they are the tree's
        trm_bodies_gyroscopic(&model->bodies, as->V, as->F);
    }
    if (nwork < 0 || element_forces(as, 0, power) < 0) {
        return 1;
    }
    trm_bodies_scatter(&model->bodies, as->F, f);
    return 0;
}

// ---------------------------------------------------------------------------------------- gamma

/// gamma of rows whose user gave none: -(d/dt)(G v + g_t) along q' = N v
/// with v fixed, by a central difference.
static int user_gamma_by_difference(assembler *as, const trm_constraint_def *def, const double *v,
                                    double *gamma)
{
    const trm_model *const told = told_of(as->model);
    const int nv = as->system.nv;
    const double tau = cbrt(DBL_EPSILON);
    memset(gamma, 0, (size_t)def->rows * sizeof(double));
    for (int side = -1; side <= 1; side += 2) {
        const double t = as->pose.t + side * tau;
        memcpy(as->user_q, as->q, (size_t)as->system.nq * sizeof(double));
        for (int i = 0; i < nv; i++) {
            as->user_v[i] = side * tau * v[i];
        }
        trm_bodies_move(&as->model->bodies, as->user_v, as->user_q);
        int code = def->G(told, t, as->user_q, as->user, def->user);
        if (!code && def->g_t) {
            code = def->g_t(told, t, as->user_q, as->user_v, def->user);
        }
        if (code) {
            return code;
        }
        for (int r = 0; r < def->rows; r++) {
            double rate = def->g_t ? as->user_v[r] : 0;
            for (int i = 0; i < nv; i++) {
                rate += as->user[r * nv + i] * v[i];
            }
            gamma[r] -= side * rate / (2 * tau);
        }
    }
    return 0;
}

static int user_gammas(assembler *as, const double *v, double *gamma)
{
    const trm_model *model = as->model, *const told = told_of(model);
    for (int k = 0; k < model->nuser_rows; k++) {
        const trm_constraint_def *def = &model->user_rows[k].def;
        double *out = gamma + model->blocks[model->user_rows[k].block].row;
        const int code = def->gamma ? def->gamma(told, as->pose.t, as->q, v, out, def->user)
                                    : user_gamma_by_difference(as, def, v, out);
        if (code) {
            as->system.failed = def->name;
            return code;
        }
        if (trm_system_check_finite(&as->system, def->name, def->rows, out)) {
            return 1;
        }
    }
    return 0;
}

/// gamma of rows that may move by themselves, after the others.
static int moving_gammas(assembler *as, const double *v, double *gamma)
{
    const trm_model *model = as->model;
    for (int k = 0; k < model->nexpressions; k++) {
        const trm_expression_row *row = &model->expressions[k];
        double e[3], place[TRM_COORDINATE_PLACE];
        const trm_contact_row *const contact = held_by(as, row);
        if (contact) {
            memcpy(place, row->held.place, sizeof place);
            trm_coordinate_jet(contact, place, 1, &as->pose, as->V, e);
        } else {
            trm_function_jet(&row->e, &as->pose, as->V, e);
        }
        const int second = !row->of_velocity || contact; // derivatives of a velocity begin with x'
        gamma[model->blocks[row->block].row + row->r] = second ? -e[2] : -e[1];
    }
    for (int k = 0; k < model->ndrives; k++) {
        double c[3];
        trm_function_of_time(&model->drives[k].c, &as->pose, c);
        gamma[model->drives[k].row] += c[2];
    }
    return user_gammas(as, v, gamma);
}

/// x[nv] in slots without those of the ground, as planar rows read
/// it: x itself, or a copy in `room`.
static const double *slots_of(const assembler *as, const double *x, double *room)
{
    const trm_bodies *bodies = &as->model->bodies;
    if (bodies->points == 0) {
        return x;
    }
    trm_bodies_gather(bodies, x, room);
    return room;
}

/// gamma of all rows but those of pins.
static int other_gammas(assembler *as, const double *v, double *gamma)
{
    const trm_model *model = as->model;
    const trm_row_ops *const *ops_of = trm_row_table[model->bodies.dimension - 2];
    const int all_slots = model->bodies.dimension == 3 || as->system.moving;
    if (all_slots) {
        trm_bodies_gather(&model->bodies, v, as->V);
    }
    const double *V = all_slots ? as->V : slots_of(as, v, as->V);
    for (int k = 0; k < model->nkinds; k++) {
        const int kind = model->kind[k];
        ops_of[kind]->gamma(&model->batch[kind], &as->pose, V, gamma);
    }
    return as->system.moving ? moving_gammas(as, v, gamma) : 0;
}

// --------------------------------------------------------------------------------- linear algebra

static void multiply_M(trm_system *system, double *x)
{
    trm_bodies_multiply(&self(system)->model->bodies, x);
}

static void solve_M(trm_system *system, double *x)
{
    trm_bodies_solve(&self(system)->model->bodies, x);
}

static void solve_heavy_M(trm_system *system, double *x)
{
    trm_bodies_solve_heavy(&self(system)->model->bodies, x);
}

static int has_pins(const assembler *as)
{
    return as->model->pins.nmoments > 0;
}

static void multiply_G(trm_system *system, const double *x, double *y)
{
    assembler *as = self(system);
    const trm_model *model = as->model;
    if (has_other_rows(as)) {
        memset(y, 0, (size_t)system->nc * sizeof(double));
        trm_sides_multiply(model, as->G, x, y);
    }
    if (has_pins(as)) {
        trm_pins_multiply_G(&model->pins, as->m, slots_of(as, x, as->V), y);
    }
}

static int acceleration_residual(trm_system *system, const double *v, const double *a, int again,
                                 double *r)
{
    assembler *as = self(system);
    const trm_model *model = as->model;
    int code = 0;
    if (has_other_rows(as)) {
        code = again ? 0 : other_gammas(as, v, as->gamma);
        for (int i = 0; i < system->nc; i++) {
            r[i] = -as->gamma[i];
        }
        if (a) {
            trm_sides_multiply(model, as->G, a, r);
        }
    }
    if (has_pins(as)) {
        if (!a) {
            clear_F(as);
        }
        trm_pins_acceleration_residual(&model->pins, as->m, slots_of(as, v, as->V),
                                       a ? slots_of(as, a, as->F) : as->F, r);
    }
    return code;
}

/// F = G^T y
static void collect(assembler *as, const double *y)
{
    clear_F(as);
    if (has_pins(as)) {
        trm_pins_multiply_GT(&as->model->pins, as->m, y, as->F);
    }
    if (has_other_rows(as)) {
        trm_sides_spread(as->model, as->G, y, as->F);
    }
}

static void spread(trm_system *system, trm_metric metric, const double *y, double *x)
{
    assembler *as = self(system);
    const trm_bodies *bodies = &as->model->bodies;
    collect(as, y);
    if (metric != TRM_METRIC_IDENTITY) {
        trm_bodies_scatter_solved(bodies, as->F, x);
    } else {
        trm_bodies_scatter(bodies, as->F, x);
    }
}

static void subtract_spread(trm_system *system, trm_metric metric, const double *y, double *x)
{
    assembler *as = self(system);
    const trm_bodies *bodies = &as->model->bodies;
    if (metric != TRM_METRIC_IDENTITY) {
        collect(as, y);
        trm_bodies_subtract_solved(bodies, as->F, as->part, x);
        return;
    }
    spread(system, metric, y, as->part);
    for (int i = 0; i < system->nv; i++) {
        x[i] -= as->part[i];
    }
}

/// S_ij += G_i diag(w, w, u) G_j^T; rows_i and rows_j are literal where it is called.
static inline void couple_planar(int rows_i, int rows_j, const double *Gi, const double *Gj,
                                 double w, double u, int stride, double *S)
{
    for (int a = 0; a < rows_i; a++) {
        const double x = Gi[3 * a] * w;
        const double y = Gi[3 * a + 1] * w;
        const double turn = Gi[3 * a + 2] * u;
        for (int b = 0; b < rows_j; b++) {
            S[a * stride + b] += x * Gj[3 * b] + y * Gj[3 * b + 1] + turn * Gj[3 * b + 2];
        }
    }
}

static void form_planar(const assembler *as, trm_metric metric, double *S)
{
    const trm_model *model = as->model;
    const trm_bodies *bodies = &model->bodies;
    const int mass = metric == TRM_METRIC_MASS;
    const double *w = mass ? bodies->inverse_mass : bodies->moves;
    const double *u = mass ? bodies->inverse_inertia : bodies->turns;
    trm_pins_form_S(&model->pins, as->m, metric == TRM_METRIC_IDENTITY, S);
    for (int k = 0; k < model->ncouplings; k++) {
        const trm_coupling *c = &model->couplings[k];
        const double *Gi = as->G + c->Gi, *Gj = as->G + c->Gj;
        if (c->rows_i == 1 && c->rows_j == 1) {
            couple_planar(1, 1, Gi, Gj, w[c->body], u[c->body], c->stride, S + c->S);
        } else if (c->rows_i == 1 && c->rows_j == 2) {
            couple_planar(1, 2, Gi, Gj, w[c->body], u[c->body], c->stride, S + c->S);
        } else if (c->rows_i == 2 && c->rows_j == 1) {
            couple_planar(2, 1, Gi, Gj, w[c->body], u[c->body], c->stride, S + c->S);
        } else if (c->rows_i == 2 && c->rows_j == 2) {
            couple_planar(2, 2, Gi, Gj, w[c->body], u[c->body], c->stride, S + c->S);
        } else {
            couple_planar(c->rows_i, c->rows_j, Gi, Gj, w[c->body], u[c->body], c->stride,
                          S + c->S);
        }
    }
}

/// B and 1/C of the light bodies (null_space.h).
static void find_light(trm_system *system)
{
    assembler *as = self(system);
    const trm_bodies *bodies = &as->model->bodies;
    const trm_pattern *const pattern = system->solver.pattern;
    trm_light_axes *const light = &system->solver.null.light;
    double *const turn = as->user_v, *const rows = as->user_v + system->nv;
    light->lightest = bodies->least_light;
    for (int b = 0, k = 0; b < bodies->n; b++) {
        const int axis = bodies->light[b], entry = 9 * b + 4 * axis;
        if (axis >= 0) {
            const double *const W = bodies->inverse_inertia + entry - axis;
            double *const B = light->B + (size_t)k * (size_t)pattern->n;
            memset(turn, 0, (size_t)system->nv * sizeof *turn);
            memcpy(turn + bodies->v0[b] + 3, W, 3 * sizeof *turn);
            multiply_G(system, turn, rows);
            memset(B, 0, (size_t)pattern->n * sizeof *B);
            for (int i = 0; i < system->nc; i++) {
                B[pattern->place_of[i]] = rows[i];
            }
            light->over_C[k++] = W[axis] * W[axis] / (W[axis] - bodies->inverse_heavy[entry]);
        }
    }
}

static void form_S(trm_system *system, trm_metric metric, double *S)
{
    const assembler *as = self(system);
    const trm_model *model = as->model;
    for (const trm_blank *blank = model->blanks; blank < model->blanks + model->nblanks; blank++) {
        memset(S + blank->begin, 0, (size_t)blank->count * sizeof *S);
    }
    if (model->bodies.dimension == 2) {
        form_planar(as, metric, S);
    } else {
        const trm_bodies *const bodies = &model->bodies;
        const int mass = metric == TRM_METRIC_MASS;
        const int light = mass && as->system.solver.null.used.light > 0;
        const double *const W = light ? bodies->inverse_heavy : bodies->inverse_inertia;
        trm_form_spatial(model, mass ? W : NULL, as->G, as->H, S);
        if (light) {
            find_light(system);
        }
    }
}

// ------------------------------------------------------------------------- kinematics and energy

static void rates(trm_system *system, const double *q, const double *v, double *qdot)
{
    trm_bodies_rates(&self(system)->model->bodies, q, v, qdot);
}

static void move(trm_system *system, const double *dx, double *q)
{
    trm_bodies_move(&self(system)->model->bodies, dx, q);
}

static void normalize(trm_system *system, double *q)
{
    trm_bodies_normalize(&self(system)->model->bodies, q);
}

static double kinetic(trm_system *system, const double *v)
{
    assembler *as = self(system);
    trm_bodies_gather(&as->model->bodies, v, as->V);
    return trm_bodies_kinetic(&as->model->bodies, as->V);
}

static double potential(trm_system *system)
{
    assembler *as = self(system);
    double sum = 0;
    for (int k = 0; k < as->model->ngroups; k++) {
        const trm_force_group *group = &as->model->groups[k];
        if (group->kind->potential) {
            sum += group->kind->potential(group->elements, group->n, &as->pose);
        }
    }
    return sum;
}

static void mass_diagonal(trm_system *system, double *m)
{
    assembler *as = self(system);
    const trm_bodies *bodies = &as->model->bodies;
    const int linear = bodies->dimension;
    memset(as->F, 0, (size_t)slots(as->model) * sizeof(double));
    for (int b = 0; b < bodies->n; b++) {
        for (int c = 0; c < bodies->width; c++) {
            const int turn = c - linear;
            const double J = linear == 2 ? bodies->inertia[b]
                                         : bodies->inertia[9 * b + 4 * (turn > 0 ? turn : 0)];
            as->F[b * bodies->width + c] = turn < 0 ? bodies->mass[b] : J;
        }
    }
    for (int k = 0; k < bodies->states; k++) {
        as->F[trm_state_slot(&as->pose, k)] = 1;
    }
    trm_bodies_scatter(bodies, as->F, m);
}

// --------------------------------------------------------------------------------------- switches

static void hold(trm_system *system, const int64_t *mode)
{
    self(system)->pose.mode = mode;
}

static void switching(trm_system *system, double t, const double *q, const double *v, int only,
                      double *g)
{
    assembler *as = self(system);
    trm_bodies_pose(&as->model->bodies, t, q, &as->pose);
    trm_assembler_switching(system, t, v, only, g);
}

void trm_assembler_switching(trm_system *system, double t, const double *v, int only, double *g)
{
    assembler *as = self(system);
    const trm_model *model = as->model;
    arrive(as, t);
    trm_bodies_gather(&model->bodies, v, as->V);
    for (int i = only < 0 ? 0 : only; i < (only < 0 ? model->nswitching_formulas : only + 1); i++) {
        const trm_function *f = &model->switching_formulas[i].f;
        trm_function_switching(f, &as->pose, as->V, g + f->first_switching_function);
    }
}

/// Hinges, of which in the plane none needs it, and points on curves.
static int turns_kept(const trm_model *model)
{
    return model->bodies.dimension == 3 || model->nguides ? model->sizes.njoint + model->nguides
                                                          : 0;
}

static void wind(trm_system *system, const double *v)
{
    assembler *as = self(system);
    const trm_model *model = as->model;
    if (v && as->pose.turn) {
        trm_bodies_gather(&model->bodies, v, as->V);
    }
    trm_joints_wind(model->joint_axis, model->sizes.njoint, v ? as->V : NULL, &as->pose);
    trm_guides_wind(model->guides, model->nguides, &as->pose);
}

static void *turns(const trm_system *system, size_t *bytes)
{
    const assembler *as = (const assembler *)system;
    *bytes = as->pose.turn ? (size_t)turns_kept(as->model) * sizeof *as->pose.turn : 0;
    return as->pose.turn;
}

static const trm_system_ops ops = {
    TRM_SYSTEM_OPS,           .place = place, .wind = wind,
    .turns = turns,           .hold = hold,   .switching = switching,
    .kinematics = kinematics, .row = row,     .solve_heavy_M = solve_heavy_M,
};

static void pose_layout(trm_pose *pose, const trm_model *model, trm_arena *arena)
{
    const int n = model->bodies.n + 1;
    pose->nbody = model->bodies.n;
    pose->width = model->bodies.width;
    if (model->bodies.dimension == 2) {
        TRM_ARENA_DOUBLES(arena, n, &pose->x, &pose->y, &pose->angle, &pose->c, &pose->s);
    } else {
        pose->p = trm_arena_doubles(arena, 3 * n);
        pose->R = trm_arena_doubles(arena, 9 * n);
    }
    if (turns_kept(model)) {
        pose->turn = trm_arena_take(arena, (size_t)turns_kept(model), sizeof *pose->turn);
    }
    pose->input = trm_arena_doubles(arena, 3 * model->sizes.ninput);
    pose->reading = trm_arena_doubles(arena, model->nreadings);
    pose->scratch = trm_arena_doubles(arena, model->scratch);
    pose->room = trm_arena_doubles(arena, model->room);
}

static trm_input *inputs_layout(const trm_model *model, trm_arena *arena)
{
    trm_input *inputs = trm_arena_take(arena, (size_t)model->sizes.ninput, sizeof *inputs);
    for (int i = 0; inputs && i < model->sizes.ninput; i++) {
        inputs[i].smooth = model->input_info[i].smooth;
        trm_input_settle(&inputs[i], model->input_info[i].value);
    }
    return inputs;
}

trm_system *trm_assembler_layout(const trm_model *model, double delta, trm_arena *arena)
{
    void *placed;
    assembler counted, *as = trm_arena_struct(arena, sizeof counted, &counted, &placed);
    *as = (assembler){.model = model};
    pose_layout(&as->pose, model, arena);
    as->q = trm_arena_doubles(arena, model->sizes.nq);
    TRM_ARENA_DOUBLES(arena, slots(model), &as->V, &as->F);
    as->G = trm_arena_doubles(arena, model->nG);
    as->m = trm_arena_doubles(arena, model->pins.nmoments);
    as->H = trm_arena_doubles(arena, model->bodies.dimension == 3 ? model->nG : 0);
    TRM_ARENA_DOUBLES(arena, model->sizes.nc, &as->g, &as->g_t, &as->gamma);
    const size_t workspace = arena->used;
    as->part = trm_arena_doubles(arena, model->sizes.nv);
    as->pose.guided = trm_arena_take(arena, (size_t)model->nguides, sizeof *as->pose.guided);
    as->user = trm_arena_doubles(arena, model->user_work);
    as->user_v = trm_arena_doubles(arena, model->sizes.nv + model->sizes.nc);
    as->user_q = trm_arena_doubles(arena, model->sizes.nq);
    double *const w = trm_arena_doubles(arena, model->sizes.nc);
    double *const f = trm_arena_doubles(arena, model->sizes.nv);
    double *const u = trm_arena_doubles(arena, model->sizes.nv);
    trm_arena_workspace(arena, workspace);
    trm_input *inputs = inputs_layout(model, arena);
    as->system = (trm_system){.ops = &ops,
                              .nq = model->sizes.nq,
                              .nv = model->sizes.nv,
                              .nc = model->sizes.nc,
                              .states = model->bodies.states,
                              .latest = INFINITY,
                              .nswitching_functions = model->nswitching_functions,
                              .moving = model->ndrives + model->nexpressions + model->nuser_rows,
                              .g = as->g,
                              .g_t = as->g_t,
                              .first_turns = model->turns,
                              .speed = model->speed,
                              .structure = &model->structure,
                              .constant_a = model->constant_a,
                              .inputs = inputs,
                              .found = {.w = w, .f = f, .u = u}};
    trm_solver_layout(&as->system.solver, model->pattern, delta, arena);
    if (as->G) {
        trm_pins_prepare(&model->pins, as->G);
    }
    trm_system_take_winding(&as->system, NULL);
    return placed ? &as->system : NULL;
}
