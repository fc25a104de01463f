// The diagnosis against a table of known verdicts: small scenes whose freedoms, redundancies and
// contradictions follow from theory, no false alarm on clean ones, and nothing that depends on the
// size of the model, its mass, its place or the order of its file.

#include "tests/rig.h"

#include "base/scene/scene.h"
#include "program/run_details.h"
#include "program/settings.h"
#include "trammel/trammel_check.h"

/// What theory says of a scene in tests/diagnosis.
typedef struct verdict {
    const char *name;
    int gruebler, freedoms, mobility; ///< nv - nc, nv - rank, freedoms along which it moves
    int structural, singular, contradictory;
    int idle, undetermined;
    int consistent;
} verdict;

static const verdict verdicts[] = {
    // clean
    {"pendulum", 1, 1, 1, 0, 0, 0, 0, 0, 1},
    {"four_bar", 1, 1, 1, 0, 0, 0, 0, 0, 1},
    {"driven_four_bar", 0, 0, 0, 0, 0, 0, 0, 0, 1},
    {"missed_end", 1, 1, 1, 0, 0, 0, 0, 0, 1},
    {"spatial_four_bar_relaxed", 1, 1, 1, 0, 0, 0, 0, 0, 1},
    // idle freedoms
    {"idle_coupler", 2, 2, 2, 0, 0, 0, 1, 0, 1},
    {"roller", 1, 1, 1, 0, 0, 0, 1, 0, 1},
    // redundant along the whole motion
    {"doubled_joint", -1, 1, 1, 2, 0, 0, 0, 4, 1},
    {"three_cranks", 0, 1, 1, 1, 0, 0, 0, 6, 1},
    {"two_guides", -1, 1, 1, 2, 0, 0, 0, 4, 1},
    {"same_curve_twice", 0, 1, 1, 1, 0, 0, 0, 2, 1},
    {"two_motors_agree", -1, 0, 0, 1, 0, 0, 0, 6, 1},
    {"spatial_four_bar", -2, 1, 1, 3, 0, 0, 0, 12, 1},
    {"bennett", -2, 1, 1, 3, 0, 0, 0, 20, 1},
    {"bricard", 0, 1, 1, 1, 0, 0, 0, 30, 1},
    {"parallel_hinges", -4, 1, 1, 5, 0, 0, 0, 10, 1},
    {"four_legs", 2, 3, 3, 1, 0, 0, 0, 4, 1},
    {"three_balls", -3, 1, 1, 4, 0, 0, 0, 9, 1},
    // redundant and without freedom
    {"braced_panel", -1, 0, 0, 1, 0, 0, 0, 5, 1},
    {"crossed_guides", -1, 0, 0, 1, 0, 0, 0, 2, 1},
    {"crossed_hinges", -4, 0, 0, 4, 0, 0, 0, 8, 1},
    // singular here: a second branch, or a freedom of first order only
    {"flat_parallelogram", 1, 2, 1, 0, 1, 0, 0, 4, 1},
    {"flat_with_speed", 1, 2, 1, 0, 1, 0, 0, 4, 1},
    {"dead_point", 1, 2, 1, 0, 1, 0, 0, 3, 1},
    {"flat_spatial_parallelogram", -2, 2, 1, 3, 1, 0, 0, 16, 1},
    {"two_collinear_rods", 0, 1, 0, 0, 1, 0, 0, 2, 1},
    {"three_collinear_rods", -1, 1, 0, 0, 2, 0, 0, 3, 1},
    {"stretched_chain", 1, 2, 0, 0, 1, 0, 0, 4, 1},
    {"isolated_point", 1, 2, 0, 0, 1, 0, 0, 1, 1},
    // contradictory at once, or when the drives have gone on
    {"long_rod", 1, 1, 0, 0, 0, 1, 0, 0, 0},
    {"long_rod_in_a_crowd", 2, 2, 0, 0, 0, 1, 0, 0, 0},
    {"driven_weld", -3, 0, 0, 3, 0, 1, 0, 6, 0},
    {"motor_against_guide", -5, 0, 0, 5, 0, 1, 0, 10, 0},
    {"two_motors", -1, 0, 0, 1, 0, 1, 0, 10, 1},
    {"motor_out_of_reach", 0, 0, 0, 0, 0, 1, 0, 0, 1},
    // a start that can be mended
    {"open_start", 1, 1, 1, 0, 0, 0, 0, 0, 0},
    {"torn_start", 1, 1, 1, 0, 0, 0, 0, 0, 0},
};

