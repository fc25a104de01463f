/// Joint coordinates against those of the bodies: random mechanisms of every kind of joint, trees
/// and loops, at random states.
#include "base/linear/sums.h"
#include "tests/rig.h"

#include "engine/contact/contact.h"
#include "engine/joint_coordinates/joint_tree.h"
#include "engine/system/terms.h"
#include "validation/papers/problems/problems.h"

enum { TEXT = 60000, MOST = 256 };

typedef struct text {
    char at[TEXT];
    size_t used;
} text;

__attribute__((format(printf, 2, 3))) static void say(text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->used += (size_t)vsnprintf(t->at + t->used, TEXT - t->used, format, list);
    va_end(list);
    assert_true(t->used < TEXT);
}

/// Uniform in [-1, 1], the same in every run.
static double chance(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static int one_of(uint64_t *seed, int n)
{
    return (int)floor((chance(seed) + 1) / 2 * n);
}

static void say_body(text *t, uint64_t *seed, int dimension, int i)
{
    say(t, "%s{\"name\": \"b%d\", \"mass\": %.17g, ", i > 0 ? ", " : "", i, 1.5 + chance(seed));
    if (dimension == 2) {
        say(t, "\"inertia\": %.17g, \"position\": [%.17g, %.17g], \"angle\": %.17g}",
            0.5 + 0.4 * chance(seed), chance(seed), chance(seed), 3 * chance(seed));
        return;
    }
    say(t,
        "\"inertia\": [%.17g, %.17g, %.17g], \"position\": [%.17g, %.17g, %.17g], \"quat_wxyz\": "
        "[%.17g, %.17g, %.17g, %.17g]}",
        0.5 + 0.1 * chance(seed), 0.6 + 0.1 * chance(seed), 0.7 + 0.1 * chance(seed), chance(seed),
        chance(seed), chance(seed), 1.5 + chance(seed), chance(seed), chance(seed), chance(seed));
}

static const char *const plane[] = {"revolute", "prismatic", "weld", "pin_in_slot"};
static const char *const space[] = {"revolute",  "prismatic",     "weld",
                                    "spherical", "universal",     "cylindrical",
                                    "planar",    "point_on_line", "point_on_plane"};
static const char *const closing[] = {"rod", "point_on_plane", "spherical", "rod"};

/// What a hinge or slider may have: the formats of friction and limits.
static const char *const touching[] = {
    "\"limits\": [-0.5, 0.7]", "\"friction\": 0.8",
    "\"friction\": {\"sliding\": 0.3, \"sticking\": 0.5, \"stribeck\": 0.4, \"viscous\": 0.2}",
    "\"friction\": {\"coefficient\": 0.1%s}", "\"limits\": [-0.5, 0.7], \"friction\": 0.4"};

static void say_joint(text *t, uint64_t *seed, int dimension, int i, int a, const char *type,
                      int contacts)
{
    char name[2][16], at[2][80];
    const int swapped = i % 2,
              motor = i % 5 == 3 && (*type == 'r' || strcmp(type, "prismatic") == 0);
    snprintf(name[swapped], sizeof *name, a < 0 ? "ground" : "b%d", a);
    snprintf(name[!swapped], sizeof *name, "b%d", i % 100);
    for (int k = 0; k < 2; k++) {
        const double x = chance(seed), y = chance(seed), z = chance(seed);
        snprintf(at[k], sizeof *at, dimension == 2 ? "[%.17g, %.17g]" : "[%.17g, %.17g, %.17g]", x,
                 y, z);
    }
    say(t, "%s{\"name\": \"j%d\", \"type\": \"%s\", \"bodies\": [\"%s\", \"%s\"], \"at\": %s",
        i > 0 ? ", " : "", i, type, name[0], name[1], at[0]);
    const double x = chance(seed), y = chance(seed), length = sqrt(x * x + y * y);
    if (dimension == 2 && (*type == 'p')) {
        say(t, ", \"axis\": [%.17g, %.17g]", x, y);
    }
    if (strcmp(type, "universal") == 0) { // axes at right angles
        say(t, ", \"axis\": [%.17g, %.17g, 0], \"axis2\": [0, 0, 1]", x / length, y / length);
    } else if (dimension == 3 && strchr("rpc", *type) && strcmp(type, "rod") != 0) {
        say(t, ", \"axis\": [%.17g, %.17g, %.17g]", x, y, chance(seed));
    }
    if (motor && strcmp(type, "rod") != 0) {
        say(t, ", \"motor\": \"0.2*sin(3*t)\"");
    }
    const int hinge = strcmp(type, "revolute") == 0;
    if (contacts && !motor && (hinge || strcmp(type, "prismatic") == 0) && one_of(seed, 2)) {
        const char *const what = touching[one_of(seed, 5)];
        say(t, ", ");
        say(t, strchr(what, '%') ? "\"friction\": {\"coefficient\": 0.1%s}" : "%s",
            !strchr(what, '%') ? what
            : hinge            ? ", \"radius\": 0.2"
                               : "");
    }
    say(t, "}");
}

/// n bodies, each hung on one before it or on the ground, a few on nothing; then `loops` joints
/// that close something.
static rig random_mechanism(uint64_t seed, int dimension, int n, int loops, int contacts)
{
    static text t;
    t.used = 0;
    say(&t,
        "{\"dimension\": %d, \"gravity\": [0.7, -9.81%s], \"simulation\": {\"coordinates\": "
        "\"joint\", \"misfit\": 0}, \"bodies\": [",
        dimension, dimension == 2 ? "" : ", 0.3");
    for (int i = 0; i < n; i++) {
        say_body(&t, &seed, dimension, i);
    }
    say(&t, "], \"joints\": [");
    for (int i = 0; i < n; i++) {
        const int a = one_of(&seed, i + 1) - 1;
        if (i % 7 == 5) {
            continue; // free, or held by a loop alone
        }
        const char *type = dimension == 2 ? plane[one_of(&seed, 4)] : space[one_of(&seed, 9)];
        say_joint(&t, &seed, dimension, i, a, type, contacts);
    }
    for (int k = 0; k < loops; k++) {
        const int b = 1 + one_of(&seed, n - 1), a = one_of(&seed, b + 1) - 1;
        char type[16];
        snprintf(type, sizeof type, "%s",
                 dimension == 2 ? (k % 2 ? "rod" : "pin_in_slot") : closing[one_of(&seed, 4)]);
        say(&t, ", {\"name\": \"k%d\", \"type\": \"%s\", \"bodies\": [", k, type);
        say(&t, a < 0 ? "\"ground\"" : "\"b%d\"", a);
        say(&t, ", \"b%d\"]", b);
        for (int side = 0; side < 2; side++) {
            char name[16];
            snprintf(name, sizeof name, side || a >= 0 ? "b%d" : "ground", side ? b : a);
            say(&t, "%s\"%s\": [", side ? ", " : ", \"on\": {", name);
            for (int c = 0; c < dimension; c++) {
                say(&t, "%s%.17g", c > 0 ? ", " : "", chance(&seed));
            }
            say(&t, side ? "]}" : "]");
        }
        if (*type == 'p') {
            say(&t, ", \"axis\": [");
            for (int c = 0; c < dimension; c++) {
                say(&t, "%s%.17g", c > 0 ? ", " : "", chance(&seed));
            }
            say(&t, "]");
        }
        say(&t, "}");
    }
    say(&t,
        "], \"markers\": [{\"name\": \"near\", \"body\": \"b0\", \"on\": [0.3, 0.1%s]}, {\"name\": "
        "\"far\", \"body\": \"b%d\", \"on\": [-0.2, 0.4%s]}], \"forces\": [{\"name\": \"spring\", "
        "\"type\": \"spring_damper\", \"markers\": [\"near\", \"far\"], \"stiffness\": 7, "
        "\"damping\": 0.4, \"rest_length\": 0.7}]",
        dimension == 2 ? "" : ", 0.2", n - 1, dimension == 2 ? "" : ", 0.1");
    if (contacts) {
        say(&t, ", \"stops\": [{\"name\": \"meet\", \"marker\": \"near\", \"on\": \"far\", "
                "\"friction\": 0.2, \"normal\": ");
        say(&t, "[0.36, 0.48%s]}, ", dimension == 2 ? "" : ", 0.8");
        say(&t, "{\"name\": \"soft\", \"gap\": \"far.x + 0.4*near.y + 0.1*t\", "
                "\"stiffness\": 80, \"damping\": 0.1, \"exponent\": 1.5}]");
    }
    say(&t, "}");
    return rig_parse(t.at);
}

// -------------------------------------------------------------------------------- two systems

typedef struct both {
    rig r;
    trm_arena arena;
    trm_system *joint, *absolute;
    trm_absolute_state shown;
    double s[MOST], u[MOST], a[2][MOST], lambda[2][MOST];
} both;

static void lay_out(both *b)
{
    b->joint = trm_model_system(b->r.model->in_joints, 0, &b->arena);
    b->absolute = trm_assembler_layout(b->r.model, 0, &b->arena);
    trm_absolute_layout(&b->shown, b->r.model, &b->arena);
}

static void open_both(both *b, rig r)
{
    *b = (both){.r = r};
    assert_non_null(r.model->in_joints);
    lay_out(b);
    assert_true(trm_arena_open(&b->arena));
    lay_out(b);
    assert_true(b->absolute->nq < MOST && b->absolute->nc < MOST);
}

static void close_both(both *b)
{
    trm_arena_close(&b->arena);
    rig_close(&b->r);
}

/// Anywhere among the positions that the tree has, at any velocities.
static void random_state(both *b, uint64_t seed)
{
    double dx[MOST];
    trm_joint_system_find(b->joint, 0, b->r.model->q0, b->r.model->v0, b->s, b->s, b->u);
    for (int i = 0; i < b->joint->nv; i++) {
        dx[i] = 0.5 * chance(&seed);
        b->u[i] = chance(&seed);
    }
    trm_system_move(b->joint, dx, b->s);
}

/// |x - y| over the largest of them.
static double apart(int n, const double *x, const double *y)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
    }
    return n > 0 ? most / fmax(trm_max_norm(n, y), 1) : 0;
}

