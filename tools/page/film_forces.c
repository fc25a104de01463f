/// What springs, dampers, servos, forces and contacts do to each body together: f of [EOM] without
/// weight and, in space, without the gyroscopic term,
///
///   F = f_x - m g,    M = R (f_w + w x J w)    about the centre of mass.
#include "program/run_details.h"
#include "program/view.h"
#include "tools/page/film.h"
#include "trammel/trammel_contact.h"
#include "trammel/trammel_equations.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        trm_film_cross(w, Jw, turn);
        for (int k = 0; k < 3; k++) {
            out[3 + k] = less(f[info.v0 + 3 + k], -turn[k]);
        }
        to_world(film, body, q, out + 3);
    }
}

/// Columns of inputs, states and forces of contacts, as trm_sim_recorded_forces takes them; -1: the
/// recording has none. Returns how many.
static int find_columns(const trm_film *film, int *column)
{
    const trm_sizes n = trm_model_sizes(film->model);
    const int all = n.ninput + n.nstate + n.ncontact;
    for (int i = 0; i < all; i++) {
        const int state = i - n.ninput, contact = state - n.nstate;
        const trm_output_info output =
            trm_model_output_info(film->model, n.noutput - n.nstate + state);
        const trm_contact_info pressed = trm_model_contact_info(film->model, contact);
        char name[512];
        if (state < 0) {
            snprintf(name, sizeof name, "%.400s", trm_model_input_info(film->model, i).name);
        } else if (contact < 0) {
            const int bare = *output.unit == '\0';
            snprintf(name, sizeof name, bare ? "%.300s" : "%.300s[%.99s]", output.name,
                     output.unit);
        } else {
            snprintf(name, sizeof name, "%.400s.contact_force[%s]", pressed.name,
                     strcmp(pressed.unit, "rad") == 0 ? "N m" : "N");
        }
        column[i] = trm_tape_column(film->tape, name, i > 0 ? column[i - 1] : -1);
    }
    return all;
}

trm_status trm_film_forces(const trm_film *film, long n, const long *row, double *F, trm_error *err)
{
    const trm_sizes sizes = trm_model_sizes(film->model);
    const size_t most = (size_t)(sizes.ninput + sizes.nstate + sizes.ncontact);
    trm_sim *sim = NULL;
    double *const f = calloc((size_t)sizes.nv + most + 1, sizeof *f), *const known = f + sizes.nv;
    int *const column = calloc(most + 1, sizeof *column);
    trm_status status = f != NULL && column != NULL
                            ? trm_film_sim(film, &sim, err)
                            : TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    const int nknown = status == TRM_OK ? find_columns(film, column) : 0;
    for (long i = 0; i < n && status == TRM_OK; i++) {
        const double *const q = film->q + row[i] * sizes.nq;
        const double *const x = film->tape->x + row[i] * film->tape->columns;
        double *const v = film->v + row[i] * sizes.nv;
        for (int k = 0; k < nknown; k++) {
            known[k] = column[k] >= 0 && isfinite(x[column[k]]) ? x[column[k]] : 0;
        }
        status = trm_sim_recorded_forces(sim, x[0], q, v, known, f, err);
        for (int b = 0; b < sizes.nbody && status == TRM_OK; b++) {
            on_body(film, b, f, q, v, F + (i * sizes.nbody + b) * 6);
        }
    }
    trm_sim_destroy(sim);
    free(f);
    free(column);
    return status;
}
