/// Bayo and Avello's augmented Lagrangian [thesis (2.12)-(2.14)] on their
/// slider-crank, through its singular position: equal bars of 1 m and 1 kg, the slider
/// moving in at 4 m/s from 45 degrees. Their
///
///     M q'' + G^T alpha (g'' + 2 Omega mu g' + Omega^2 g) + G^T lambda* = f
///
/// is (4.4)-(4.5) of [AL95] with alpha2 = 1, alpha1 = 2 Omega mu, alpha0 = Omega^2, epsilon =
/// 1/alpha. The right answer is that of one angle, with bars of half length a: T = m a^2 w^2 (4/3 +
/// 4 sin^2), hence
///
///     phi'' = -(8 sin cos w^2 + 2 (g/a) cos)/(8/3 + 8 sin^2).
#include "trammel/trammel_methods.h"
#include "trammel/trammel_simulation.h"
#include "validation/papers/claims/claims.h"

#include <math.h>
#include <string.h>

static const char crank[] =
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"parameters\": {\"c\": \"sqrt(0.5)\", \"w\": "
    "\"2*sqrt(2)\"},"
    "\"bodies\": ["
    "{\"name\": \"crank\", \"mass\": 1, \"shape\": {\"type\": \"rod\", \"length\": 1}, \"angle\": "
    "\"pi/4\","
    " \"position\": [\"c/2\", \"c/2\"], \"velocity\": [\"-c*w/2\", \"c*w/2\"], \"rate\": \"w\"},"
    "{\"name\": \"rod\", \"mass\": 1, \"shape\": {\"type\": \"rod\", \"length\": 1}, \"angle\": "
    "\"-pi/4\","
    " \"position\": [\"3*c/2\", \"c/2\"], \"velocity\": [\"-3*c*w/2\", \"c*w/2\"], \"rate\": "
    "\"-w\"}],"
    "\"joints\": ["
    "{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"crank\"], \"at\": [0, "
    "0]},"
    "{\"name\": \"P\", \"type\": \"revolute\", \"bodies\": [\"crank\", \"rod\"], \"at\": [\"c\", "
    "\"c\"]},"
    "{\"name\": \"S\", \"type\": \"pin_in_slot\", \"bodies\": [\"ground\", \"rod\"],"
    " \"at\": [\"2*c\", 0], \"axis\": [1, 0]}]}";

static double acceleration(double phi, double w)
{
    const double s = sin(phi), c = cos(phi);
    return -(8 * s * c * w * w + 2 * (9.81 / 0.5) * c) / (8.0 / 3 + 8 * s * s);
}

/// The angle at t by the classical Runge-Kutta method, steps of 1e-5 s: right to roundoff.
static double angle_at(double t)
{
    const int n = (int)lrint(1e5 * t);
    const double h = t / n;
    double phi = atan(1), w = 2 * sqrt(2);
    for (int i = 0; i < n; i++) {
        const double a1 = acceleration(phi, w), w2 = w + h / 2 * a1;
        const double a2 = acceleration(phi + h / 2 * w, w2), w3 = w + h / 2 * a2;
        const double a3 = acceleration(phi + h / 2 * w2, w3), w4 = w + h * a3;
        const double a4 = acceleration(phi + h * w3, w4);
        phi += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
        w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return phi;
}

typedef struct penalty {
    double alpha, omega, mu;
} penalty;

/// Error of the crank's angle at t.
static trm_status error_of(const trm_model *model, const penalty *p, double h, double t,
                           double *off, trm_error *err)
{
    trm_options options = trm_default_options(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_ALF);
    trm_sim *sim = NULL;
    options.h = h;
    options.srm.epsilon = 1 / p->alpha;
    options.srm.iterations = 3;
    options.alf.alpha2 = 1;
    options.baumgarte.alpha1 = 2 * p->omega * p->mu;
    options.baumgarte.alpha0 = p->omega * p->omega;
    trm_status status = trm_sim_create(model, &options, &sim, err);
    status = status == TRM_OK ? trm_sim_run(sim, t, NULL, NULL, err) : status;
    if (status == TRM_OK) {
        *off = fabs(trm_sim_state(sim).q[2] - angle_at(t));
    }
    trm_sim_destroy(sim);
    return status;
}

static trm_status build(trm_scene **scene, trm_model **model, trm_error *err)
{
    *scene = NULL;
    *model = NULL;
    const trm_status status = trm_scene_parse(crank, strlen(crank), scene, err);
    return status == TRM_OK ? trm_model_build(*scene, model, err) : status;
}

static const penalty theirs = {1e7, 10, 1}, other = {1e6, 20, 0.7};

/// Up to t = 0.2, before the first singular position.
trm_status trm_paper_claim_bayo(double *found, trm_error *err)
{
    const penalty *const all[] = {&theirs, &other};
    trm_scene *scene;
    trm_model *model;
    trm_status status = build(&scene, &model, err);
    *found = 0;
    for (int i = 0; i < 2 && status == TRM_OK; i++) {
        double coarse = 0, fine = 1;
        status = error_of(model, all[i], 1e-3, 0.2, &coarse, err);
        status = status == TRM_OK ? error_of(model, all[i], 5e-4, 0.2, &fine, err) : status;
        *found = fmax(*found, fabs(log2(coarse / fine) - 2));
    }
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return status;
}

/// After one period, 1.77 s, with two singular positions on the way: the largest error of h = 2e-3,
/// 1e-3, .., 1.25e-4 over that of the longest step. Without trouble there it would be 1.
trm_status trm_paper_claim_bayo_singular(double *found, trm_error *err)
{
    trm_scene *scene;
    trm_model *model;
    double largest = 0, coarse = 1;
    trm_status status = build(&scene, &model, err);
    for (int i = 0; i < 5 && status == TRM_OK; i++) {
        double off = 0;
        status = error_of(model, &theirs, 2e-3 / (1 << i), 1.77, &off, err);
        coarse = i == 0 ? off : coarse;
        largest = fmax(largest, off);
    }
    *found = largest / coarse;
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return status;
}
