/// Every kind of row: its value, and G and gamma against differences.
#include "bodies/forces/force.h"
#include "constraints/rows.h"
#include "tests/near.h"
#include "tests/random_bodies.h"

// ------------------------------------------------------------------------------- random batches

enum { PAIRS = 8, STRIDE = 8, ROWS = 3 * PAIRS };

/// Both moving, the ground on either side, a point mass on either side.
static const int pair[PAIRS][2] = {{0, 2},      {2, 0},      {GROUND, 0}, {GROUND, 2},
                                   {0, GROUND}, {2, GROUND}, {1, 2},      {0, 1}};

typedef struct random_batch {
    trm_row_batch batch;
    const trm_row_ops *ops;
    int a[PAIRS], b[PAIRS], row[PAIRS], Ga[PAIRS], Gb[PAIRS];
    double la[3 * STRIDE], lb[3 * STRIDE], ua[3 * STRIDE], ub[3 * STRIDE];
    double sa[3 * STRIDE], sb[3 * STRIDE], constant[PAIRS];
    double g[ROWS], gamma[ROWS], G[2 * ROWS * 6];
} random_batch;

static void set_column(double *array, int i, const double *vector, int n)
{
    for (int k = 0; k < n; k++) {
        array[k * STRIDE + i] = vector[k];
    }
}

static void random_entry(random_batch *r, int i, int dimension, uint64_t *seed)
{
    double l[3], u[3], s[3], square[3];
    random_vector(seed, l, 3);
    set_column(r->la, i, l, dimension);
    random_vector(seed, l, 3);
    set_column(r->lb, i, l, dimension);
    random_direction(seed, u, dimension);
    set_column(r->ua, i, u, dimension);
    if (dimension == 3) {
        random_direction(seed, s, 3);
        cross(u, s, square);
        set_column(r->sa, i, scale(1.0 / sqrt(dot(square, square)), square, square), 3);
    }
    random_direction(seed, u, dimension);
    set_column(r->ub, i, u, dimension);
    random_direction(seed, s, dimension);
    set_column(r->sb, i, s, dimension);
    r->constant[i] = 1.5 + uniform(seed);
}

/// One entry per pair, rows and blocks in an order of their own.
static void make_batch(random_batch *r, int dimension, trm_row_kind kind, uint64_t *seed)
{
    *r = (random_batch){.ops = trm_row_table[dimension - 2][kind]};
    const int width = dimension == 2 ? 3 : 6, rows = r->ops->rows;
    for (int i = 0; i < PAIRS; i++) {
        r->a[i] = pair[i][0];
        r->b[i] = pair[i][1];
        r->row[i] = (PAIRS - 1 - i) * rows;
        r->Ga[i] = 2 * r->row[i] * width;
        r->Gb[i] = r->Ga[i] + rows * width;
        random_entry(r, i, dimension, seed);
    }
    r->batch = (trm_row_batch){.n = PAIRS,
                               .stride = STRIDE,
                               .a = r->a,
                               .b = r->b,
                               .row = r->row,
                               .Ga = r->Ga,
                               .Gb = r->Gb,
                               .la = r->la,
                               .lb = r->lb,
                               .ua = r->ua,
                               .ub = r->ub,
                               .sa = r->sa,
                               .sb = r->sb,
                               .constant = r->constant};
}

/// g and G at the pose of w. What is not written stays NaN.
static void evaluate(random_batch *r, const world *w)
{
    for (size_t k = 0; k < sizeof r->G / sizeof *r->G; k++) {
        r->G[k] = NAN;
    }
    for (int k = 0; k < ROWS; k++) {
        r->g[k] = r->gamma[k] = NAN;
    }
    r->ops->position(&r->batch, &w->pose, r->g, r->G);
}

