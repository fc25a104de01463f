#include "integrators/jump.h"
#include "engine/loops.h"

#include <math.h>
#include <string.h>

/// The first velocity of the body that v_i belongs to. Equations of the user have no bodies: all is one.
static int body_of(const trm_run *run, int i)
{
    return run->body ? run->body[i] : 0;
}

void trm_speeds_start(trm_run *run, const double *root_mass)
{
    memset(run->usual, 0, (size_t)run->system->nv * sizeof(double));
    trm_speeds_update(run, root_mass, 0);
}

void trm_speeds_update(trm_run *run, const double *root_mass, double T)
{
    const double half_turn = 3.14159265358979323846;
    const int nv = run->system->nv;
    const double *const v = run->now.z + run->system->nq;
    double *const speed = run->work_v, *const size = run->work_v2;
    memset(speed, 0, (size_t)nv * sizeof(double));
    memset(size, 0, (size_t)nv * sizeof(double));
    for (int i = 0; i < nv; i++) {
        const int b = body_of(run, i);
        speed[b] = trm_larger(root_mass[i] * fabs(v[i]), speed[b]);
        size[b] = trm_larger(root_mass[i] * run->extent.v[i], size[b]);
    }
    for (int b = 0; b < nv; b++) {
        const double path = size[b] > 0 ? T * speed[b] / (half_turn * size[b]) : 0;
        run->usual[b] = fmax(speed[b], run->usual[b] * exp(-path));
    }
}

/// What component i of the velocity jumps by, beyond what its error may be; else 0.
static double jump_of(const trm_options *options, double T, double v0, double a0, double v1,
                      double a1)
{
    const double jump = fabs(v1 - v0 - T / 2 * (a0 + a1)) - fabs(T / 6 * (a1 - a0));
    return jump > options->atol + options->rtol * trm_larger(fabs(v0), fabs(v1)) ? jump : 0;
}

/// jump[nv] by the trapezoidal rule.
static void find_jumps(const trm_run *run, double T, const double *z0, const double *dz0,
                       const double *z1, const double *dz1, double *jump)
{
    const int nq = run->system->nq;
    for (int i = nq; i < nq + run->system->nv; i++) {
        jump[i - nq] = jump_of(&run->options, T, z0[i], dz0[i], z1[i], dz1[i]);
    }
}

/// max of jump[nv] in units of what is usual for each body, and each of them, of[nv]; size[nv] is for use.
static double largest_part(const trm_run *run, const double *root_mass, const double *z0,
                           const double *z1, const double *jump, double *size, double *of)
{
    const int nv = run->system->nv;
    const double *const v0 = z0 + run->system->nq, *const v1 = z1 + run->system->nq;
    double largest = 0;
    for (int i = 0; i < nv; i++) {
        largest = trm_larger(jump[i], largest);
    }
    if (of) {
        memset(of, 0, (size_t)nv * sizeof(double));
    }
    if (largest == 0) {
        return 0;
    }
    memcpy(size, run->usual, (size_t)nv * sizeof(double));
    for (int i = 0; i < nv; i++) {
        double *of_body = &size[body_of(run, i)];
        *of_body = trm_larger(root_mass[i] * trm_larger(fabs(v0[i]), fabs(v1[i])), *of_body);
    }
    largest = 0;
    for (int i = 0; i < nv; i++) {
        const double part = jump[i] > 0 ? root_mass[i] * jump[i] / size[body_of(run, i)] : 0;
        largest = trm_larger(part, largest);
        if (of) {
            of[i] = part;
        }
    }
    return largest;
}

double trm_run_jump(const trm_run *run, const double *root_mass, double T, const double *z0,
                    const double *dz0, const double *z1, const double *dz1, double *of)
{
    find_jumps(run, T, z0, dz0, z1, dz1, run->work_v);
    return largest_part(run, root_mass, z0, z1, run->work_v, run->work_v2, of);
}

double trm_run_jump_of_step(const trm_run *run, const double *root_mass, double T, const double *z0,
                            const double *dz0, const double *z1, const double *dz1, double *of)
{
    const double smooth = 0.1; // nobody asks how smooth
    double *const jump = run->work_v, *const kink = run->work_v2;
    const double rough = trm_run_jump(run, root_mass, T, z0, dz0, z1, dz1, of);
    if (!(rough > smooth) || !run->kink) {
        return rough;
    }
    run->kink(run, T, kink);
    for (int i = 0; i < run->system->nv; i++) {
        jump[i] = kink[i] < jump[i] ? kink[i] : jump[i];
    }
    return largest_part(run, root_mass, z0, z1, jump, run->work_v2, of);
}
