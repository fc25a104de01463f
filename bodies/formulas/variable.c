// The variables of a formula: values, jets along the motion, gradients.
//
// A point x = p + R l and an entry R_ij of a rotation move, accelerations taken as zero, as
//
//   x'    = p' + R (omega x l)           x''    = R (omega x (omega x l))
//   R_ij' = row_i . (omega x e_j)        R_ij'' = row_i . (omega x (omega x e_j))
//
// (planar: x' = p' + rate (-r_y, r_x), x'' = -rate^2 r, r = R l), and their gradients are
//
//   dx_i/dv = e_i,   dx_i/domega = l x row_i,   dR_ij/domega = e_j x row_i
//
// with row_i the i-th row of R.

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/expression/switching.h"
#include "bodies/formulas/variable.h"
#include "bodies/point.h"
#include "bodies/shapes/touch.h"
#include "bodies/vector.h"

int trm_function_scratch(const trm_function *function)
{
    // a jet of every variable, and what the code needs itself
    return function->code ? 3 * function->n + trm_expression_workspace(function->code) : 0;
}

static double joint_value(const trm_quantity *quantity, const trm_pose *pose, const double *V)
{
    trm_joint_motion motion;
    const int rate = quantity->kind == TRM_VARIABLE_JOINT_RATE;
    trm_joint_measure(quantity->joint, pose, rate ? V : NULL, &motion);
    return rate ? motion.rate : motion.x; // the rate at rest is 0
}

/// Whether it is linear in velocities, without a share of its own: at rest 0.
static int is_speed(const trm_quantity *x)
{
    return x->kind == TRM_VARIABLE_VELOCITY || x->kind == TRM_VARIABLE_RATE ||
           x->kind == TRM_VARIABLE_JOINT_RATE ||
           (x->kind == TRM_VARIABLE_TOUCH && x->axis != TRM_TOUCH_GAP);
}

/// The two markers that were looked at last: formulas ask for the coordinates of one after those
/// of another.
typedef struct spots {
    struct spot {
        const trm_quantity *of; ///< NULL: none yet
        double x[3], u[3];      ///< place, velocity (where V is known)
    } at[2];
    int next; ///< which gives way
} spots;

static const struct spot *look(spots *last, const trm_quantity *quantity, const trm_pose *pose,
                               const double *V)
{
    for (int i = 0; i < 2; i++) {
        const trm_quantity *const of = last->at[i].of;
        if (of && of->body == quantity->body &&
            !memcmp(of->local, quantity->local, sizeof of->local)) {
            return &last->at[i];
        }
    }
    struct spot *const at = &last->at[last->next];
    double plane[3];
    trm_point(pose, quantity->body, quantity->local, V, at->x, V ? at->u : NULL);
    subtract(at->x, trm_touch_place(pose, pose->nbody, plane), at->x); // in the world
    at->of = quantity;
    last->next = 1 - last->next;
    return at;
}

static double value(const trm_quantity *quantity, const trm_pose *pose, const double *V,
                    spots *last)
{
    const int body = quantity->body, axis = quantity->axis, width = pose->width;
    trm_guided at;
    double jet[3];
    if (!V && (quantity->kind == TRM_VARIABLE_STATE || is_speed(quantity))) {
        return 0.0;
    }
    switch (quantity->kind) {
    case TRM_VARIABLE_TIME:
        return pose->t;
    case TRM_VARIABLE_INPUT:
        return pose->input[3 * quantity->axis];
    case TRM_VARIABLE_STATE:
        return quantity->local[0] * V[trm_state_slot(pose, axis)];
    case TRM_VARIABLE_READING:
        return pose->reading[axis];
    case TRM_VARIABLE_POSITION:
        return look(last, quantity, pose, V)->x[axis];
    case TRM_VARIABLE_VELOCITY:
        return look(last, quantity, pose, V)->u[axis];
    case TRM_VARIABLE_ANGLE:
        return pose->angle[body];
    case TRM_VARIABLE_RATE:
        return width == 3 ? V[3 * body + 2] : V[6 * body + 3 + axis];
    case TRM_VARIABLE_ROTATION:
        return pose->R[9 * body + 3 * axis + quantity->axis2];
    case TRM_VARIABLE_JOINT:
    case TRM_VARIABLE_JOINT_RATE:
        return joint_value(quantity, pose, V);
    case TRM_VARIABLE_TOUCH:
        trm_touch_jet(quantity->touch, axis, pose, V, jet);
        return jet[axis != TRM_TOUCH_GAP];
    case TRM_VARIABLE_GUIDE:
        break;
    }
    trm_guide_measure(quantity->guide, pose, &at);
    return at.x[axis];
}

