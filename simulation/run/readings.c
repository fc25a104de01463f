/// Values computed from a state: the terms of the equations of motion, and sensors.
#include "base/linear/sums.h"
#include "base/sized.h"
#include "base/status.h"
#include "engine/system/terms.h"
#include "integrators/trajectory/stabilization.h"
#include "program/run_details.h"
#include "simulation/contact_modes/active_set.h"
#include "simulation/run/sensor.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_equations.h"
#include "trammel/trammel_simulate.h"
#include "trammel/trammel_simulation.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/// Works in memory of its own, and leaves no trace.
static int terms(trm_sim *sim, trm_system *system, double t, const double *force,
                 const trm_terms *out)
{
    const trm_absolute_state *const at = &sim->shown[1];
    const trm_terms_work work = {sim->sensed_v, at->lambda, sim->sensed_c, at->a};
    trm_sim_remember(sim);
    const int code = trm_terms_at(system, t, at->q, at->v, force, out, &work);
    trm_sim_take_least(sim, code ? NULL : out->lambda);
    trm_sim_recall(sim);
    return code;
}

/// The system of the model that a run was made of.
static trm_system *given_system(const trm_sim *sim)
{
    trm_system *const own = sim->run.system;
    return sim->model->joints ? trm_joint_system_absolute(own) : own;
}

trm_status trm_sim_terms(trm_sim *sim, double t, const double *q, const double *v,
                         const double *force, const trm_terms *out, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    trm_system *const system = given_system(sim);
    double *const z = sim->shown[1].q;
    if (!q || !v || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !q   ? "q"
                        : !v ? "v"
                             : "out",
                        "expected a state and a place for the terms, got NULL");
    }
    if (!isfinite(t) || !trm_all_finite(system->nq, q) || !trm_all_finite(system->nv, v) ||
        (force && !trm_all_finite(system->nv, force))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, NULL,
                        "expected finite numbers in t, q, v and force, got one that is not");
    }
    TRM_TRY(trm_sim_enter(sim, err));
    (void)trm_sim_show(sim, &sim->run.now, 0); // turns are counted from there
    memmove(z, q, (size_t)system->nq * sizeof *q);
    memmove(z + system->nq, v, (size_t)system->nv * sizeof *v);
    const int code = terms(sim, system, t, force, out);
    return trm_sim_leave(sim, code ? trm_terms_fail(system, "at", t, code, err) : TRM_OK);
}

/// Forces of contacts at a state of bodies. Turns are those of the sample that it is, or of now.
static int press_bodies(const trm_sim *sim, const trm_state *state)
{
    trm_state own = *state;
    if (sim->model->joints) {
        double *const z = sim->pressed.z, *const u = z + sim->run.system->nq;
        const double *near = (state->t < sim->run.now.t ? &sim->sample : &sim->run.now)->z;
        trm_joint_system_find(sim->run.system, state->t, state->q, state->v, near, z, u);
        own.q = z;
        own.v = u;
    }
    return trm_sim_press(sim, &own);
}

/// The power in dz without that of motors, which is lambda . g_t.
static double power_without_motors(const trm_run *run, const trm_point_of_run *at)
{
    double power = at->dz[run->n - 1];
    for (int i = 0; i < run->system->nc; i++) {
        power -= at->lambda[i] * run->system->g_t[i];
    }
    return power;
}

/// 1 + the limit or friction that has ended the step; 0: none has.
static int released_by(const trm_sim *sim)
{
    const int function = sim->model->nswitching_functions + sim->ended_by_contact - 1;
    return sim->ended_by_contact ? 1 + trm_locator_contact_of(&sim->locator, function) : 0;
}

void trm_sim_note_forces(trm_sim *sim)
{
    trm_run *const run = &sim->run;
    trm_system *const system = run->system;
    const trm_point_of_run *const at = &sim->pressed, *const now = &run->now;
    if (!run->contact || run->method_ops->steps_contacts || run->inputs_changed) {
        return; // means of a step are no forces of a point; those before an event have other bounds
    }
    trm_sim_remember(sim);
    int code = trm_index1(run, now->t, now->z, 0, 0, at->dz, at->lambda);
    const double without = power_without_motors(run, at);
    code =
        code ? code : trm_contact_rates(run->contact, system, now->t, now->z, at->dz, at->lambda);
    const double booked = power_without_motors(run, at) - without;
    trm_contact_measure(run->contact, system, now->t, now->z);
    code = code ? code : trm_contact_measure_driven(run, now->t, now->z);
    if (!code) {
        trm_force_check_add(&sim->forces, run->contact, run,
                            &(trm_force_point){.h = now->t - run->before.t,
                                               .known = trm_locator_time_tolerance(run),
                                               .size = sim->whole,
                                               .released = released_by(sim),
                                               .lambda = at->lambda,
                                               .booked = booked});
    }
    (void)trm_system_position(system, now->t, now->z); // where it succeeded before
    trm_sim_recall(sim);
}

