/// A constraint of your own: a disc rolls down an incline without slipping.
///
/// Rolling on a straight line ties two coordinates: s + r phi = 0 along the line, n = r across it,
/// with s and n the place of the centre and phi the angle of the disc. Two rows of g, given by
/// functions; they stand beside the joints of the scene in checks, messages and recordings.
///
///     cc roll.c $(pkg-config --cflags --libs trammel) -lm -o roll
#include <trammel/trammel.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/// A disc of 2 kg, radius 0.1 m, at rest on an incline of 30 degrees through the origin.
static const char scene_text[] =
    "{\"dimension\": 2, \"gravity\": [0, -9.81],"
    " \"bodies\": [{\"name\": \"disc\", \"mass\": 2, \"shape\": {\"type\": \"disc\", \"radius\": "
    "0.1},"
    "               \"position\": [\"0.1*sin(30*deg)\", \"0.1*cos(30*deg)\"]}]}";

static const double radius = 0.1;

/// What the functions need to know; the library hands it back to them.
typedef struct incline {
    double along[2], across[2]; ///< unit vectors, down the incline and out of it
} incline;

/// q = (x, y, phi) of the only body. Rolling down to the right turns it clockwise.
static int g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    const incline *line = user;
    (void)model, (void)t;
    out[0] = line->along[0] * q[0] + line->along[1] * q[1] + radius * q[2];
    out[1] = line->across[0] * q[0] + line->across[1] * q[1] - radius;
    return 0;
}

/// G[2*3]: the derivatives of g in v = (x', y', phi').
static int G(const trm_model *model, double t, const double *q, double *out, void *user)
{
    const incline *line = user;
    const double rows[6] = {line->along[0],  line->along[1],  radius, //
                            line->across[0], line->across[1], 0};
    (void)model, (void)t, (void)q;
    memcpy(out, rows, sizeof rows);
    return 0;
}

int main(void)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    trm_options options;
    trm_error err;
    const double slope = acos(-1) / 6;
    incline line = {{cos(slope), -sin(slope)}, {sin(slope), cos(slope)}};
    const trm_constraint_def rolling = {
        .name = "rolling", .rows = 2, .g = g, .G = G, .user = &line};
    const int failed =
        trm_scene_parse(scene_text, strlen(scene_text), &scene, &err) ||
        trm_scene_add_constraint(scene, &rolling, &err) || trm_model_build(scene, &model, &err) ||
        trm_choose_options(model, 1e-8, &options, NULL, &err) ||
        trm_sim_create(model, &options, &sim, &err) || trm_sim_run(sim, 2, NULL, NULL, &err);
    if (failed) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    } else {
        const trm_state s = trm_sim_state(sim);
        printf("rolled %.9f m in %g s, exactly %.9f m\n", -radius * s.q[2], s.t,
               9.81 * sin(slope) * s.t * s.t / 3);
        printf("friction %.6f N, exactly %.6f N\n", fabs(s.lambda[0]), 2 * 9.81 * sin(slope) / 3);
    }
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return failed;
}