int trm_function_reads(const trm_function *function, trm_variable_kind kind)
{
    int reads = 0;
    for (int i = 0; i < function->n; i++) {
        reads |= function->x[i].kind == kind;
    }
    return reads;
}

/// The branches of the function's switches, or NULL.
static const trm_switching_mode *modes(const trm_function *function, const trm_pose *pose)
{
    return pose->mode ? pose->mode + function->first_switching_function : NULL;
}

void trm_function_variables(const trm_function *function, const trm_pose *pose, const double *V,
                            double *x)
{
    spots last = {.next = 0};
    for (int i = 0; i < function->n; i++) {
        x[i] = value(&function->x[i], pose, V, &last);
    }
}

double trm_function_value(const trm_function *function, const trm_pose *pose, const double *V)
{
    if (!function->code) {
        return 0.0;
    }
    double *x = pose->scratch;
    trm_function_variables(function, pose, V, x);
    return trm_expression_value_in(function->code, x, modes(function, pose), x + function->n);
}

const trm_function *trm_varying_of(const trm_function *value, int n)
{
    int varies = 0;
    for (int i = 0; value && i < n; i++) {
        varies |= value[i].code != NULL;
    }
    return varies ? value : NULL;
}

void trm_varying_find(const trm_function *varying, int n, const trm_pose *pose, const double *V,
                      double *numbers)
{
    for (int i = 0; varying && i < n; i++) {
        if (varying[i].code) {
            numbers[i] = trm_function_value(&varying[i], pose, V);
        }
    }
}

void trm_function_switching(const trm_function *function, const trm_pose *pose, const double *V,
                            double *g)
{
    double *x = pose->scratch;
    trm_function_variables(function, pose, V, x);
    trm_expression_switching_values(function->code, x, modes(function, pose), x + function->n, g);
}

int trm_function_reason(const trm_function *function, const trm_pose *pose, const double *V,
                        char *out, size_t size)
{
    double *x = pose->scratch;
    trm_function_variables(function, pose, V, x);
    return function->code && trm_expression_reason(function->code, x, modes(function, pose),
                                                   x + function->n, out, size);
}

static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

/// Two derivatives of row . a, a fixed in a body that turns with omega.
static void turning_jet(const double *row, const double *omega, const double *a, double out[3])
{
    double first[3], second[3];
    cross(omega, a, first);
    cross(omega, first, second);
    out[1] = dot(row, first);
    out[2] = dot(row, second);
}

static void point_jet(const trm_quantity *quantity, const trm_pose *pose, const double *V,
                      spots *last, double out[3])
{
    const int body = quantity->body, axis = quantity->axis;
    const struct spot *const at = look(last, quantity, pose, V);
    out[0] = at->x[axis];
    if (pose->width == 3) {
        const double rate = V[3 * body + 2];
        double arm[3];
        out[1] = at->u[axis];
        out[2] = -rate * rate * trm_to_world(pose, body, quantity->local, arm)[axis];
    } else {
        const double *v = &V[6 * body];
        turning_jet(&pose->R[9 * body + 3 * axis], v + 3, quantity->local, out);
        out[1] += v[axis];
    }
}

/// (x, x', x'') of a place or a joint's coordinate becomes (x', x''), the jet of its rate; out[2]
/// stays.
static void shift(double out[3])
{
    out[0] = out[1];
    out[1] = out[2];
}