static int solve(both *b, trm_system *system, const double *q, const double *v, int k)
{
    double work[4][2 * MOST];
    const trm_terms out = {.a = b->a[k], .lambda = b->lambda[k]};
    const trm_terms_work room = {work[0], work[1], work[2], work[3]};
    return trm_terms_at(system, 0.3, q, v, NULL, &out, &room);
}

/// Accelerations and multipliers of all rows, by both; -1 where rows are dependent, or nearly so:
/// then digits are lost by every way of solving.
static double disagreement(both *b)
{
    const double independent = 1e-3; // of pivots: loses three digits of the sixteen
    const trm_sizes n = b->r.model->sizes;
    trm_joint_system_bodies(b->joint, b->s, b->u, b->shown.q, b->shown.v);
    if (solve(b, b->absolute, b->shown.q, b->shown.v, 1) ||
        !(b->absolute->solver.ratio_min > independent)) {
        return -1;
    }
    assert_int_equal(solve(b, b->joint, b->s, b->u, 0), 0);
    assert_int_equal(
        trm_joint_system_show(b->joint, 0.3, b->s, b->u, b->a[0], b->lambda[0], NULL, &b->shown),
        0);
    return fmax(apart(n.nv, b->shown.a, b->a[1]), apart(n.nc, b->shown.lambda, b->lambda[1]));
}