enum { VERDICTS = sizeof verdicts / sizeof *verdicts };

// --------------------------------------------------------------------------------------- patients

typedef struct patient {
    trm_scene *scene;
    trm_model *model;
    trm_diagnosis *found;
} patient;

static trm_scene *read_scene(const char *folder, const char *name)
{
    char path[512];
    trm_scene *scene = NULL;
    trm_error err = {.status = TRM_OK};
    snprintf(path, sizeof path, "%s/%s/%s.json", rig_root(), folder, name);
    rig_ok(trm_scene_load(path, &scene, &err), &err);
    return scene;
}

static patient examine(trm_scene *scene)
{
    patient p = {.scene = scene};
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_model_build(scene, &p.model, &err), &err);
    rig_ok(
        trm_diagnosis_create(scene, p.model, NULL, trm_scene_simulation(scene).end, &p.found, &err),
        &err);
    return p;
}

static patient examine_file(const char *name)
{
    return examine(read_scene("tests/diagnosis", name));
}

static void leave(patient *p)
{
    trm_diagnosis_destroy(p->found);
    trm_model_destroy(p->model);
    trm_scene_destroy(p->scene);
}

static int count(const trm_diagnosis *d, trm_redundancy_kind kind)
{
    int n = 0;
    for (int i = 0; i < d->nsets; i++) {
        n += d->sets[i].kind == kind;
    }
    return n;
}

static void equal(const char *scene, const char *what, int x, int expected)
{
    if (x != expected) {
        fail_msg("%s: %s is %d, expected %d", scene, what, x, expected);
    }
}

/// `consistent` depends on an absolute tolerance, so scaled models leave it out.
static void compare(const trm_diagnosis *d, const verdict *v, int with_start)
{
    equal(v->name, "the count", d->gruebler, v->gruebler);
    equal(v->name, "the degrees of freedom", d->degrees_of_freedom, v->freedoms);
    equal(v->name, "the mobility", d->mobility, v->mobility);
    equal(v->name, "structural sets", count(d, TRM_REDUNDANCY_STRUCTURAL), v->structural);
    equal(v->name, "singular sets", count(d, TRM_REDUNDANCY_SINGULAR_HERE), v->singular);
    equal(v->name, "contradictions", count(d, TRM_REDUNDANCY_CONTRADICTORY), v->contradictory);
    equal(v->name, "idle freedoms", d->nidle, v->idle);
    equal(v->name, "undetermined forces", d->nundetermined, v->undetermined);
    const int missed = strcmp(v->name, "missed_end") == 0 ? 2 : strcmp(v->name, "open_start") == 0;
    equal(v->name, "joints off an end", d->noff_ends, missed);
    if (with_start) {
        equal(v->name, "consistent", d->consistent, v->consistent);
    }
}

// ----------------------------------------------------------------------------------------- claims

CLAIM(every_verdict_is_the_known_one)
{
    for (int i = 0; i < VERDICTS; i++) {
        patient p = examine_file(verdicts[i].name);
        compare(p.found, &verdicts[i], 1);
        leave(&p);
    }
}

static int check_counts(const trm_check *check, trm_redundancy_kind kind)
{
    int n = 0;
    for (int k = 0; k < check->nredundant; k++) {
        n += check->redundant[k].kind == kind;
    }
    return n;
}

