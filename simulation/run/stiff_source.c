/// Which force makes a run stiff.
///
/// Along the stiff direction w, the difference of two stages, a force F has the share
///
///     damper   c = -w . dF/dv w / w^T M w     [1/s]
///     spring   c = -w . dF/dq N w / w^T M w   [1/s^2]
///
/// in the eigenvalue, which is c or sqrt(c). Derivatives by differences.
#include "base/linear/sums.h"
#include "base/loops.h"
#include "bodies/forces/force.h"
#include "program/run_details.h"
#include "simulation/run/simulation.h"

#include <math.h>
#include <string.h>

typedef struct search {
    trm_sim *sim;
    const double *w;       // [nv] of largest entry 1
    double *W, *V, *moved; // [slots] w, v, v + eps_v w
    double *F;             // [slots]
    double eps_v, eps_q;
} search;

/// W . F of one element where the pose is, with velocities V.
static double work_of(const search *s, const trm_force_group *group, int e, const trm_pose *pose,
                      const double *V)
{
    const char *const element = (const char *)group->elements + (size_t)e * group->kind->size;
    memset(s->F, 0, (size_t)s->sim->slots * sizeof(double));
    if (group->kind->apply(element, 1, pose, V, s->F)) {
        return NAN;
    }
    return trm_dot(s->sim->slots, s->W, s->F);
}

/// out[2] := w . (dF/dv) w and w . (dF/dq) N w of one element, by differences.
static void shares_of(const search *s, const trm_force_group *group, int e, double out[2])
{
    trm_run *const run = &s->sim->run;
    const double *const q = run->now.z, *const v = q + run->system->nq;
    double *const there = s->sim->sample.z;
    trm_kinematics kinematics = trm_assembler_kinematics(run->system, run->now.t, q, v, v);
    const double here = work_of(s, group, e, kinematics.pose, s->V);
    out[0] = (work_of(s, group, e, kinematics.pose, s->moved) - here) / s->eps_v;
    memcpy(there, q, (size_t)run->system->nq * sizeof(double));
    memcpy(s->sim->sample.dz, s->w, (size_t)run->system->nv * sizeof(double));
    for (int i = 0; i < run->system->nv; i++) {
        s->sim->sample.dz[i] *= s->eps_q;
    }
    trm_system_move(run->system, s->sim->sample.dz, there);
    trm_system_normalize(run->system, there);
    kinematics = trm_assembler_kinematics(run->system, run->now.t, there, v, v);
    out[1] = (work_of(s, group, e, kinematics.pose, s->V) - here) / s->eps_q;
}

/// The direction in s->w (which is the sample's dz later: kept in the slots before). Returns zero
/// when there is none.
static int set_direction(search *s, double *w)
{
    trm_run *const run = &s->sim->run;
    const int nq = run->system->nq, nv = run->system->nv;
    const double *const v = run->now.z + nq;
    double largest = 0, fastest = 1;
    for (int i = 0; i < nv; i++) {
        largest = trm_larger(fabs(run->stiffness.direction[nq + i]), largest);
        fastest = trm_larger(fabs(v[i]), fastest);
    }
    for (int i = 0; i < nv; i++) {
        w[i] = largest > 0 ? run->stiffness.direction[nq + i] / largest : 0;
    }
    s->w = w;
    s->eps_v = 1e-6 * fastest;
    s->eps_q = 1e-7 * run->extent.v[0];
    const trm_kinematics kinematics =
        trm_assembler_kinematics(run->system, run->now.t, run->now.z, v, w);
    for (int i = 0; i < s->sim->slots; i++) {
        s->V[i] = kinematics.V[i];
        s->W[i] = kinematics.A[i];
        s->moved[i] = kinematics.V[i] + s->eps_v * kinematics.A[i];
    }
    return largest > 0;
}

/// The part of |w|^2 that turns, or that does not, with lengths in units of `unit` of each body.
static double squares(const trm_model *model, const double *w, int turns, const double *unit)
{
    double sum = 0;
    for (int b = 0; b < model->sizes.nbody; b++) {
        const trm_body_info *const body = &model->body_info[b];
        for (int k = 0; k < body->nv; k++) {
            const double x = w[body->v0 + k] / (unit && !turns ? unit[body->v0] : 1);
            sum += trm_model_v_turns(model, body, k) == turns ? x * x : 0;
        }
    }
    return sum;
}

/// Takes the share as the source if it is the largest so far.
static void consider(const search *s, const char *name, const double share[2], trm_stiff *out)
{
    trm_system *const system = s->sim->run.system;
    const double mass = 2 * trm_system_kinetic(system, s->w);
    const double rate[2] = {fabs(share[0]) / mass, sqrt(fabs(share[1]) / mass)};
    const int spring = rate[1] > rate[0];
    if (!(rate[spring] > out->share_rate)) {
        return;
    }
    const double moved = squares(s->sim->model, s->w, out->is_rotation, NULL);
    out->source = name;
    out->share_rate = rate[spring];
    out->is_spring = spring;
    out->coefficient = fabs(share[spring]) / moved;
    out->inertia = mass / moved;
}

int trm_sim_stiff(trm_sim *sim, trm_stiff *out)
{
    if (!sim || !out || !sim->run.stiffness.found || !(sim->run.stiffness.rate > 0)) {
        return 0;
    }
    const trm_model *const model = sim->model;
    const double half = 0.5; // of the eigenvalue: less is no source
    double *const room = sim->stiff_room;
    search s = {.sim = sim,
                .W = room,
                .V = room + sim->slots,
                .moved = room + 2 * sim->slots,
                .F = room + 3 * sim->slots};
    *out = (trm_stiff){.rate = sim->run.stiffness.rate, .source = "", .unit = ""};
    if (model->from_equations || !set_direction(&s, sim->run.work_v2)) {
        return 1;
    }
    const double *const unit = sim->run.extent.v;
    out->is_rotation = squares(model, s.w, 1, unit) > squares(model, s.w, 0, unit);
    for (int k = 0; k < model->ngroups; k++) {
        const trm_force_group *const group = &model->groups[k];
        const int pushes = group->names && group->kind != &trm_force_state; // those are rates
        for (int e = 0; pushes && e < group->n; e++) {
            double share[2];
            shares_of(&s, group, e, share);
            consider(&s, group->names[e], share, out);
        }
    }
    out->unit = out->is_spring ? (out->is_rotation ? "N m/rad" : "N/m")
                               : (out->is_rotation ? "N m s/rad" : "N s/m");
    if (out->share_rate < half * out->rate) {
        out->source = "";
    }
    return 1;
}