/// At the last point, by the inputs and branches of the step that led there. Forces that would
/// change no velocity of the run by its roundoff in all its time are none: of drives that rest,
/// say.
static double reactions_of(trm_sim *sim)
{
    trm_run *const run = &sim->run;
    const trm_point_of_run *const room = &sim->sample;
    const trm_state now = trm_sim_state_of(run, &run->now);
    double gap = NAN;
    if (sim->phase != TRM_SIM_READY || run->inputs_changed || run->method_ops->steps_contacts) {
        return gap;
    }
    const double rate = sqrt(2 * sim->measure.kinetic_max);
    const double least = now.t > 0 ? DBL_EPSILON * rate / now.t : 0;
    trm_system_hold_modes(run->system, sim->locator.active ? sim->locator.mode : NULL);
    if (!run->contact || !trm_sim_press(sim, &now)) {
        trm_sim_remember(sim);
        gap = trm_force_check_reactions(
            run, &(trm_force_room){run->work_v, room->z, room->dz, room->lambda, least});
        trm_sim_recall(sim);
    }
    trm_system_hold_modes(run->system, NULL);
    return gap;
}

/// What friction and limits do beside their laws, over what they do. What steps leave of the energy
/// exchanged is none.
static double work_gap_of(const trm_sim *sim)
{
    const trm_force_check *const check = &sim->forces;
    const double part = fmax(TRM_CONTACT_ROUNDOFF, sim->run.pair->adaptive * sim->run.options.rtol);
    const double noise = part * trm_measure_judged(&sim->measure, sim->run.extent.v);
    return check->work_gap > noise ? check->work_gap / check->work : 0;
}

static trm_forces forces_of(const trm_sim *sim)
{
    trm_forces forces = {.work = NAN, .reactions = NAN, .worst = -1, .t_worst = NAN, .t_none = NAN};
    if (!sim || trm_sim_enter(sim, NULL)) { // another thread's
        return forces;
    }
    const trm_force_check *const check = &sim->forces;
    forces = (trm_forces){.friction = check->friction,
                          .contacts = check->contacts,
                          .work = work_gap_of(sim),
                          .reactions = reactions_of((trm_sim *)sim), // its workspace, entered
                          .worst = check->worst,
                          .t_worst = check->t_worst,
                          .t_none = check->t_none};
    const int known = check->work > 0 || !isnan(forces.reactions) || !isnan(check->t_none);
    forces.work = known ? forces.work : NAN;
    (void)trm_sim_leave(sim, TRM_OK);
    return forces;
}

void trm_sim_get_forces(const trm_sim *sim, trm_forces *out, size_t size)
{
    const trm_forces known = forces_of(sim);
    trm_hand_out(out, size, &known, sizeof known);
}

trm_status trm_sim_recorded_forces(trm_sim *sim, double t, const double *q, double *v,
                                   const double *known, double *f, trm_error *err)
{
    const trm_model *const model = sim->given;
    const trm_sizes n = model->sizes;
    trm_system *const system = given_system(sim);
    trm_contact *const contact = sim->run.contact;
    const trm_terms wanted = {.f = f};
    for (int i = 0; i < n.ninput; i++) {
        trm_input_settle(&system->inputs[i], known[i]);
    }
    for (int k = 0; k < n.nstate; k++) {
        const double scale = model->outputs[n.noutput - n.nstate + k].value.x[0].local[0];
        v[n.nv - n.nstate + k] = known[n.ninput + k] / scale;
    }
    TRM_TRY(trm_sim_terms(sim, t, q, v, NULL, &wanted, err));
    if (contact) {
        double *const load = sim->model->joints ? sim->sensed_v : sim->run.work_v;
        memcpy(contact->force, known + n.ninput + n.nstate, (size_t)n.ncontact * sizeof *known);
        const trm_kinematics at = trm_assembler_kinematics(system, t, q, v, v);
        trm_contact_apply_forces(contact, &at, -1, load);
        for (int i = 0; i < n.nv; i++) {
            f[i] += load[i];
        }
    }
    return TRM_OK;
}