/// trm_check has one rule of rank with the diagnosis. What is singular by second order only, it
/// does not look for.
CLAIM(the_check_counts_as_the_diagnosis)
{
    for (int i = 0; i < VERDICTS; i++) {
        const verdict *const v = &verdicts[i];
        patient p = examine_file(v->name);
        trm_check *check = NULL;
        trm_error err = {.status = TRM_OK};
        rig_ok(trm_check_create(p.model, NULL, &check, &err), &err);
        equal(v->name, "consistent in the check", check->consistent, v->consistent);
        if (p.found->examined == TRM_EXAMINED_GIVEN) {
            equal(v->name, "the check's rank", check->rank, p.found->rank);
            equal(v->name, "the check's freedoms", check->degrees_of_freedom, v->freedoms);
        }
        if (p.found->examined == TRM_EXAMINED_GIVEN &&
            p.found->rank_nearby - p.found->rank == v->singular) {
            equal(v->name, "the check's structural sets",
                  check_counts(check, TRM_REDUNDANCY_STRUCTURAL), v->structural);
            equal(v->name, "the check's singular sets",
                  check_counts(check, TRM_REDUNDANCY_SINGULAR_HERE), v->singular);
        }
        trm_check_destroy(check);
        leave(&p);
    }
}

/// A run counts the freedoms of the branch that it is on, from its start.
CLAIM(a_run_counts_as_the_diagnosis)
{
    int runs = 0;
    for (int i = 0; i < VERDICTS; i++) {
        patient p = examine_file(verdicts[i].name);
        const trm_options options =
            trm_default_options(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2);
        trm_sim *sim = NULL;
        if (p.found->examined == TRM_EXAMINED_GIVEN &&
            trm_sim_create(p.model, &options, &sim, NULL) == TRM_OK) {
            equal(verdicts[i].name, "the run's rank", trm_sim_rank(sim), p.found->rank_nearby);
            runs++;
        }
        trm_sim_destroy(sim);
        leave(&p);
    }
    assert_true(runs >= 25);
}

CLAIM(clean_scenes_raise_no_alarm)
{
    char clean[] = "andrews arm_parabola arm_sine chain_10 chain_100 chain_1000 double_four_bar "
                   "double_pendulum_3d flyball four_bar four_bar_40 heavy_top jansen_leg pendulum "
                   "slider_crank_swing slider_crank_turn spatial_slider_crank";
    for (const char *name = strtok(clean, " "); name; name = strtok(NULL, " ")) {
        patient p = examine(read_scene("scenes", name));
        const trm_diagnosis *const d = p.found;
        equal(name, "dependent sets", d->nsets, 0);
        equal(name, "conflicts", d->nconflicts, 0);
        equal(name, "undetermined forces", d->nundetermined, 0);
        equal(name, "rank", d->rank, d->sizes.nc);
        equal(name, "mobility", d->mobility, d->degrees_of_freedom);
        equal(name, "consistent", d->consistent, 1);
        equal(name, "row without acceleration", d->acceleration_row, -1);
        equal(name, "joints off an end", d->noff_ends, 0);
        leave(&p);
    }
}

/// Sets that can be told beforehand row by row.
CLAIM(sets_are_minimal)
{
    patient p = examine_file("doubled_joint");
    for (int k = 0; k < p.found->nsets; k++) {
        equal("doubled_joint", "rows of a set", p.found->sets[k].nrows, 2);
        const trm_row_info a = trm_model_row_info(p.model, p.found->sets[k].rows[0]);
        const trm_row_info b = trm_model_row_info(p.model, p.found->sets[k].rows[1]);
        assert_string_equal(a.label, b.label);
        assert_string_equal(a.name, "A2");
        assert_string_equal(b.name, "A");
    }
    leave(&p);
    p = examine_file("parallel_hinges");
    for (int k = 0; k < p.found->nsets; k++) {
        assert_in_range(p.found->sets[k].nrows, 2, 3); // a tilt of the other follows from x or y
    }
    leave(&p);
    p = examine_file("three_collinear_rods");
    for (int k = 0; k < p.found->nsets; k++) {
        equal("three_collinear_rods", "rows of a set", p.found->sets[k].nrows, 2);
    }
    leave(&p);
}

/// B was typed at (0.3, 0.42) where the crank, along (3, 4)/5, ends at (0.3, 0.4) and the coupler,
/// along (3, 2)/sqrt(13), begins.
CLAIM(a_missed_end_is_found)
{
    patient p = examine_file("missed_end");
    const double off = 0.02;
    for (int i = 0; i < 2; i++) {
        const trm_off_end *const o = &p.found->off_ends[i];
        const int crank = strcmp(trm_model_body_info(p.model, o->body).name, "crank") == 0;
        assert_string_equal(o->name, "B");
        near("beyond", o->beyond, crank ? off * 4 / 5 : -off * 2 / sqrt(13), 1e-12);
        near("beside", o->beside, crank ? off * 3 / 5 : off * 3 / sqrt(13), 1e-12);
    }
    leave(&p);
}