static void jet(const trm_quantity *quantity, const trm_pose *pose, const double *V, spots *last,
                double out[3])
{
    out[0] = out[1] = out[2] = 0.0;
    switch (quantity->kind) {
    case TRM_VARIABLE_READING: // in outputs and conditions, which nobody differentiates
        break;
    case TRM_VARIABLE_STATE: // constant without its rate, as velocities without accelerations
        out[0] = value(quantity, pose, V, last);
        break;
    case TRM_VARIABLE_TIME:
        out[0] = pose->t;
        out[1] = 1.0;
        break;
    case TRM_VARIABLE_INPUT:
        memcpy(out, &pose->input[3 * quantity->axis], 3 * sizeof *out);
        break;
    case TRM_VARIABLE_POSITION:
        point_jet(quantity, pose, V, last, out);
        break;
    case TRM_VARIABLE_ANGLE:
        out[0] = pose->angle[quantity->body];
        out[1] = V[3 * quantity->body + 2];
        break;
    case TRM_VARIABLE_ROTATION:
        out[0] = value(quantity, pose, NULL, last);
        turning_jet(&pose->R[9 * quantity->body + 3 * quantity->axis], &V[6 * quantity->body + 3],
                    unit[quantity->axis2], out);
        break;
    case TRM_VARIABLE_JOINT:
        trm_joint_jet(quantity->joint, pose, V, out);
        break;
    case TRM_VARIABLE_GUIDE:
        trm_guide_jet(quantity->guide, pose, V, quantity->axis, out);
        break;
    case TRM_VARIABLE_TOUCH:
        trm_touch_jet(quantity->touch, quantity->axis, pose, V, out);
        if (quantity->axis != TRM_TOUCH_GAP) {
            shift(out);
        }
        break;
    case TRM_VARIABLE_VELOCITY:
        point_jet(quantity, pose, V, last, out);
        shift(out);
        break;
    case TRM_VARIABLE_JOINT_RATE:
        trm_joint_jet(quantity->joint, pose, V, out);
        shift(out);
        break;
    case TRM_VARIABLE_RATE: // constant without accelerations
        out[0] = value(quantity, pose, V, last);
        break;
    }
}

/// The jets of all variables, at the beginning of pose->scratch.
static const double (*jets(const trm_function *function, const trm_pose *pose, const double *V))[3]
{
    double(*x)[3] = (double(*)[3])pose->scratch;
    spots last = {.next = 0};
    for (int i = 0; i < function->n; i++) {
        jet(&function->x[i], pose, V, &last, x[i]);
    }
    return (const double(*)[3])x;
}

void trm_function_jet(const trm_function *function, const trm_pose *pose, const double *V,
                      double out[3])
{
    out[0] = out[1] = out[2] = 0.0;
    if (function->code) {
        trm_expression_jet_in(function->code, jets(function, pose, V), modes(function, pose),
                              pose->scratch + 3 * function->n, out);
    }
}

void trm_function_of_time(const trm_function *function, const trm_pose *pose, double out[3])
{
    for (int i = 0; i < function->n; i++) {
        assert(function->x[i].kind == TRM_VARIABLE_TIME ||
               function->x[i].kind == TRM_VARIABLE_INPUT);
    }
    trm_function_jet(function, pose, NULL, out);
}

/// G += factor dx/dv of a point's coordinate.
static void add_point_gradient(const trm_quantity *quantity, const trm_pose *pose, double factor,
                               double *G)
{
    const int body = quantity->body, axis = quantity->axis;
    G[axis] += factor;
    if (pose->width == 3) {
        double r[3];
        trm_to_world(pose, body, quantity->local, r);
        G[2] += factor * (axis == 0 ? -r[1] : r[0]);
    } else {
        double moment[3];
        cross(quantity->local, &pose->R[9 * body + 3 * axis], moment);
        add(G + 3, scale(factor, moment, moment), G + 3);
    }
}

/// Place of the body in the list, or -1.
static int find(const int *bodies, int n, int body)
{
    for (int k = 0; k < n; k++) {
        if (bodies[k] == body) {
            return k;
        }
    }
    return -1;
}