static void compare(int dimension, int loops, int count, double most)
{
    int compared = 0;
    for (int i = 0; i < count; i += EVERY) {
        both b;
        open_both(&b, random_mechanism((uint64_t)(1000 * dimension + 100 * loops + i), dimension,
                                       2 + i % 19, loops, 0));
        for (uint64_t k = 0; k < 3; k++) {
            random_state(&b, 17 * k + (uint64_t)i);
            const double error = disagreement(&b);
            compared += error >= 0;
            if (!(error <= most)) {
                fail_msg("mechanism %d in %d dimensions, %d loops: %.3g", i, dimension, loops,
                         error);
            }
        }
        close_both(&b);
    }
    print_message("%d states of %d mechanisms\n", compared, count);
    assert_true(EVERY > 1 || compared >= count);
}

CLAIM(trees_accelerate_as_their_bodies_do)
{
    compare(2, 0, 40, 1e-11);
    compare(3, 0, 60, 1e-11);
}

CLAIM(loops_by_cuts_accelerate_as_their_bodies_do)
{
    compare(2, 2, 40, 1e-11);
    compare(3, 2, 60, 1e-11);
}

CLAIM(states_are_found_again)
{
    for (int i = 0; i < 80; i += EVERY) {
        both b;
        double s[MOST], u[MOST];
        open_both(&b, random_mechanism(77 + (uint64_t)i, 2 + i % 2, 2 + i % 19, 1, 0));
        random_state(&b, (uint64_t)i);
        trm_joint_system_bodies(b.joint, b.s, b.u, b.shown.q, b.shown.v);
        trm_joint_system_find(b.joint, 0, b.shown.q, b.shown.v, b.s, s, u);
        assert_true(apart(b.joint->nv, u, b.u) < 1e-12);
        // a quaternion has two signs: the bodies tell whether they are the same
        double q[MOST], v[MOST];
        trm_joint_system_bodies(b.joint, s, u, q, v);
        for (int k = 0; k < b.r.model->sizes.nq; k++) {
            assert_true(fabs(fabs(q[k]) - fabs(b.shown.q[k])) < 1e-12);
        }
        close_both(&b);
    }
}