// -------------------------------------------------------------------------------------- conflicts

static const char *gap_name(const patient *p, int i)
{
    return trm_model_row_info(p->model, p->found->conflicts[0].gaps[i].row).name;
}

CLAIM(a_long_rod_is_found_with_its_gap)
{
    static const char *const names[] = {"long_rod", "long_rod_in_a_crowd"};
    static const char *const joints[] = {"OP", "OQ", "PQ"};
    for (int k = 0; k < 2; k++) {
        patient p = examine_file(names[k]);
        equal(names[k], "conflicts", p.found->nconflicts, 1);
        equal(names[k], "joints in conflict", p.found->conflicts[0].ngaps, 3);
        for (int i = 0; i < 3; i++) {
            assert_string_equal(gap_name(&p, i), joints[i]);
            near("gap", p.found->conflicts[0].gaps[i].size, 2.5 - 2, 1e-6);
        }
        leave(&p);
    }
}

/// Crank of length 1 at 20 degrees + t^2, coupler and rocker 1 each, shafts 2.5 apart: the end is
/// where the pin is 2 away from the other shaft, 1 + 6.25 - 5 cos(angle) = 4.
CLAIM(the_end_of_a_drive_is_found)
{
    patient p = examine_file("motor_out_of_reach");
    near("t", p.found->conflicts[0].t, sqrt(acos(0.65) - pi / 9), 1e-6);
    equal("motor_out_of_reach", "joints in conflict", p.found->conflicts[0].ngaps, 4);
    leave(&p);
    p = examine_file("driven_weld");
    equal("driven_weld", "joints in conflict", p.found->conflicts[0].ngaps, 2);
    near("t", p.found->conflicts[0].t, 0, 1e-6);
    near("gap", p.found->conflicts[0].gaps[0].size, p.found->conflicts[0].t_gap, 1e-6);
    assert_string_equal(p.found->conflicts[0].gaps[0].unit, "rad");
    leave(&p);
}

CLAIM(a_start_that_fits_no_branch_has_no_acceleration)
{
    patient p = examine_file("flat_with_speed");
    assert_true(p.found->acceleration_row >= 0);
    leave(&p);
    p = examine_file("flat_parallelogram");
    assert_true(p.found->acceleration_row < 0);
    leave(&p);
}

/// The middle of the crank is 1/4 from its hinge: a rate of 1 needs (-0.2, 0.15) m/s there.
CLAIM(conflicting_values_are_the_fewest)
{
    patient p = examine_file("torn_start");
    const trm_body_info crank =
        trm_model_body_info(p.model, trm_model_find(p.model, TRM_ELEMENT_BODY, "crank"));
    equal("torn_start", "values", p.found->velocities.n, 2);
    equal("torn_start", "the rate among them", p.found->velocities.index[1], crank.v0 + 2);
    near("the speed given", p.found->velocities.value[0], 0, 0);
    near("the rate given", p.found->velocities.value[1], 1, 0);
    assert_true(p.found->velocities.index[0] < crank.v0 + 2);
    leave(&p);
}

// ----------------------------------------------------------------------------------- suggestions

CLAIM(suggestions_keep_their_promise)
{
    patient p = examine_file("spatial_four_bar");
    int spherical = 0;
    for (int i = 0; i < p.found->nrelaxations; i++) {
        const trm_relaxation *const r = &p.found->relaxations[i];
        if (strcmp(r->name, "D") == 0 && r->kind && strcmp(r->kind, "spherical") == 0) {
            spherical = 1;
            equal("D spherical", "rows removed", r->removed, 2);
            equal("D spherical", "freedoms", r->degrees_of_freedom, 1);
        }
    }
    assert_true(spherical);
    leave(&p);
    p = examine_file("doubled_joint");
    assert_null(p.found->relaxations[0].kind); // take one of the two out
    equal("doubled_joint", "rows left", p.found->relaxations[0].redundant_left, 0);
    leave(&p);
}

