/// Conditions and settings that read what follows from the equations: motors' torques, reactions,
/// forces of contacts, energies. Against closed forms, by every adaptive method.
#include "tests/simulation/events/events.h"

#define PEAK "\"parameters\":{\"u\":{\"value\":0,\"input\":true}},"
#define ON_FLOOR(y, elements)                                                                      \
    "{\"dimension\":2,\"gravity\":[0,-9.81]," PEAK "\"bodies\":[{\"name\":\"a\",\"mass\":2,"       \
    "\"inertia\":1,\"position\":[0," y "]}],\"joints\":[{\"name\":\"G\",\"type\":\"prismatic\","   \
    "\"bodies\":[\"ground\",\"a\"],\"at\":[0," y "],\"axis\":[0,1],\"limits\":[-" y ",5],"         \
    "\"restitution\":0}],\"markers\":[{\"name\":\"c\",\"body\":\"a\",\"at\":[0," y "]}]," elements \
    "}"

/// 0.8 kg m^2 about the hinge, 2 kg at 0.5 m below it, angle = sin(2 t)/2: |M| = 3 N m.
static const char *const driven[] = {
    "{\"dimension\":2,\"gravity\":[0,-9.81]," PEAK "\"bodies\":[{\"name\":\"a\",\"mass\":2,"
    "\"inertia\":0.3,\"position\":[0,-0.5],\"velocity\":[0.5,0],\"rate\":1}],\"joints\":[{\"name\":"
    "\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],"
    "\"motor\":\"0.5*sin(2*t)\"}],\"outputs\":{\"M\":\"O.motor\"},"
    "\"events\":[{\"name\":\"e\",\"when\":\"abs(M) > 3\",\"set\":{\"u\":\"max(u, M^2)\"}}]}",
    "{\"dimension\":3,\"gravity\":[0,0,-9.81]," PEAK "\"bodies\":[{\"name\":\"a\",\"mass\":2,"
    "\"inertia\":[0.3,0.3,0.3],\"position\":[0,0,-0.5],\"velocity\":[-0.5,0,0],\"rate\":[0,1,0]}],"
    "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],"
    "\"at\":[0,0,0],\"axis\":[0,1,0],\"motor\":\"0.5*sin(2*t)\"}],"
    "\"events\":[{\"name\":\"e\",\"when\":\"abs(O.motor) > 3\",\"set\":{\"u\":\"O.motor^2\"}}]}"};

static double torque(double t)
{
    return -0.8 * 2 * sin(2 * t) + 9.81 * sin(0.5 * sin(2 * t));
}

/// Runs a scene by every adaptive method that takes it, in both coordinates.
static void by_all(const char *scene, double end, void (*check)(const rig *r))
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    const trm_coordinates in[] = {TRM_COORDINATES_ABSOLUTE, TRM_COORDINATES_JOINT};
    int runs = 0;
    for (int i = 0; i < 2 * n; i++) {
        const trm_method *const m = &methods[i / 2];
        rig r = rig_parse(scene);
        rig_take(&r, in[i % 2]);
        if (m->adaptive && rig_fits(&r, m)) {
            rig_start(&r, rig_adaptive(m->integrator, m->stabilization, 1e-8, 1e-8));
            rig_run(&r, end);
            check(&r);
            runs++;
        }
        rig_close(&r);
    }
    assert_true(runs > 20);
}

static void check_torque(const rig *r)
{
    assert_int_equal(trm_sim_events(r->sim), 2);
    for (int i = 0; i < 2; i++) { // tolerances of 1e-8 leave IDA 1e-5
        const trm_event e = event_of(r, i);
        near("torque", fabs(torque(e.t)), 3, 1e-5);
        near("rises", fabs(torque(e.t + 1e-3)) > 3, 1, 0);
    }
    near("set", trm_sim_input(r->sim, 0), 9, 1e-5);
}

CLAIM(the_torque_of_a_motor_is_located)
{
    by_all(driven[0], 3, check_torque);
    by_all(driven[1], 3, check_torque);
}

/// 19.62 N + 20 t^2, and 50 N more from 1 s on.
static void check_load(const rig *r)
{
    const double t[] = {sqrt((30 - 19.62) / 20), 1, sqrt((150 - 69.62) / 20)};
    assert_int_equal(trm_sim_events(r->sim), 3);
    for (int i = 0; i < 3; i++) {
        near("time", event_of(r, i).t, t[i], 1e-12);
    }
}

CLAIM(a_growing_load_and_its_jump_are_located)
{
    by_all(ON_FLOOR("0", "\"forces\":[{\"name\":\"L\",\"type\":\"force\",\"marker\":\"c\","
                         "\"value\":[0,\"-20*t^2 - (t > 1 ? 50 : 0)\"]}],\"events\":["
                         "{\"name\":\"e\",\"when\":\"G.contact_force > 30\"},"
                         "{\"name\":\"f\",\"when\":\"G.contact_force > 60\"},"
                         "{\"name\":\"g\",\"when\":\"G.contact_force > 150\"}]"),
           3, check_load);
}

static void check_weight(const rig *r)
{
    assert_int_equal(trm_sim_events(r->sim), 1);
    near("time", event_of(r, 0).t, sqrt(2 / 9.81), 1e-12);
    near("weight", trm_sim_input(r->sim, 0), 19.62, 1e-12);
}

CLAIM(a_contact_that_closes_is_seen_at_the_instant)
{
    by_all(ON_FLOOR("1", "\"events\":[{\"name\":\"e\",\"when\":\"G.contact_force > 10\","
                         "\"set\":{\"u\":\"G.contact_force\"}}]"),
           1, check_weight);
}

static void check_jump(const rig *r)
{
    assert_int_equal(trm_sim_events(r->sim), 3);
    near("jump", event_of(r, 1).t, event_of(r, 0).t, 0);
    near("at", event_of(r, 1).t, 0.7, 1e-15);
    near("energy", event_of(r, 2).t, sqrt(50) / 9.81, 1e-8); // v^2 = 50 J
}

CLAIM(an_input_and_an_energy_are_seen)
{
    by_all(ON_FLOOR("5", "\"forces\":[{\"name\":\"L\",\"type\":\"force\",\"marker\":\"c\","
                         "\"value\":[\"u\",0]}],\"events\":["
                         "{\"name\":\"s\",\"when\":\"t > 0.7\",\"set\":{\"u\":100}},"
                         "{\"name\":\"e\",\"when\":\"abs(G.force_x) > 60\"},"
                         "{\"name\":\"k\",\"when\":\"energy.kinetic > 50\"}]"),
           0.75, check_jump);
}

CLAIM(means_of_steps_are_refused)
{
    rig r = rig_parse(ON_FLOOR("1", "\"events\":[{\"name\":\"e\",\"when\":"
                                    "\"G.contact_force > 10\"}]"));
    trm_error err;
    trm_options options = rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, 1e-3);
    assert_int_not_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_OK);
    assert_non_null(strstr(err.message, "means of forces over steps"));
    rig_close(&r);
}