static int reads_contacts(int n, const trm_sensor *sensors)
{
    for (int i = 0; i < n; i++) {
        if (trm_sensor_presses(&sensors[i])) {
            return 1;
        }
    }
    return 0;
}

static trm_sensor_state sensor_state(const trm_sim *sim, trm_state state, trm_energy energy)
{
    return (trm_sensor_state){.system = given_system(sim),
                              .state = state,
                              .energy = energy,
                              .contact = sim->run.contact,
                              .room = sim->output_room,
                              .work_c = sim->sensed_c,
                              .work_v = sim->sensed_v};
}

/// Any state of the last step, by n sensors.
static trm_status read_sensors(const trm_sim *sim, const trm_state *state, trm_energy energy, int n,
                               const trm_sensor *sensors, double *out, trm_error *err)
{
    for (int i = 0; i < n; i++) {
        if (sensors[i].model != sim->given) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "sensor", "the sensor belongs to another model");
        }
    }
    TRM_TRY(trm_sim_check_ready(sim, err));
    TRM_TRY(trm_sim_enter(sim, err));
    const trm_run *run = &sim->run;
    trm_sensor_state sensed = sensor_state(sim, *state, energy);
    int code = run->contact && reads_contacts(n, sensors) ? press_bodies(sim, state) : 0;
    code = code ? code : trm_sensors_read(n, sensors, &sensed, out);
    return trm_sim_leave(sim,
                         code ? trm_terms_fail(run->system, "at", state->t, code, err) : TRM_OK);
}

/// Forces as a sample within a step has them: by the branches that the system holds, and by what
/// contacts hold. Nothing of it is counted.
void trm_sim_observe(trm_run *run, double t, const double *z)
{
    trm_sim *const sim = (trm_sim *)(void *)((char *)run - offsetof(trm_sim, run));
    trm_system *const system = run->system;
    const trm_model *const given = sim->given;
    trm_point_of_run *const at = &sim->pressed;
    memcpy(at->z, z, (size_t)run->n * sizeof *z);
    at->t = t;
    trm_sim_remember(sim);
    int code = trm_index1(run, t, at->z, 0, 0, at->dz, at->lambda);
    const trm_energy energy =
        code ? (trm_energy){0} : trm_energy_of(system, at->z + system->nq, at->z[run->n - 1]);
    code = code || !run->contact
               ? code
               : trm_contact_rates(run->contact, system, t, at->z, at->dz, at->lambda);
    code = code ? code : trm_system_least(system, at->lambda, run->work_c);
    trm_sim_recall(sim);
    trm_sensor_state sensed = sensor_state(sim, trm_sim_show(sim, at, 1), energy);
    const double *const v = z + system->nq;
    double *const out = trm_assembler_kinematics(system, t, z, v, v).pose->reading;
    run->observed = fmax(trm_max_norm(given->sizes.nc, sensed.state.lambda),
                         run->contact ? trm_max_norm(given->ncontacts, run->contact->force) : 0);
    code = code ? code : trm_sensors_read(given->nreadings, given->readings, &sensed, out);
    for (int i = 0; code && i < given->nreadings; i++) {
        out[i] = NAN;
    }
}

trm_status trm_sim_read(const trm_sim *sim, const trm_sensor *sensor, double *out, trm_error *err)
{
    if (!sim || !sensor || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !sim      ? "sim"
                        : !sensor ? "sensor"
                                  : "out",
                        "expected a run, a sensor and room for its numbers, got NULL");
    }
    const trm_state now = trm_sim_state(sim);
    return read_sensors(sim, &now, sim->measure.energy, 1, sensor, out, err);
}

trm_status trm_sim_read_sample(const trm_sim *sim, const trm_sample *sample, int n,
                               const trm_sensor *sensors, double *out, trm_error *err)
{
    if (!sim || !sample || !sample->state.q || n < 0 || (n > 0 && (!sensors || !out))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !sim                          ? "sim"
                        : !sample || !sample->state.q ? "sample"
                        : n < 0                       ? "n"
                        : !sensors                    ? "sensors"
                                                      : "out",
                        "expected a run, a sample of it, n >= 0 sensors and room for their "
                        "numbers, got NULL or a negative number");
    }
    return read_sensors(sim, &sample->state, sample->energy, n, sensors, out, err);
}