CLAIM(an_idle_coupler_turns_about_its_balls)
{
    patient p = examine_file("idle_coupler");
    const trm_idle *const idle = &p.found->idle[0];
    const double along[3] = {1.2 / hypot(1.2, 0.8), 0.8 / hypot(1.2, 0.8), 0};
    assert_string_equal(trm_model_body_info(p.model, idle->body).name, "coupler");
    assert_false(idle->slides);
    near("axis", fabs(idle->axis[0] * along[0] + idle->axis[1] * along[1]), 1, 1e-9);
    // the ball (0.3, 0.4) lies on the line
    const double x = 0.3 - idle->point[0], y = 0.4 - idle->point[1];
    near("offset", x * along[1] - y * along[0], 0, 1e-9);
    leave(&p);
}

CLAIM(planar_linkages_list_their_assemblies)
{
    static const char *const two[] = {"four_bar", "slider_crank_turn", "slider_crank_swing"};
    for (int i = 0; i < 3; i++) {
        patient p = examine(read_scene("scenes", two[i]));
        equal(two[i], "assemblies", p.found->nassemblies, 2);
        leave(&p);
    }
}

// ------------------------------------------------------------------------------------- invariance

static unsigned long seed = 20240607;

static int draw(int n)
{
    seed = (seed * 1103515245UL + 12345UL) % 2147483648UL;
    return (int)((seed >> 8) % (unsigned long)n);
}

static void shuffle_joints(trm_scene *scene)
{
    for (int i = scene->njoints - 1; i > 0; i--) {
        const int k = draw(i + 1);
        const trm_scene_joint kept = scene->joints[i];
        scene->joints[i] = scene->joints[k];
        scene->joints[k] = kept;
    }
}

static int renumbered(int body, int i, int k)
{
    return body == i ? k : body == k ? i : body;
}

static void swap_bodies(trm_scene *scene, int i, int k)
{
    const trm_scene_body kept = scene->bodies[i];
    scene->bodies[i] = scene->bodies[k];
    scene->bodies[k] = kept;
    for (int j = 0; j < scene->njoints; j++) {
        for (int side = 0; side < 2; side++) {
            scene->joints[j].body[side] = renumbered(scene->joints[j].body[side], i, k);
        }
    }
    for (int j = 0; j < scene->nmarkers; j++) {
        scene->markers[j].body = renumbered(scene->markers[j].body, i, k);
    }
}

/// Move all by x along both axes of the plane. Expressions tell places from the origin and stay
/// where they are.
static void shift(trm_scene *scene, double x)
{
    for (int k = 0; k < 2 && scene->nconstraints == 0; k++) {
        for (int b = 0; b < scene->nbodies; b++) {
            scene->bodies[b].position[k] += x;
        }
        for (int j = 0; j < scene->njoints; j++) {
            for (int side = 0; side < 2; side++) {
                scene->joints[j].local[side][k] += scene->joints[j].body[side] < 0 ? x : 0;
            }
        }
        for (int i = 0; i < scene->nmarkers; i++) {
            scene->markers[i].local[k] += scene->markers[i].body < 0 ? x : 0;
        }
    }
}

/// All sets in one text, to compare; within a set the diagnosis sorts by name. From a singular
/// position two motions may start, and which rows of a joint take part can differ between them:
/// only the joints are compared there.
static void describe(const patient *p, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < p->found->nsets; k++) {
        const trm_redundancy *const s = &p->found->sets[k];
        for (int i = 0; s->kind != TRM_REDUNDANCY_CONTRADICTORY && i < s->nrows && used < size;
             i++) {
            const trm_row_info row = trm_model_row_info(p->model, s->rows[i]);
            const int singular = p->found->rank_nearby > p->found->rank;
            const int known =
                singular && i > 0 &&
                strcmp(row.name, trm_model_row_info(p->model, s->rows[i - 1]).name) == 0;
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s%s%s", known ? "" : row.name,
                                 singular && i > 0 ? "" : ".", singular && i > 0 ? "" : row.label,
                                 i + 1 < s->nrows ? (known ? "" : " ") : "; ");
        }
    }
}