/// Derivative of row `row` of entry i by velocity component k of the model, from the blocks.
static double entry_of_G(const random_batch *r, const world *w, int i, int row, int k)
{
    const int width = w->bodies.width;
    double sum = 0.0;
    for (int body = 0; body < BODIES; body++) {
        const int n = w->point[body] ? w->bodies.dimension : width;
        const int component = k - w->v0[body];
        if (component >= 0 && component < n) {
            sum += body == r->a[i] ? r->G[r->Ga[i] + row * width + component] : 0.0;
            sum += body == r->b[i] ? r->G[r->Gb[i] + row * width + component] : 0.0;
        }
    }
    return sum;
}

/// Sample j of all rows. A jump of a spatial angle by one turn is no change of g.
static void sample(random_batch *r, const world *w, int j, double g[ROWS][5])
{
    const double turn = 2.0 * acos(-1.0);
    evaluate(r, w);
    for (int row = 0; row < PAIRS * r->ops->rows; row++) {
        g[row][j] = r->g[row];
        g[row][j] -= turn * round((g[row][j] - g[row][0]) / turn);
    }
}

typedef void check_fn(random_batch *r, world *w);

/// The check for every kind in either dimension in several random states.
static void for_every_row(check_fn *check)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int kind = 0; kind < TRM_ROW_KINDS; kind++) {
            if (trm_row_table[dimension - 2][kind]->rows == 0) {
                continue;
            }
            for (uint64_t seed = 1; seed <= 10; seed++) {
                world w;
                random_batch r;
                make_world(&w, dimension, seed);
                make_batch(&r, dimension, (trm_row_kind)kind, &w.seed);
                check(&r, &w);
            }
        }
    }
}

// ---------------------------------------------------------------------------------- derivatives

static void check_G(random_batch *r, world *w)
{
    const double h = 3e-4;
    double exact[2 * ROWS * 6];
    evaluate(r, w);
    memcpy(exact, r->G, sizeof exact);
    for (int k = 0; k < w->bodies.nv; k++) {
        double g[ROWS][5];
        for (int j = 0; j < 5; j++) {
            place_moved(w, k, five[j] * h);
            sample(r, w, j, g);
        }
        memcpy(r->G, exact, sizeof exact);
        for (int i = 0; i < PAIRS; i++) {
            for (int row = 0; row < r->ops->rows; row++) {
                const double expected = first_difference(g[r->row[i] + row], h);
                assert_close(entry_of_G(r, w, i, row, k), expected, 1e-9);
            }
        }
    }
}

CLAIM(G_is_the_derivative_of_g)
{
    for_every_row(check_G);
}

static void check_gamma(random_batch *r, world *w)
{
    const double h = 1e-3;
    double g[ROWS][5];
    for (int j = 0; j < 5; j++) {
        place_after(w, five[j] * h);
        sample(r, w, j, g);
    }
    place(w);
    r->ops->gamma(&r->batch, &w->pose, w->V, r->gamma);
    for (int row = 0; row < PAIRS * r->ops->rows; row++) {
        assert_close(r->gamma[row], -second_difference(g[row], h), 1e-7);
    }
}

CLAIM(gamma_is_minus_the_second_derivative_of_g_at_constant_velocity)
{
    for_every_row(check_gamma);
}

static void check_every_entry(random_batch *r, world *w)
{
    const int entries = 2 * PAIRS * r->ops->rows * w->bodies.width;
    evaluate(r, w);
    for (int k = 0; k < entries; k++) {
        assert_true(isfinite(r->G[k]));
    }
    for (int k = 0; k < PAIRS * r->ops->rows; k++) {
        assert_true(isfinite(r->g[k]));
    }
}

CLAIM(both_blocks_are_written_entirely)
{
    for_every_row(check_every_entry);
}

/// World coordinates of a point (or direction) of entry i.
static void column(const world *w, const double *array, int i, int body, int direction,
                   double out[3])
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    double local[3] = {0.0}, p[3];
    for (int k = 0; k < w->bodies.dimension; k++) {
        local[k] = array[k * STRIDE + i];
    }
    trm_point(&w->pose, body, local, NULL, out, NULL);
    if (direction) {
        trm_point(&w->pose, body, origin, NULL, p, NULL);
        subtract(out, p, out);
    }
}