/// G of both bodies of a joint, of a curve and a point, or of a roller, += factor dx/dv.
static void add_two_gradients(const trm_quantity *quantity, const trm_pose *pose, double factor,
                              const trm_gradient_place *place)
{
    double gradient[2][6];
    int a, b;
    if (quantity->kind == TRM_VARIABLE_TOUCH) {
        a = quantity->touch->side[0].body;
        b = quantity->touch->side[1].body;
        trm_touch_gradient(quantity->touch, quantity->axis, pose, NULL, gradient);
    } else if (quantity->kind == TRM_VARIABLE_GUIDE) {
        trm_guided at;
        a = quantity->guide->a;
        b = quantity->guide->b;
        trm_guide_measure(quantity->guide, pose, &at);
        trm_guide_gradient(quantity->guide, pose, &at, quantity->axis, gradient[0], gradient[1]);
    } else {
        trm_joint_motion motion;
        a = quantity->joint->a;
        b = quantity->joint->b;
        trm_joint_measure(quantity->joint, pose, NULL, &motion);
        trm_joint_gradient(quantity->joint, pose, &motion, gradient[0], gradient[1]);
    }
    for (int side = 0; side < 2; side++) {
        const int k = find(place->bodies, place->nbodies, side ? b : a);
        for (int i = 0; k >= 0 && i < pose->width; i++) {
            place->G[place->stride * k + i] += factor * gradient[side][i];
        }
    }
}

/// G of its bodies += factor dx/dv, of velocities and rates factor x.
static void add_gradient(const trm_quantity *quantity, const trm_pose *pose, double factor,
                         const trm_gradient_place *place)
{
    const int two = quantity->joint || quantity->guide || quantity->touch;
    const int k = two ? -1 : find(place->bodies, place->nbodies, quantity->body);
    if (two) {
        add_two_gradients(quantity, pose, factor, place);
    }
    if (k < 0) {
        return;
    }
    double *const G = &place->G[place->stride * k], moment[3];
    switch (quantity->kind) {
    case TRM_VARIABLE_POSITION:
    case TRM_VARIABLE_VELOCITY: // u is linear in v as x' is
        add_point_gradient(quantity, pose, factor, G);
        break;
    case TRM_VARIABLE_ANGLE:
        G[2] += factor;
        break;
    case TRM_VARIABLE_RATE:
        G[pose->width == 3 ? 2 : 3 + quantity->axis] += factor;
        break;
    case TRM_VARIABLE_ROTATION:
        cross(unit[quantity->axis2], &pose->R[9 * quantity->body + 3 * quantity->axis], moment);
        add(G + 3, scale(factor, moment, moment), G + 3);
        break;
    default: // depends on no body
        break;
    }
}

/// Values at rest and the gradient by them, both in pose->scratch; returns e.
static double gradient_at_rest(const trm_function *function, const trm_pose *pose)
{
    const int n = function->n;
    double *x = pose->scratch, *gradient = x + n;
    spots last = {.next = 0};
    for (int i = 0; i < n; i++) {
        x[i] = value(&function->x[i], pose, NULL, &last);
    }
    return trm_expression_gradient_in(function->code, x, modes(function, pose), gradient + n,
                                      gradient);
}

double trm_function_gradient(const trm_function *function, const trm_pose *pose,
                             const trm_gradient_place *place, double *g_t)
{
    *g_t = 0.0;
    if (!function->code) {
        return 0.0;
    }
    const double e = gradient_at_rest(function, pose), *gradient = pose->scratch + function->n;
    const int used = trm_expression_variables(function->code);
    for (int i = 0; i < used; i++) {
        const trm_quantity *x = &function->x[i];
        add_gradient(x, pose, gradient[i], place);
        *g_t += x->kind == TRM_VARIABLE_TIME    ? gradient[i]
                : x->kind == TRM_VARIABLE_INPUT ? gradient[i] * pose->input[3 * x->axis + 1]
                                                : 0.0;
    }
    return e;
}

double trm_function_speed_gradient(const trm_function *function, const trm_pose *pose,
                                   const trm_gradient_place *place)
{
    if (!function->code) {
        return 0.0;
    }
    const double c = gradient_at_rest(function, pose), *b = pose->scratch + function->n;
    const int used = trm_expression_variables(function->code);
    for (int i = 0; i < used; i++) {
        if (is_speed(&function->x[i])) {
            add_gradient(&function->x[i], pose, b[i], place);
        }
    }
    return c;
}
