/// The variables of a formula at a given pose: values, and second-order jets along the motion.
#pragma once

#include "base/scene/scene.h"
#include "bodies/guide.h"
#include "bodies/joint_freedom.h"
#include "bodies/pose.h"

/// A variable ready for evaluation: markers replaced by body and local point.
typedef struct trm_quantity {
    trm_variable_kind kind;
    int body;                    ///< nbody for the ground
    int axis, axis2;             ///< axis: or which of the inputs
    double local[3];             ///< m, body frame; of a state its scale in the first
    const trm_joint_axis *joint; ///< of its coordinate or rate; then body is not used
    const trm_guide *guide;      ///< of TRM_VARIABLE_GUIDE, likewise
    const trm_touch_pair *touch; ///< of TRM_VARIABLE_TOUCH, likewise
} trm_quantity;

/// A formula ready for evaluation; code and quantities are owned by the model.
typedef struct trm_function {
    const trm_expression *code; ///< NULL: the constant 0
    int n;
    const trm_quantity *x;        ///< [n]
    int first_switching_function; ///< its switches are pose->mode[first_switching_function ...]
    const char *where;            ///< its place in the file; "" without a file
} trm_function;

/// The size of pose->scratch for the calls below, in doubles.
int trm_function_scratch(const trm_function *function);

/// Returns nonzero if the formula has a variable of that kind.
int trm_function_reads(const trm_function *function, trm_variable_kind kind);

/// x[n], the values of its variables at the pose; V (slots) NULL: at rest.
void trm_function_variables(const trm_function *function, const trm_pose *pose, const double *V,
                            double *x);

/// Value at the pose; V (slots) NULL: at rest.
double trm_function_value(const trm_function *function, const trm_pose *pose, const double *V);

/// Numbers of an element, each of which may be a formula; then the element has no potential, and
/// all that it does is work. value[n], of which those without code are constant; NULL: all are.
const trm_function *trm_varying_of(const trm_function *value, int n);
/// numbers[n] := their values at the pose, of those that vary.
void trm_varying_find(const trm_function *varying, int n, const trm_pose *pose, const double *V,
                      double *numbers);

/// g of every switch, with the branches that the pose holds, if any.
void trm_function_switching(const trm_function *function, const trm_pose *pose, const double *V,
                            double *g);

/// out[3] = (e, e', e'') along the motion with velocities V, accelerations taken as zero: e' = G v
/// + g_t and e'' = -gamma for a constraint 0 = e; of a function with velocities (e, e', -), e' =
/// -gamma for a constraint 0 = e of theirs.
void trm_function_jet(const trm_function *function, const trm_pose *pose, const double *V,
                      double out[3]);

/// As trm_expression_reason, at the pose.
int trm_function_reason(const trm_function *function, const trm_pose *pose, const double *V,
                        char *out, size_t size);

/// out[3] = (c, c', c'') of a function of t and inputs alone, at the pose's time.
void trm_function_of_time(const trm_function *function, const trm_pose *pose, double out[3]);

/// Where a gradient goes: G[k*stride ...] += de/dv of the k-th body.
typedef struct trm_gradient_place {
    const int *bodies; ///< [nbodies] every body the function depends on; the ground may be missing
    int nbodies, stride;
    double *G;
} trm_gradient_place;

/// The value; the gradient; *g_t = partial derivative in t.
double trm_function_gradient(const trm_function *function, const trm_pose *pose,
                             const trm_gradient_place *place, double *g_t);

/// The same of a function that is linear in velocities and rates, e = b . v
/// + c: b goes to `place`. Returns c.
double trm_function_speed_gradient(const trm_function *function, const trm_pose *pose,
                                   const trm_gradient_place *place);
