/// What springs, dampers, servos and forces do to each body together: f of [EOM] without weight
/// and, in space, without the gyroscopic term,
///
///   F = f_x - m g,    M = R (f_w + w x J w)    about the centre of mass.
#include "program/view.h"
#include "tools/page/film.h"
#include "trammel/trammel_equations.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/// Body axes -> world axes.
static void to_world(const trm_film *film, int body, const double *q, double x[3])
{
    static const double zero[3] = {0, 0, 0};
    double centre[3], tip[3];
    trm_model_point(film->model, body, zero, q, NULL, centre, NULL);
    trm_model_point(film->model, body, x, q, NULL, tip, NULL);
    for (int k = 0; k < 3; k++) {
        x[k] = tip[k] - centre[k];
    }
}

/// What is left of two large numbers is roundoff where it is below 1e-12 of them.
static double less(double a, double b)
{
    return fabs(a - b) > 1e-12 * (fabs(a) + fabs(b)) ? a - b : 0;
}

static void on_body(const trm_film *film, int body, const double *f, const double *q,
                    const double *v, double out[6])
{
    const trm_body_info info = trm_model_body_info(film->model, body);
    const trm_body_view b = trm_view_body(film->scene, body);
    const int d = film->view.dimension;
    memset(out, 0, 6 * sizeof *out);
    for (int k = 0; k < d; k++) {
        out[k] = less(f[info.v0 + k], b.mass * film->view.gravity[k]);
    }
    if (d == 2 && info.nv == 3) {
        out[5] = f[info.v0 + 2];
    } else if (info.nv == 6) {
        const double *const w = v + info.v0 + 3;
        double Jw[3], turn[3];
        for (int k = 0; k < 3; k++) {
            const double *const J = b.inertia + 3 * k;
            Jw[k] = J[0] * w[0] + J[1] * w[1] + J[2] * w[2];
        }
        cross(w, Jw, turn);
        for (int k = 0; k < 3; k++) {
            out[3 + k] = less(f[info.v0 + 3 + k], -turn[k]);
        }
        to_world(film, body, q, out + 3);
    }
}

trm_status trm_film_forces(const trm_film *film, long n, const long *row, double *F, trm_error *err)
{
    const trm_sizes sizes = trm_model_sizes(film->model);
    trm_sim *sim = NULL;
    double *const f = calloc((size_t)sizes.nv + 1, sizeof *f);
    trm_status status = f != NULL ? trm_film_sim(film, &sim, err)
                                  : TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    for (long i = 0; i < n && status == TRM_OK; i++) {
        const double *const q = film->q + row[i] * sizes.nq, *const v = film->v + row[i] * sizes.nv;
        trm_terms wanted = {0};
        wanted.f = f;
        status = trm_sim_terms(sim, film->tape->x[row[i] * film->tape->columns], q, v, NULL,
                               &wanted, err);
        for (int b = 0; b < sizes.nbody && status == TRM_OK; b++) {
            on_body(film, b, f, q, v, F + (i * sizes.nbody + b) * 6);
        }
    }
    trm_sim_destroy(sim);
    free(f);
    return status;
}