/// M M^-1 = 1, and S of cuts by factors is G M^-1 G^T by columns.
CLAIM(factors_are_those_of_M)
{
    for (int i = 0; i < 30; i += EVERY) {
        both b;
        double x[MOST], y[MOST], m[MOST], c[MOST], d[MOST];
        uint64_t seed = 5 + (uint64_t)i;
        open_both(&b, random_mechanism(301 + (uint64_t)i, 2 + i % 2, 4 + i % 13, 1, 0));
        random_state(&b, seed);
        assert_int_equal(trm_system_position(b.joint, 0.1, b.s), 0);
        for (int k = 0; k < b.joint->nv; k++) {
            x[k] = y[k] = chance(&seed);
        }
        trm_system_multiply_M(b.joint, x);
        trm_system_solve_M(b.joint, x);
        assert_true(apart(b.joint->nv, x, y) < 1e-11);
        trm_system_mass_diagonal(b.joint, m);
        for (int k = 0; k < b.joint->nv; k++) {
            memset(x, 0, sizeof x);
            x[k] = 1;
            trm_system_multiply_M(b.joint, x);
            assert_true(fabs(x[k] - m[k]) < 1e-12 * m[k]);
        }
        if (b.joint->nc > 0 && trm_system_factor(b.joint, TRM_METRIC_MASS) == 0 &&
            b.joint->solver.ratio_min > 1e-3) {
            for (int k = 0; k < b.joint->nc; k++) {
                c[k] = d[k] = chance(&seed);
            }
            trm_system_spread(b.joint, TRM_METRIC_MASS, c, x);
            trm_system_multiply_G(b.joint, x, c);
            trm_system_solve_S(b.joint, c);
            assert_true(apart(b.joint->nc, c, d) < 1e-11);
        }
        close_both(&b);
    }
}

// ------------------------------------------------------------------------------------ contacts

/// Some mode of every row: held, sliding, pressing or free.
static void set_modes(trm_contact *c, uint64_t seed)
{
    trm_contact_start(c);
    for (int k = 0; k < c->n; k++) {
        const trm_contact_row *const row = &c->model->contacts[k];
        const int way = one_of(&seed, 3), second = trm_contact_is_second(c, k);
        if (row->stiffness > 0) {
            c->presses[k] = way > 0 ? -1 : 0;
        } else if (second) {
            c->hold[k] = c->hold[row->mate];
            c->slip[k] = c->slip[row->mate];
        } else if (row->friction.given && (row->normal < 0 || c->hold[row->normal])) {
            c->hold[k] = way == 0 ? TRM_HOLD_STICKS : TRM_HOLD_FREE;
            c->slip[k] = way == 0 ? 0 : 2 * way - 3;
        } else if (row->normal < 0 && isfinite(row->lo)) {
            c->hold[k] = way > 0 ? TRM_HOLD_LOW : TRM_HOLD_FREE;
        }
    }
}

/// dz = (q', a, power) and lambda of `system` at its contacts' modes. Returns a system's code.
static int touch(trm_contact *c, trm_system *system, const double *q, const double *v, double *a,
                 double *lambda)
{
    double z[2 * MOST], dz[2 * MOST] = {0};
    memcpy(z, q, (size_t)system->nq * sizeof *z);
    memcpy(z + system->nq, v, (size_t)system->nv * sizeof *z);
    memcpy(dz + system->nq, a, (size_t)system->nv * sizeof *z);
    const int code = trm_contact_rates(c, system, 0.3, z, dz, lambda);
    memcpy(a, dz + system->nq, (size_t)system->nv * sizeof *z);
    return code;
}

