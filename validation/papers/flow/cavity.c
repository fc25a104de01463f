#include "validation/papers/flow/cavity.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ----------------------------------------------------------------------------------------- extrema

/// The extremum of the cubic through four values at (k + 1/2)/n, near the largest of sign*w.
static void extremum(int n, const double *w, double sign, double *value, double *place)
{
    int best = 1;
    for (int k = 1; k < n - 1; k++) {
        best = sign * w[k] > sign * w[best] ? k : best;
    }
    // four points around it, the fourth on the higher side
    const int left = best > 1 && (best == n - 2 || sign * w[best - 1] > sign * w[best + 1])
                         ? best - 2
                         : best - 1;
    const double *p = w + left;
    const double d1 = p[1] - p[0], d2 = p[2] - 2 * p[1] + p[0];
    const double d3 = p[3] - 3 * p[2] + 3 * p[1] - p[0];
    // Newton's form p0 + s d1 + s(s-1)/2 d2 + s(s-1)(s-2)/6 d3, its derivative by Newton's method
    double s = best - left;
    for (int k = 0; k < 20; k++) {
        const double slope = d1 + (2 * s - 1) / 2 * d2 + (3 * s * s - 6 * s + 2) / 6 * d3;
        s -= slope / (d2 + (s - 1) * d3);
    }
    *value = p[0] + s * d1 + s * (s - 1) / 2 * d2 + s * (s - 1) * (s - 2) / 6 * d3;
    *place = (left + s + 0.5) / n;
}

void trm_paper_cavity_extrema(const trm_paper_mac *mac, const double *x, trm_paper_cavity *out)
{
    enum { MOST = 4096 };
    const int n = mac->n;
    double u[MOST], v[MOST];
    for (int k = 0; k < n && k < MOST; k++) {
        u[k] = x[trm_paper_mac_u(mac, n / 2, k)];
        v[k] = x[trm_paper_mac_v(mac, k, n / 2)];
    }
    extremum(n, u, -1, &out->u_min, &out->y_min);
    extremum(n, v, 1, &out->v_max, &out->x_max);
    extremum(n, v, -1, &out->v_min, &out->x_min);
}

// --------------------------------------------------------------------------------------------- run

/// Stops when the velocity changes by less than rate per time.
typedef struct watch {
    int n;
    double rate, h, now;
    double *last; ///< [n]
} watch;

static int is_steady(trm_dae_sim *sim, void *user)
{
    watch *w = user;
    const double *x = trm_dae_sim_state(sim, 0).x;
    w->now = 0;
    for (int i = 0; i < w->n; i++) {
        w->now = fmax(w->now, fabs(x[i] - w->last[i]) / w->h);
        w->last[i] = x[i];
    }
    return w->now <= w->rate;
}

static trm_status run(trm_paper_mac *mac, const trm_dae_options *options, double t_end, watch *w,
                      trm_paper_cavity *out, trm_error *err)
{
    trm_dae_sim *sim = NULL;
    trm_status status = trm_dae_sim_create(&mac->problem, options, 0, w->last, &sim, err);
    if (status == TRM_OK) {
        status = trm_dae_sim_observe(sim, t_end, is_steady, w, err);
        status = status == TRM_STOPPED ? TRM_OK : status;
        out->rate = w->now;
        out->t = trm_dae_sim_state(sim, 0).t;
        out->stats = trm_dae_sim_stats(sim);
    }
    trm_dae_sim_destroy(sim);
    return status;
}

trm_status trm_paper_cavity_run(trm_paper_mac *mac, const trm_dae_options *options, double t_end,
                                double rate, trm_paper_cavity *out, double *x, trm_error *err)
{
    const int nx = mac->problem.nx;
    watch w = {.n = nx, .rate = rate, .h = options->h};
    *out = (trm_paper_cavity){0};
    w.last = calloc((size_t)nx, sizeof *w.last);
    if (w.last == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "out of memory");
    }
    const trm_status status = run(mac, options, t_end, &w, out, err);
    trm_paper_cavity_extrema(mac, w.last, out);
    if (x != NULL) {
        memcpy(x, w.last, (size_t)nx * sizeof *x);
    }
    free(w.last);
    return status;
}

// ---------------------------------------------------------------------------------------- pictures

void trm_paper_cavity_corners(const trm_paper_mac *mac, const double *x, double *stream,
                              double *vorticity)
{
    const int n = mac->n;
    for (int i = 0; i <= n; i++) {
        stream[i] = 0;
        for (int j = 0; j < n; j++) {
            const double u = i > 0 && i < n ? x[trm_paper_mac_u(mac, i, j)] : 0;
            stream[(j + 1) * (n + 1) + i] = stream[j * (n + 1) + i] + u / n;
        }
    }
    for (int j = 0; j <= n; j++) {
        for (int i = 0; i <= n; i++) {
            const int inside = i > 0 && i < n && j > 0 && j < n;
            vorticity[j * (n + 1) + i] =
                inside ? n * (x[trm_paper_mac_v(mac, i, j)] - x[trm_paper_mac_v(mac, i - 1, j)] -
                              x[trm_paper_mac_u(mac, i, j)] + x[trm_paper_mac_u(mac, i, j - 1)])
                       : NAN;
        }
    }
}
