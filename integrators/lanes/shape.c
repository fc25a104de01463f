#include "integrators/lanes/shape.h"
#include "bodies/forces/gravity.h"
#include "bodies/forces/spring.h"
#include "bodies/forces/torque.h"
#include "integrators/trajectory/stabilization.h"
#include "trammel/trammel_methods.h"

#include <stddef.h>
#include <string.h>

// ------------------------------------------------------------------------------------ which runs

static const char *refuse_loops(const trm_model *model)
{
    const trm_pins *pins = &model->pins;
    const int rows = 2 * (pins->nground + pins->n);
    return model->sizes.nc == 0       ? "it has no joints"
           : model->sizes.nc != rows  ? "it is not a planar mechanism of pins alone"
           : model->bodies.states > 0 ? "it has states"
           : model->nuser_forces > 0  ? "its forces are functions of a user"
           : model->bodies.points > 0 ? "it has point masses"
                                      : NULL;
}

const char *trm_lane_refusal(const trm_model *model, const trm_run *run)
{
    const trm_stabilization_ops *ops = run->stabilization;
    if (!run->method_ops->trial || ops->rates != trm_index1_rates) {
        return "its method is no explicit Runge-Kutta method with a correction after the step";
    }
    if (model->from_equations) {
        return "it is given by equations";
    }
    if (run->contact || model->nswitching_formulas > 0) { // the condition of an event is a formula
        return "it has contacts, events or formulas";
    }
    const char *const why = refuse_loops(model->joints ? model->absolute : model);
    // by `auto` the run decides at its start, and a joint takes velocities
    const int decided = model->sizes.nc > 0 && run->system->nv == model->sizes.nv;
    return why                                               ? why
           : model->joints || (model->in_joints && !decided) ? "it is in joint coordinates"
                                                             : NULL;
}

// ------------------------------------------------------------------------------------ what is read

/// Elements whose indices end with `index`, and whose numbers begin with `number`, up to `end`.
#define ELEMENTS_UP_TO(array, n, type, index, number, end)                                         \
    (trm_lane_array)                                                                               \
    {                                                                                              \
        array, n, offsetof(type, index) + sizeof(int), offsetof(type, number), sizeof(type),       \
            (int)(((end)-offsetof(type, number)) / sizeof(double))                                 \
    }
#define ELEMENTS(array, n, type, index, number)                                                    \
    ELEMENTS_UP_TO(array, n, type, index, number, sizeof(type))

/// Whether no element has a formula that varies.
static int all_constant(const trm_force_group *group)
{
    int varies = 0;
    for (int i = 0; i < 3 * group->n; i++) {
        const trm_expression *const code = group->values[i / 3][i % 3].code;
        varies |= code && !trm_expression_is_constant(code);
    }
    return !varies;
}

/// Where forces come from, and their elements; in the order of trm_force_kinds, in which they are
/// added up.
static trm_lane_forces take_forces(trm_lane_shape *shape, const trm_model *model)
{
    shape->field = NULL;
    for (int k = 0; k < model->ngroups; k++) {
        const trm_force_group *group = &model->groups[k];
        if (group->kind == &trm_force_gravity) {
            shape->field = ((const trm_gravity *)group->elements)->field;
        } else if (group->kind == &trm_force_spring_damper && all_constant(group)) {
            shape->array[TRM_SPRINGS] = ELEMENTS_UP_TO(group->elements, group->n, trm_scene_spring,
                                                       now.body[1], now.local, sizeof(trm_spring));
        } else if (group->kind == &trm_force_torque && all_constant(group)) {
            shape->array[TRM_TORQUES] =
                ELEMENTS_UP_TO(group->elements, group->n, trm_torque, reaction, constant,
                               offsetof(trm_torque, in_body_axes));
        } else {
            return TRM_FORCES_OF_RUNS;
        }
    }
    return model->constant_a ? TRM_FORCES_CONSTANT : TRM_FORCES_IN_LANES;
}