static void of_contacts(trm_contact **joint, trm_contact **absolute, const both *b,
                        trm_arena *arena)
{
    *joint = trm_contact_layout(b->r.model->in_joints, b->r.model->ncontacts, arena);
    *absolute = trm_contact_layout(b->r.model, b->r.model->ncontacts, arena);
}

/// What joints and the rows before leave of the response to a row that holds or slides under a
/// load, at least: digits are lost by it as by a pivot of S.
static double least_pivot(trm_contact *c, trm_system *system)
{
    double W[MOST], least = c->problem.determinant, whole;
    int n = 0;
    for (int k = 0; k < c->n; k++) {
        c->problem.list[n] = k;
        n += c->hold[k] || trm_contact_is_loaded(c, k);
    }
    assert_true(n * n <= MOST);
    trm_contact_solve_responses(c, system, n, c->problem.list);
    trm_contact_form_delassus(c, system, n, c->problem.list);
    memcpy(W, c->problem.W, (size_t)(n * n) * sizeof *W);
    for (int k = 0; k < n; k++) {
        const double pivot = W[k * n + k];
        const trm_sparse_row *const sparse = &c->sparse[c->problem.list[k]];
        (void)trm_contact_depends(c, system, c->problem.list[k], sparse->G, sparse->C, &whole);
        least = fmin(pivot / whole, least);
        for (int i = k + 1; i < n; i++) {
            for (int j = k + 1; j < n; j++) {
                W[i * n + j] -= W[i * n + k] * W[k * n + j] / pivot;
            }
        }
    }
    return least;
}

/// Accelerations, multipliers of all rows and forces of contacts, by both; -1 where digits are
/// lost.
static double touching_disagreement(both *b, uint64_t seed)
{
    const double independent = 1e-3;
    const trm_sizes n = b->r.model->sizes;
    trm_arena arena = {0};
    trm_contact *joint, *absolute;
    double load[MOST], error = disagreement(b);
    if (error < 0) {
        return error;
    }
    of_contacts(&joint, &absolute, b, &arena);
    assert_true(trm_arena_open(&arena));
    of_contacts(&joint, &absolute, b, &arena);
    set_modes(joint, seed);
    set_modes(absolute, seed);
    if (touch(absolute, b->absolute, b->shown.q, b->shown.v, b->a[1], b->lambda[1]) ||
        !(least_pivot(absolute, b->absolute) > independent)) {
        trm_arena_close(&arena);
        return -1;
    }
    assert_int_equal(touch(joint, b->joint, b->s, b->u, b->a[0], b->lambda[0]), 0);
    const trm_kinematics look = trm_assembler_kinematics(b->joint, 0.3, b->s, b->u, b->u);
    trm_contact_apply_forces(joint, &look, -1, load);
    assert_int_equal(
        trm_joint_system_show(b->joint, 0.3, b->s, b->u, b->a[0], b->lambda[0], load, &b->shown),
        0);
    error = fmax(error, apart(n.nv, b->shown.a, b->a[1]));
    error = fmax(error, apart(n.nc, b->shown.lambda, b->lambda[1]));
    error = fmax(error, apart(joint->n, joint->force, absolute->force));
    trm_arena_close(&arena);
    return error;
}

CLAIM(contacts_press_as_on_bodies)
{
    int compared = 0;
    for (int i = 0; i < 200; i += EVERY) {
        both b;
        const int dimension = 2 + i % 2, loops = i % 4 / 2;
        open_both(&b, random_mechanism(9000 + (uint64_t)i, dimension, 2 + i % 17, loops, 1));
        for (uint64_t k = 0; k < 3; k++) {
            random_state(&b, 23 * k + (uint64_t)i);
            const double error = touching_disagreement(&b, 31 * k + (uint64_t)i);
            compared += error >= 0;
            if (!(error <= 1e-11)) {
                fail_msg("mechanism %d, %d loops: %.3g", i, loops, error);
            }
        }
        close_both(&b);
    }
    print_message("%d states of 600\n", compared);
    assert_true(EVERY > 1 || compared >= 300);
}

