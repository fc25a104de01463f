/// Outputs of a scene against closed forms: of motions, forces, efforts, contacts and energies.
#include "tests/rig.h"

static double output(const rig *r, const char *name)
{
    trm_error err = {.status = TRM_OK};
    trm_sensor sensor;
    double x = NAN;
    rig_ok(trm_model_sensor(r->model, name, &sensor, &err), &err);
    assert_int_equal(sensor.size, 1);
    rig_ok(trm_sim_read(r->sim, &sensor, &x, &err), &err);
    return x;
}

static void check_driven(double (*read)(const rig *r, const char *name), const rig *r, double t)
{
    const double m = 3, g = 9.81, w = 0.7, c = cos(w * t), s = sin(w * t);
    near("power", read(r, "P"), m * g * c * w, 1e-8);
    near("reach", read(r, "reach"), 2, 1e-8);
    near("twice half of it", read(r, "twice"), m * g * c * w, 1e-8);
    near("balance", read(r, "balance"), 0.5 * m * 4. / 3 * w * w, 1e-8);
    near("pull", read(r, "pull"), m * hypot(w * w * c, g - w * w * s), 1e-8);
    near("inward", read(r, "inward"), 2 * w * w, 1e-8);
    near("branch", read(r, "side"), 2 * s > 1 ? 1 : -1, 0);
    near("a number", read(r, "seven"), 7, 0);
}

CLAIM(forces_motions_and_energies_are_in_formulas)
{
    rig r = rig_load("../tests/scenes/driven_outputs", NULL);
    const trm_output_info info = trm_model_output_info(r.model, 0);
    assert_int_equal(trm_model_sizes(r.model).noutput, 9);
    assert_string_equal(info.name, "P");
    assert_string_equal(info.unit, "W");
    assert_string_equal(info.value, "O.motor*O.rate");
    assert_null(trm_model_output_info(r.model, 9).name);
    assert_null(trm_model_output_info(r.model, -1).name);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    check_driven(output, &r, 0);
    for (int i = 1; i <= 5; i++) {
        rig_run(&r, 0.4 * i);
        check_driven(output, &r, 0.4 * i);
    }
    rig_close(&r);
}

CLAIM(outputs_of_a_sample_belong_to_its_time)
{
    rig r = rig_load("../tests/scenes/driven_outputs", NULL);
    trm_error err = {.status = TRM_OK};
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    rig_ok(trm_sim_step(r.sim, &err), &err);
    const double t = 0.37 * trm_sim_state(r.sim).t;
    trm_sensor sensors[2];
    double x[2];
    rig_ok(trm_model_sensor(r.model, "P", &sensors[0], &err), &err);
    rig_ok(trm_model_sensor(r.model, "pull", &sensors[1], &err), &err);
    trm_sample sample;
    rig_ok(trm_sim_sample(r.sim, t, &sample, &err), &err);
    rig_ok(trm_sim_read_sample(r.sim, &sample, 2, sensors, x, &err), &err);
    near("power", x[0], 3 * 9.81 * cos(0.7 * t) * 0.7, 1e-8);
    near("pull", x[1], 3 * hypot(0.49 * cos(0.7 * t), 9.81 - 0.49 * sin(0.7 * t)), 1e-8);
    rig_close(&r);
}

/// In space: 2 kg on a slide along z, held by a servo at its target, and 5 kg that lie on a limit.
CLAIM(efforts_and_contacts_are_in_formulas)
{
    rig r = rig_load("../tests/scenes/efforts_and_contacts_are_in_formulas", NULL);
    rig_start(&r, rig_choose(&r, 1e-6));
    near("effort", output(&r, "load"), 1, 1e-12);
    near("contact", output(&r, "press"), 10, 1e-8);
    rig_run(&r, 0.5);
    near("effort", output(&r, "load"), 1, 1e-8);
    near("contact", output(&r, "press"), 10, 1e-8);
    rig_close(&r);
}

/// x'' = -k x by a force that names an output; an event whose condition is one.
CLAIM(outputs_stand_in_other_formulas)
{
    rig r = rig_load("../tests/scenes/outputs_stand_in_other_formulas", NULL);
    trm_error err = {.status = TRM_OK};
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    assert_int_equal(trm_sim_run(r.sim, 5, NULL, NULL, &err), TRM_STOPPED);
    const double t = pi / 9; // cos(3 t) = 1/2
    near("when", trm_sim_state(r.sim).t, t, 1e-10);
    near("x", output(&r, "x"), 0.5, 1e-10);
    near("pull", output(&r, "pull"), -4.5, 1e-9);
    rig_close(&r);
}

static void refused(const char *outputs, const char *where, const char *message)
{
    char json[800];
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_error err = {.status = TRM_OK};
    snprintf(json, sizeof json,
             "{\"dimension\":2,\n\"definitions\":{\"d\":\"O.mtor\"},\n\"outputs\":{%s},\n"
             "\"bodies\":[{\"name\":\"bar\",\"mass\":1,\"ends\":[[0,0],[2,0]]}],"
             "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"bar\"],"
             "\"at\":[0,0]}]}",
             outputs);
    rig_ok(trm_scene_parse(json, strlen(json), &scene, &err), &err);
    assert_int_equal(trm_model_build(scene, &model, &err), TRM_ERR_SCENE);
    assert_null(model);
    assert_string_equal(err.where, where);
    assert_string_equal(err.message, message);
    trm_scene_destroy(scene);
}

CLAIM(a_sensor_that_is_none_is_told_with_its_place)
{
    refused("\"P\":\"O.motor*O.rate\"", "scene:3:16 /outputs/P",
            "\"O\" has no \"motor\"; it has coordinate, coordinate_rate, angle, rate, force, "
            "force_x, force_y, torque, torque_z, lambda");
    refused("\"P\":{\"value\":\"O.force/2\"}", "scene:3:25 /outputs/P/value",
            "\"O.force\" has 3 numbers, and a formula takes one: \"x\" of a position, \"force_x\" "
            "of a force");
    // a definition that nobody uses is judged, too
    refused("\"P\":\"O.force_x\"", "scene:2:20 /definitions/d",
            "\"O\" has no \"mtor\"; it has coordinate, coordinate_rate, angle, rate, force, "
            "force_x, force_y, torque, torque_z, lambda");
}