/// g of entry i as constraints/rows.h defines it.
static void defined(const random_batch *r, const world *w, trm_row_kind kind, int i, double g[3])
{
    const int a = r->a[i], b = r->b[i];
    double ra[3], rb[3], d[3], u[3], x[3], y[3], z[3];
    column(w, r->la, i, a, 0, ra);
    column(w, r->lb, i, b, 0, rb);
    column(w, r->ua, i, a, 1, u);
    subtract(rb, ra, d);
    if (kind == TRM_ROW_COINCIDENT) {
        set3(g, d[0], d[1], d[2]);
    } else if (kind == TRM_ROW_IN_PLANE) {
        g[0] = dot(u, d);
    } else if (kind == TRM_ROW_ALIGNED) {
        column(w, r->ub, i, b, 1, y);
        column(w, r->sb, i, b, 1, z);
        g[0] = dot(u, y);
        g[1] = dot(u, z);
    } else if (kind == TRM_ROW_PERPENDICULAR) {
        column(w, r->ub, i, b, 1, z);
        g[0] = dot(u, z);
    } else if (kind == TRM_ROW_DISTANCE) {
        g[0] = (dot(d, d) - r->constant[i] * r->constant[i]) / (2.0 * r->constant[i]);
    } else if (w->bodies.dimension == 2) {
        g[0] = w->angle[b] - w->angle[a] - r->constant[i];
    } else {
        double p[3] = {0.0}, q[3];
        column(w, r->sa, i, a, 1, x);
        column(w, r->sb, i, b, 1, z);
        if (kind == TRM_ROW_TWIST) {
            column(w, r->ub, i, b, 1, q);
            cross(q, z, p);
        }
        cross(u, x, y);
        g[0] = atan2(dot(z, y) - dot(p, x), dot(z, x) + dot(p, y));
    }
}

static void check_value(random_batch *r, world *w)
{
    int kind = 0;
    while (trm_row_table[w->bodies.dimension - 2][kind] != r->ops) {
        kind++;
    }
    evaluate(r, w);
    for (int i = 0; i < PAIRS; i++) {
        double g[3];
        defined(r, w, (trm_row_kind)kind, i, g);
        for (int row = 0; row < r->ops->rows; row++) {
            assert_close(r->g[r->row[i] + row], g[row], 1e-14);
        }
    }
}

CLAIM(a_row_measures_what_it_says)
{
    for_every_row(check_value);
}

CLAIM(a_planar_angle_counts_whole_turns)
{
    world w;
    random_batch r;
    make_world(&w, 2, 1);
    make_batch(&r, 2, TRM_ROW_ANGLE, &w.seed);
    w.q[w.q0[0] + 2] = 0.25;
    w.q[w.q0[2] + 2] = 20.0;
    r.constant[0] = 0.5;
    place(&w);
    evaluate(&r, &w);
    assert_near(r.g[r.row[0]], 20.0 - 0.25 - 0.5, 1e-14);
}

CLAIM(a_distance_is_measured_in_metres)
{
    world w;
    random_batch r;
    for (int dimension = 2; dimension <= 3; dimension++) {
        make_world(&w, dimension, 3);
        make_batch(&r, dimension, TRM_ROW_DISTANCE, &w.seed);
        evaluate(&r, &w);
        const double d2 = r.constant[0] * (2.0 * r.g[r.row[0]] + r.constant[0]);
        r.constant[0] = sqrt(d2) * (1.0 - 1e-6);
        evaluate(&r, &w);
        // the rod is 1e-6 of its length too short
        assert_near(r.g[r.row[0]], 1e-6 * sqrt(d2), 1e-11);
    }
}