// ------------------------------------------------------------------------------------ the papers

/// A shipped scene in joint coordinates has M, f and accelerations of equations by hand: joint
/// number `of[i]` of the tree turns by sign[i] times coordinate i of the paper.
static void equal_by_hand(const char *name, const trm_equations *equations, int n, const int *of,
                          const int *sign)
{
    char path[512];
    trm_error err = {.status = TRM_OK};
    rig scene = {NULL, NULL, NULL}, hand = rig_equations(equations);
    snprintf(path, sizeof path, "%s/scenes/%s.json", rig_root(), name);
    rig_ok(trm_scene_load(path, &scene.scene, &err), &err);
    rig_ok(trm_scene_set_coordinates(scene.scene, TRM_COORDINATES_JOINT, &err), &err);
    rig_ok(trm_model_build(scene.scene, &scene.model, &err), &err);
    both b;
    open_both(&b, scene);
    trm_arena arena = {0};
    (void)trm_model_system(hand.model, 0, &arena);
    assert_true(trm_arena_open(&arena));
    trm_system *const by_hand = trm_model_system(hand.model, 0, &arena);
    const trm_joint_tree *const tree = b.r.model->in_joints->joints;
    assert_int_equal(b.joint->nv, n);
    assert_int_equal(b.joint->nc, by_hand->nc);
    int step[MOST];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < tree->n; k++) {
            step[i] = tree->links[k].joint == of[i] ? tree->links[k].first : step[i];
        }
    }
    trm_joint_system_find(b.joint, 0, b.r.model->q0, b.r.model->v0, b.s, b.s, b.u);
    for (uint64_t round = 0; round < 20; round++) {
        uint64_t seed = round;
        double q[MOST], v[MOST], s[MOST], u[MOST], M[2][MOST], f[2][MOST], a[2][MOST],
            work[4][MOST];
        const trm_terms_work room = {work[0], work[1], work[2], work[3]};
        for (int i = 0; i < n; i++) {
            const double moved = 0.3 * chance(&seed);
            q[i] = equations->q0[i] + moved;
            v[i] = chance(&seed);
            s[step[i]] = b.s[step[i]] + sign[i] * moved;
            u[step[i]] = sign[i] * v[i];
        }
        for (int k = 0; k < 2; k++) {
            const trm_terms out = {.M = M[k], .f = f[k], .a = a[k]};
            assert_int_equal(
                trm_terms_at(k ? by_hand : b.joint, 0.4, k ? q : s, k ? v : u, NULL, &out, &room),
                0);
        }
        double mine[3][MOST];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                mine[0][i * n + j] = sign[i] * sign[j] * M[0][step[i] * n + step[j]];
            }
            mine[1][i] = sign[i] * f[0][step[i]];
            mine[2][i] = sign[i] * a[0][step[i]];
        }
        const double *const theirs[] = {M[1], f[1], a[1]};
        for (int k = 0; k < 3; k++) {
            const int m = k == 0 ? n * n : n;
            double most = 0;
            for (int i = 0; i < m; i++) {
                most = fmax(most, fabs(mine[k][i] - theirs[k][i]));
            }
            if (!(most <= (k < 2 ? 1e-14 : 1e-12) * trm_max_norm(m, theirs[k]))) {
                fail_msg("%s: %c is off by %.3g of %.3g", name, "Mfa"[k], most,
                         trm_max_norm(m, theirs[k]));
            }
        }
    }
    trm_arena_close(&arena);
    rig_close(&hand);
    close_both(&b);
}

CLAIM(papers_in_their_own_angles)
{
    static const int arm[] = {0, 1}, plus[] = {1, 1};
    static const double omega = 0.5;
    const trm_equations sine = trm_paper_sine_arm(&omega);
    equal_by_hand("arm_sine", &sine, 2, arm, plus);
    // beta, Theta, gamma, Phi, delta, Omega, epsilon; bodies of G and H stand in the other order
    static const int pins[] = {0, 1, 5, 6, 7, 8, 9}, sign[] = {1, 1, 1, -1, 1, -1, 1};
    equal_by_hand("andrews", &trm_paper_andrews, 7, pins, sign);
}