static void set_loops(trm_lane_shape *shape, const trm_model *model)
{
    const trm_pins *pins = &model->pins;
    shape->nfirst = pins->nfirst;
    shape->pattern = model->pattern;
    shape->nblanks = model->nblanks;
    shape->blanks = model->nblanks > 0 ? &model->blanks->begin : NULL;
    shape->array[TRM_DIAGONALS] =
        ELEMENTS(pins->diagonal[0], pins->nground + pins->n, trm_pin_diagonal, S, both);
    shape->array[TRM_PIN_PAIRS] = ELEMENTS(pins->pair[0], pins->npairs, trm_pin_pair, more, plain);
    shape->inverse_M = model->bodies.inverse_M;
    shape->nconstant = shape->forces == TRM_FORCES_CONSTANT   ? model->sizes.nv
                       : shape->forces == TRM_FORCES_IN_LANES ? 3 * (model->bodies.n + 1)
                                                              : 0;
    shape->constant = shape->forces == TRM_FORCES_CONSTANT ? model->constant_a : model->weights;
}

/// Bodies, the positions of their pins, and what gives them energy.
static void set_bodies(trm_lane_shape *shape, const trm_model *model)
{
    const trm_pins *pins = &model->pins;
    shape->nbody = model->bodies.n;
    shape->nmoments = pins->nmoments;
    shape->array[TRM_GROUND_PINS] =
        ELEMENTS(pins->ground, pins->nground, trm_ground_pin, row, sign);
    shape->array[TRM_PINS] = ELEMENTS(pins->pin, pins->n, trm_pin, row, la);
    shape->mass = model->bodies.mass;
    shape->inertia = model->bodies.inertia;
    shape->forces = take_forces(shape, model);
}

int trm_lane_passes(const trm_run *run)
{
    const trm_stabilization_ops *ops = run->stabilization;
    const int mass = run->options.mass_metric;
    return !ops->correct                ? 0
           : ops == &trm_s_both && mass ? 1
           : ops == &trm_s_both2 && mass && run->options.post.formula == TRM_POST_FORMULA_TABLES
               ? 2
               : -1;
}

trm_lane_shape trm_lane_shape_of(const trm_model *model, const trm_run *run)
{
    trm_lane_shape shape = {.n = run->n, .nv = run->system->nv, .nc = model->sizes.nc};
    set_bodies(&shape, model);
    set_loops(&shape, model);
    return shape;
}

// -------------------------------------------------------------------------------------- agreement

static int same(const void *a, const void *b, size_t count, size_t size)
{
    return count == 0 || memcmp(a, b, count * size) == 0;
}

static int same_ints(const int *a, const int *b, int n)
{
    return same(a, b, (size_t)n, sizeof *a);
}

static int same_heads(const trm_lane_array *a, const trm_lane_array *b)
{
    if (a->count != b->count) {
        return 0;
    }
    for (size_t i = 0; i < (size_t)a->count; i++) {
        const size_t at = i * a->size;
        if (memcmp((const char *)a->at + at, (const char *)b->at + at, a->indices) != 0) {
            return 0;
        }
    }
    return 1;
}

static int same_pattern(const trm_pattern *a, const trm_pattern *b)
{
    if (!a || !b) {
        return a == b;
    }
    const int n = a->nblocks;
    return n == b->nblocks && a->values == b->values && a->n == b->n && a->rows == b->rows &&
           a->nstretches == b->nstretches && same_ints(a->first, b->first, n) &&
           same_ints(a->diagonal, b->diagonal, n) && same_ints(a->pivot, b->pivot, a->n) &&
           same_ints(a->column, b->column, n + 1) && same_ints(a->row, b->row, a->column[n]) &&
           same_ints(a->targets, b->targets, n + 1) &&
           same_ints(a->target, b->target, a->targets[n]) &&
           same(a->stretches, b->stretches, (size_t)a->nstretches, sizeof *a->stretches) &&
           same(a->pairs, b->pairs, (size_t)n, sizeof *a->pairs);
}

int trm_lane_shapes_agree(const trm_lane_shape *a, const trm_lane_shape *b)
{
    if (a->n != b->n || a->nbody != b->nbody || a->nc != b->nc || a->nfirst != b->nfirst ||
        a->nmoments != b->nmoments || a->nblanks != b->nblanks || !a->field != !b->field ||
        a->forces != b->forces || a->nconstant != b->nconstant) {
        return 0;
    }
    for (int i = 0; i < TRM_LANE_ARRAYS; i++) {
        if (!same_heads(&a->array[i], &b->array[i])) {
            return 0;
        }
    }
    return same_ints(a->blanks, b->blanks, 2 * a->nblanks) && same_pattern(a->pattern, b->pattern);
}
