/// Which runs agree in structure: whatever index or count of what lanes read is another in one of
/// two runs, these do not. Numbers may be others.
#include "tests/rig.h"

#include "integrators/lanes/shape.h"
#include "integrators/trajectory/stabilization.h"
#include "simulation/run/simulation.h"

/// A loop of four pins that hangs from a fifth, so that S has blanks, with a spring and a torque.
static const char loop[] =
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": ["
    "{\"name\": \"a\", \"mass\": 1, \"ends\": [[0, 0], [2, 0]]},"
    "{\"name\": \"b\", \"mass\": 1, \"ends\": [[2, 0], [2.2, 1]]},"
    "{\"name\": \"c\", \"mass\": 1, \"ends\": [[2.2, 1], [0.1, 1.2]]},"
    "{\"name\": \"d\", \"mass\": 1, \"ends\": [[0.1, 1.2], [0, 0]]}], \"joints\": ["
    "{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"a\"], \"at\": [1, 0]},"
    "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"a\", \"b\"], \"at\": [2, 0]},"
    "{\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"b\", \"c\"], \"at\": [2.2, 1]},"
    "{\"name\": \"C\", \"type\": \"revolute\", \"bodies\": [\"c\", \"d\"], \"at\": [0.1, 1.2]},"
    "{\"name\": \"D\", \"type\": \"revolute\", \"bodies\": [\"d\", \"a\"], \"at\": [0, 0]}],"
    "\"markers\": [{\"name\": \"g\", \"body\": \"ground\", \"at\": [0, 3]},"
    "{\"name\": \"m\", \"body\": \"c\", \"at\": [1, 1]}], \"forces\": ["
    "{\"name\": \"s\", \"type\": \"spring_damper\", \"markers\": [\"g\", \"m\"],"
    "\"stiffness\": 5, \"rest_length\": 1},"
    "{\"name\": \"T\", \"type\": \"torque\", \"body\": \"b\", \"reaction\": \"a\", \"value\": 1}]}";

static trm_lane_shape open_shape(rig *r, const char *text, trm_stabilization stabilization)
{
    *r = rig_parse(text);
    rig_start(r, rig_adaptive(TRM_INTEGRATOR_DOP853, stabilization, 1e-6, 1e-6));
    assert_null(trm_lane_refusal(r->model, &r->sim->run));
    return trm_lane_shape_of(r->model, &r->sim->run);
}

static void apart(const char *what, const trm_lane_shape *a, const trm_lane_shape *b)
{
    if (trm_lane_shapes_agree(a, b) || trm_lane_shapes_agree(b, a)) {
        fail_msg("another %s: they agree", what);
    }
}

static void check_counts(const trm_lane_shape *shape)
{
#define COUNT(member)                                                                              \
    do {                                                                                           \
        trm_lane_shape other = *shape;                                                             \
        other.member--;                                                                            \
        apart(#member, shape, &other);                                                             \
    } while (0)
    COUNT(n);
    COUNT(nbody);
    COUNT(nc);
    COUNT(nfirst);
    COUNT(nmoments);
    COUNT(nconstant);
    COUNT(nblanks);
    trm_lane_shape other = *shape;
    other.forces = TRM_FORCES_OF_RUNS;
    apart("source of forces", shape, &other);
    other = *shape;
    other.field = NULL;
    apart("field", shape, &other);
}

/// ints[n], which `place` of *other points to, with each number changed in turn.
static void check_ints(const char *what, const trm_lane_shape *shape, const trm_lane_shape *other,
                       const int *ints, int n, void *place)
{
    assert_true(n > 0);
    int *const copy = malloc((size_t)n * sizeof *copy);
    memcpy(copy, ints, (size_t)n * sizeof *copy);
    memcpy(place, &copy, sizeof copy);
    assert_true(trm_lane_shapes_agree(shape, other));
    for (int i = 0; i < n; i++) {
        copy[i]--;
        apart(what, shape, other);
        copy[i]++;
    }
    free(copy);
}

/// Indices of the elements, and their numbers.
static void check_arrays(const trm_lane_shape *shape)
{
    for (int k = 0; k < TRM_LANE_ARRAYS; k++) {
        const trm_lane_array *const array = &shape->array[k];
        const size_t bytes = (size_t)array->count * array->size;
        if (bytes == 0) {
            continue;
        }
        trm_lane_shape other = *shape;
        char *const copy = malloc(bytes);
        memcpy(copy, array->at, bytes);
        other.array[k].at = copy;
        for (size_t i = 0; i < (size_t)array->count; i++) {
            copy[i * array->size + array->indices - sizeof(int)]++;
            apart("index of an element", shape, &other);
            copy[i * array->size + array->indices - sizeof(int)]--;
            double number;
            memcpy(&number, copy + i * array->size + array->head, sizeof number);
            number += 1.0;
            memcpy(copy + i * array->size + array->head, &number, sizeof number);
        }
        assert_true(trm_lane_shapes_agree(shape, &other));
        other.array[k].count--;
        apart("number of elements", shape, &other);
        free(copy);
    }
}

static void check_pattern(const trm_lane_shape *shape)
{
    const trm_pattern *const p = shape->pattern;
    const int n = p->nblocks;
    trm_pattern other = *p;
    trm_lane_shape copy = *shape;
    copy.pattern = NULL;
    apart("pattern", shape, &copy);
    copy.pattern = &other;
    assert_true(trm_lane_shapes_agree(shape, &copy));
#define MEMBER(member)                                                                             \
    do {                                                                                           \
        other.member--;                                                                            \
        apart(#member, shape, &copy);                                                              \
        other.member++;                                                                            \
    } while (0)
    MEMBER(nblocks);
    MEMBER(values);
    MEMBER(n);
    MEMBER(rows);
    MEMBER(nstretches);
#define INTS(member, count, first)                                                                 \
    do {                                                                                           \
        other = *p;                                                                                \
        check_ints(#member, shape, &copy, first, count, &other.member);                            \
    } while (0)
    INTS(first, n, p->first);
    INTS(diagonal, n, p->diagonal);
    INTS(pivot, p->n, p->pivot);
    INTS(column, n + 1, p->column);
    INTS(row, p->column[n], p->row);
    INTS(targets, n + 1, p->targets);
    INTS(target, p->targets[n], p->target);
    INTS(stretches, p->nstretches * (int)(sizeof *p->stretches / sizeof(int)),
         &p->stretches->begin);
    INTS(pairs, n * (int)(sizeof *p->pairs / sizeof(int)), &p->pairs->first);
}

CLAIM(runs_of_one_structure_differ_in_numbers_alone)
{
    rig r;
    const trm_lane_shape shape = open_shape(&r, loop, TRM_STABILIZATION_S_BOTH2);
    assert_true(shape.nblanks > 0 && shape.array[TRM_SPRINGS].count == 1 &&
                shape.array[TRM_TORQUES].count == 1 && shape.forces == TRM_FORCES_IN_LANES);
    check_counts(&shape);
    check_arrays(&shape);
    check_pattern(&shape);
    trm_lane_shape other = shape;
    check_ints("blanks", &shape, &other, shape.blanks, 2 * shape.nblanks, &other.blanks);
    rig_close(&r);
}
