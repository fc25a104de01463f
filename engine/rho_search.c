#include "engine/rho.h"

#include <math.h>
#include <string.h>

/// q at t by the polynomial of degree 8 that has q, q' and q'' of the last three points: steps of a
/// method of high order are long, and an error e of q lifts the zero of rho to e^2. With x = t - t_i,
/// s = sum_j 1/(t_i - t_j), p = sum_j 1/(t_i - t_j)^2 and L = prod_j ((t - t_j)/(t_i - t_j))^3,
///
///     q = sum_i L ((1 - 3 s x + (9 s^2 + 3 p)/2 x^2) q_i + (x - 3 s x^2) q_i' + x^2/2 q_i'')
static void interpolate(const trm_monitor *monitor, double t, int nq, double *q)
{
    const trm_seen *const seen[] = {&monitor->older, &monitor->before, &monitor->now};
    memset(q, 0, (size_t)nq * sizeof(double));
    for (int i = 0; i < 3; i++) {
        const double x = t - seen[i]->t;
        double L = 1, s = 0, p = 0;
        for (int j = 0; j < 3; j++) {
            if (j != i) {
                const double d = seen[i]->t - seen[j]->t;
                const double factor = (t - seen[j]->t) / d;
                L *= factor * factor * factor;
                s += 1 / d;
                p += 1 / (d * d);
            }
        }
        const double w0 = L * (1 - 3 * s * x + (9 * s * s + 3 * p) / 2 * x * x);
        const double w1 = L * (x - 3 * s * x * x);
        const double w2 = L * x * x / 2;
        for (int k = 0; k < nq; k++) {
            q[k] += w0 * seen[i]->z[k] + w1 * seen[i]->dz[k] + w2 * seen[i]->qdd[k];
        }
    }
}

int trm_rho_go_to(trm_monitor *monitor, trm_run *run, double t)
{
    interpolate(monitor, t, run->system->nq, monitor->probe);
    trm_system_normalize(run->system, monitor->probe);
    return trm_system_position(run->system, t, monitor->probe);
}

double trm_rho_at(trm_monitor *monitor, trm_run *run, double t)
{
    if (trm_rho_go_to(monitor, run, t) || trm_system_factor(run->system, TRM_METRIC_MASS)) {
        return 0; // what cannot be factored is singular
    }
    return trm_rho_of(monitor, run->system, t);
}

/// Abscissa of the vertex of the parabola through three points.
static double vertex(const double t[3], const double r[3])
{
    const double d0 = (t[1] - t[0]) * (r[1] - r[2]);
    const double d2 = (t[1] - t[2]) * (r[1] - r[0]);
    return t[1] - 0.5 * ((t[1] - t[0]) * d0 - (t[1] - t[2]) * d2) / (d0 - d2);
}

/// Replace the outer point of the bracket (t, r) that the probe (s, rs) makes superfluous.
static void shrink(double t[3], double r[3], double s, double rs)
{
    const int inner = rs < r[1]; // the probe is the new middle
    const int left = s < t[1];
    const int outer = left == inner ? 2 : 0;
    if (inner) {
        t[outer] = t[1];
        r[outer] = r[1];
        t[1] = s;
        r[1] = rs;
    } else {
        t[outer] = s;
        r[outer] = rs;
    }
}

double trm_rho_minimize(trm_monitor *monitor, trm_run *run, double t[3], double r[3])
{
    enum { PROBES = 24 };
    int creeps = 0;
    for (int k = 0; k < PROBES && r[1] > 1e-3 * trm_rho_singular * monitor->rho_max; k++) {
        double s = vertex(t, r);
        const int known = !(s > t[0] && s < t[2]) || fabs(s - t[1]) < 1e-3 * (t[2] - t[0]);
        const int well_inside = known || creeps;
        if (well_inside) {
            s = t[1] + (t[2] - t[1] > t[1] - t[0] ? 0.3 * (t[2] - t[1]) : -0.3 * (t[1] - t[0]));
        }
        const double rs = trm_rho_at(monitor, run, s);
        const int flat = fabs(r[1] - rs) < 0.02 * r[1] && !well_inside;
        const int settled = flat && fmax(r[0], r[2]) < 4 * r[1];
        creeps = flat;
        shrink(t, r, s, rs);
        if (settled) {
            break; // a minimum, but no zero
        }
    }
    return r[1];
}