/// The check has no other rule than the diagnosis, at any size.
static void same_rank(const patient *p, const char *name)
{
    trm_check *check = NULL;
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_check_create(p->model, NULL, &check, &err), &err);
    if (p->found->examined == TRM_EXAMINED_GIVEN) {
        equal(name, "the check's rank", check->rank, p->found->rank);
    }
    trm_check_destroy(check);
}

CLAIM(verdicts_do_not_depend_on_size_mass_place_or_order)
{
    rig_figures();
    for (int i = 0; i < VERDICTS; i++) {
        char before[4096], after[4096];
        patient p = examine_file(verdicts[i].name);
        describe(&p, before, sizeof before);
        leave(&p);
        for (int round = 0; round < 4; round++) {
            char l[32], m[32];
            trm_scene *const scene = read_scene("tests/diagnosis", verdicts[i].name);
            trm_error err = {.status = TRM_OK};
            const int lengths = round == 0 ? -30 : round == 1 ? 30 : draw(61) - 30;
            const int masses = round == 0 ? 30 : round == 1 ? -30 : draw(61) - 30;
            snprintf(l, sizeof l, "%.17g", pow(10, lengths / 10.0));
            snprintf(m, sizeof m, "%.17g", pow(10, masses / 10.0));
            rig_ok(trm_scene_set(scene, "l", l, &err), &err);
            rig_ok(trm_scene_set(scene, "m", m, &err), &err);
            shift(scene, (draw(2001) - 1000) * pow(10, lengths / 10.0));
            shuffle_joints(scene);
            if (scene->nbodies > 1) {
                swap_bodies(scene, draw(scene->nbodies), draw(scene->nbodies));
            }
            p = examine(scene);
            compare(p.found, &verdicts[i], 0);
            same_rank(&p, verdicts[i].name);
            describe(&p, after, sizeof after);
            if (strcmp(before, after) != 0) {
                fail_msg("%s, l = %s, m = %s: sets\n%s\nbecame\n%s", verdicts[i].name, l, m, before,
                         after);
            }
            leave(&p);
        }
    }
}

/// n equal pins between two bodies: more dependent rows than can be searched. All sets are still
/// there, each names its superfluous row once, and the sets without a search are pairs of equal
/// rows as well.
CLAIM(the_work_on_many_equal_pins_is_bounded)
{
    rig_figures();
    enum { PINS = 120 };
    static char json[PINS * 90 + 400];
    size_t used = (size_t)snprintf(
        json, sizeof json,
        "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"ends\":[[0,0],[1,0]]},{\"name\":"
        "\"b\",\"mass\":1,\"ends\":[[1,0],[2,0]]}],\"joints\":[");
    for (int i = 0; i < PINS; i++) {
        used += (size_t)snprintf(json + used, sizeof json - used,
                                 "%s{\"name\":\"P%d\",\"type\":\"revolute\",\"bodies\":[\"a\","
                                 "\"b\"],\"at\":[1,0]}",
                                 i > 0 ? "," : "", i);
    }
    snprintf(json + used, sizeof json - used, "]}");
    rig r = rig_parse(json);
    trm_diagnosis *d = NULL;
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_diagnosis_create(r.scene, r.model, NULL, 1, &d, &err), &err);
    char superfluous[2 * PINS] = {0};
    assert_int_equal(d->rank, 2);
    assert_int_equal(d->nsets, 2 * PINS - 2);
    assert_true(d->nunsearched > 0);
    for (int k = 0; k < d->nsets; k++) {
        assert_int_equal(d->sets[k].nrows, 2);
        assert_int_equal(d->sets[k].kind, TRM_REDUNDANCY_STRUCTURAL);
        assert_int_equal(superfluous[d->sets[k].rows[0]]++, 0);
    }
    trm_diagnosis_destroy(d);
    rig_close(&r);
}

