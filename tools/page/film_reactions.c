/// The constraint force on the mechanism is -G^T lambda [EOM]. The rows of one joint put a force F
/// and a moment about the centre of mass (planar: about z; spatial: in body axes) on its body b;
/// moved to the joint's point p of b the moment is m - (p - centre) x F. Where b is the ground, the
/// force on a is turned round. The multipliers are found in the recording by the names of its
/// columns.
#include "program/view.h"
#include "tools/page/film.h"
#include "trammel/trammel_equations.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
    const trm_film *film;
    trm_sim *sim;
    int nv, nc;
    int *column;            // [nc] of the multiplier in the tape, -1: none
    double *g, *G, *lambda; // [nc], [nc*nv], [nc]
} work;

trm_status trm_film_sim(const trm_film *film, trm_sim **out, trm_error *err)
{
    trm_options options;
    TRM_TRY(trm_choose_options(film->model, 1e-6, &options, NULL, err));
    options.assemble = 1;
    return trm_sim_create(film->model, &options, out, err);
}

static trm_status prepare(work *w, trm_error *err)
{
    const trm_film *const f = w->film;
    TRM_TRY(trm_film_sim(f, &w->sim, err));
    w->column = calloc((size_t)w->nc + 1, sizeof *w->column);
    w->g = calloc((size_t)w->nc + 1, sizeof *w->g);
    w->lambda = calloc((size_t)w->nc + 1, sizeof *w->lambda);
    w->G = calloc((size_t)w->nc * (size_t)w->nv + 1, sizeof *w->G);
    if (w->column == NULL || w->g == NULL || w->lambda == NULL || w->G == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    int hint = -1;
    for (int i = 0; i < w->nc; i++) {
        static const char *const after[] = {"", ".undetermined_at_start"};
        const trm_row_info row = trm_model_row_info(f->model, i);
        w->column[i] = -1;
        for (int k = 0; k < 2 && w->column[i] < 0; k++) {
            char name[512];
            snprintf(name, sizeof name, "%.200s.lambda%s%.60s%s[%s]", row.name,
                     *row.label ? "_" : "", row.label, after[k],
                     strcmp(row.unit, "rad") == 0 ? "N m" : "N");
            w->column[i] = trm_tape_column(f->tape, name, hint);
        }
        hint = w->column[i] >= 0 ? w->column[i] : hint;
    }
    return TRM_OK;
}

void trm_film_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/// Body axes -> world axes.
static void to_world(const work *w, int body, const double *q, const double local[3], double out[3])
{
    static const double zero[3] = {0, 0, 0};
    double centre[3];
    trm_model_point(w->film->model, body, zero, q, NULL, centre, NULL);
    trm_model_point(w->film->model, body, local, q, NULL, out, NULL);
    for (int k = 0; k < 3; k++) {
        out[k] -= centre[k];
    }
}

/// out[6]: force and moment of rows [row, row + rows) on `body`, about the point `local` of it.
static void on_body(const work *w, int row, int rows, int body, const double local[3],
                    const double *q, double out[6])
{
    const trm_body_info info = trm_model_body_info(w->film->model, body);
    const int planar = w->film->view.dimension == 2, d = planar ? 2 : 3;
    double force[3] = {0}, moment[3] = {0}, world[3] = {0}, arm[3], turned[3];
    for (int i = row; i < row + rows; i++) {
        const double *const G = w->G + (size_t)i * (size_t)w->nv + info.v0;
        for (int k = 0; k < d; k++) {
            force[k] -= w->lambda[i] * G[k];
        }
        for (int k = d; k < info.nv; k++) {
            moment[planar ? 2 : k - 3] -= w->lambda[i] * G[k];
        }
    }
    if (planar) {
        world[2] = moment[2];
    } else {
        to_world(w, body, q, moment, world);
    }
    to_world(w, body, q, local, arm);
    arm[2] = planar ? 0 : arm[2];
    trm_film_cross(arm, force, turned);
    for (int k = 0; k < 3; k++) {
        out[k] = force[k];
        out[3 + k] = world[k] - turned[k];
    }
}

static void of_joint(const work *w, int joint, const double *q, double F[6], double *gap)
{
    const trm_joint_info info = trm_model_joint_info(w->film->model, joint);
    const trm_joint_view j = trm_view_joint(w->film->scene, joint);
    for (int i = info.row; i < info.row + info.rows; i++) {
        *gap = fmax(*gap, fabs(w->g[i]));
    }
    if (info.b >= 0) {
        on_body(w, info.row, info.rows, info.b, j.local[1], q, F);
    } else {
        on_body(w, info.row, info.rows, info.a, j.local[0], q, F);
        for (int k = 0; k < 6; k++) {
            F[k] = -F[k];
        }
    }
}

trm_status trm_film_reactions(const trm_film *film, long n, const long *row, double *F, double *gap,
                              trm_error *err)
{
    const trm_sizes sizes = trm_model_sizes(film->model);
    work w = {.film = film, .nv = sizes.nv, .nc = sizes.nc};
    const trm_terms wanted = {0};
    trm_status status = prepare(&w, err);
    for (long i = 0; i < n && status == TRM_OK; i++) {
        const double *const x = film->tape->x + row[i] * film->tape->columns;
        const double *const q = film->q + row[i] * sizes.nq, *const v = film->v + row[i] * sizes.nv;
        trm_terms terms = wanted;
        terms.g = w.g;
        terms.G = w.G;
        for (int k = 0; k < w.nc; k++) {
            w.lambda[k] = w.column[k] >= 0 && isfinite(x[w.column[k]]) ? x[w.column[k]] : 0;
        }
        status = trm_sim_terms(w.sim, x[0], q, v, NULL, &terms, err);
        for (int k = 0; k < sizes.njoint && status == TRM_OK; k++) {
            of_joint(&w, k, q, F + (i * sizes.njoint + k) * 6, &gap[k]);
        }
    }
    trm_sim_destroy(w.sim);
    free(w.column);
    free(w.g);
    free(w.G);
    free(w.lambda);
    return status;
}