/// A plate on five equal rods, their ends on circles, the lower ones turned by atan(3/4): it turns
/// about the vertical and sinks. Whether it has other freedoms is not decided here.
CLAIM(a_plate_on_five_rods_is_not_locked)
{
    static const double places[5][2] = {{5, 0}, {0, 5}, {-5, 0}, {0, -5}, {3, 4}};
    char json[1500] =
        "{\"dimension\": 3, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"plate\","
        " \"mass\": 3, \"inertia\": [0.1, 0.2, 0.25], \"position\": [0, 0, 0]}], \"joints\": [";
    for (int k = 0; k < 5; k++) {
        const double x = places[k][0] / 10, y = places[k][1] / 10;
        const size_t length = strlen(json);
        snprintf(json + length, sizeof json - length,
                 "%s{\"name\": \"rod_%d\", \"type\": \"rod\", \"bodies\": [\"ground\", "
                 "\"plate\"], \"at\": [[%.17g, %.17g, 1], [%.17g, %.17g, 0]]}",
                 k ? ", " : "", k, x, y, 0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y);
    }
    strcat(json, "], \"simulation\": {\"end\": 1}}");
    trm_scene *scene = NULL;
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_scene_parse(json, strlen(json), &scene, &err), &err);
    patient p = examine(scene);
    equal("five rods", "the rank", p.found->rank, 3);
    equal("five rods", "the rank nearby", p.found->rank_nearby, 3);
    assert_int_not_equal(p.found->mobility, 0);
    leave(&p);
}

#define TWO(first, second)                                                                         \
    "{\"dimension\":3,\"bodies\":["                                                                \
    "{\"name\":\"a\",\"mass\":1,\"inertia\":[[1,0,0],[0,1,0],[0,0,1]],\"position\":[0,0,0]},"      \
    "{\"name\":\"b\",\"mass\":1,\"inertia\":[[1,0,0],[0,1,0],[0,0,1]],\"position\":[1,0,0]}],"     \
    "\"joints\":[{\"name\":\"A\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0,0]," first              \
    "},{\"name\":\"B\",\"bodies\":[\"a\",\"b\"],\"at\":[1,0,0]," second "}]}"

/// By what each joint lets free of the motion of the next body.
CLAIM(a_planar_mechanism_in_space_is_one_by_its_joints)
{
    static const struct {
        const char *json;
        int planar;
    } scenes[] = {
        {TWO("\"type\":\"revolute\",\"axis\":[0,2,0]", "\"type\":\"revolute\",\"axis\":[0,-1,0]"),
         1},
        {TWO("\"type\":\"revolute\",\"axis\":[0,1,0]", "\"type\":\"prismatic\",\"axis\":[1,0,1]"),
         1},
        {TWO("\"type\":\"prismatic\",\"axis\":[1,0,0]", "\"type\":\"revolute\",\"axis\":[0,0,1]"),
         1},
        {TWO("\"type\":\"revolute\",\"axis\":[0,1,0]", "\"type\":\"weld\""), 1},
        {TWO("\"type\":\"revolute\",\"axis\":[0,1,0]", "\"type\":\"planar\",\"axis\":[0,1,0]"), 1},
        {TWO("\"type\":\"revolute\",\"axis\":[0,1,0]", "\"type\":\"planar\",\"axis\":[1,0,0]"), 0},
        {TWO("\"type\":\"revolute\",\"axis\":[0,1,0]", "\"type\":\"revolute\",\"axis\":[0,1,1e-6]"),
         0},
        {TWO("\"type\":\"revolute\",\"axis\":[0,1,0]", "\"type\":\"prismatic\",\"axis\":[0,1,0]"),
         0},
        {TWO("\"type\":\"revolute\",\"axis\":[0,1,0]", "\"type\":\"cylindrical\",\"axis\":[0,1,0]"),
         0},
        {TWO("\"type\":\"revolute\",\"axis\":[0,1,0]", "\"type\":\"spherical\""), 0},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        trm_scene *scene = NULL;
        trm_error err = {.status = TRM_OK};
        double n[3] = {0};
        rig_ok(trm_scene_parse(scenes[i].json, strlen(scenes[i].json), &scene, &err), &err);
        equal(scenes[i].json, "planar", trm_scene_plane(scene, n), scenes[i].planar);
        trm_scene_destroy(scene);
    }
}
