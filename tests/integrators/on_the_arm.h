/// What several tests of methods share.
#pragma once

#include "tests/reference.h"
#include "tests/rig.h"
#include "validation/papers/problems/problems_arm.h"

/// theta1, theta2, theta1', theta2' after 1, 10 and 100 steps of Heun, h = 0.01, identity metric,
/// by an independent program of the same formulas.
typedef struct step_row {
    const trm_equations *arm;
    trm_stabilization stabilization;
    trm_post_formula formula;
    double z[3][4];
} step_row;

static const step_row steps[] = {
    {&parabola_arm,
     TRM_STABILIZATION_S_FULL,
     0,
     {{1.2213355163436406, -2.443747052995794, -0.07899899220855738, -0.05717907795904884},
      {1.1814595494264293, -2.4704569026115046, -0.8204252810229191, -0.5088162371585103},
      {-2.8820302249281613, -1.6997945261017373, -3.4490191506176187, 4.052883475288766}}},
    {&parabola_arm,
     TRM_STABILIZATION_S_BOTH,
     0,
     {{1.2213355225071187, -2.4437470485346986, -0.07899898991645886, -0.05717908112582706},
      {1.181450308351761, -2.4704626336926867, -0.8204331311066924, -0.5088041451909985},
      {-2.8820153561030053, -1.6998119982368278, -3.45054930837127, 4.054588335437584}}},
    {&parabola_arm,
     TRM_STABILIZATION_S_BOTH2,
     1,
     {{1.2213355225071296, -2.4437470485347137, -0.07899899152696634, -0.057179078900739456},
      {1.1814503081682108, -2.470462633827186, -0.820433324941676, -0.5088038437949669},
      {-2.882017158983663, -1.6998098797986771, -3.450516958553567, 4.054604704156644}}},
    {&parabola_arm,
     TRM_STABILIZATION_S_VEL,
     0,
     {{1.2213356318220687, -2.443747199564944, -0.07899898991645886, -0.05717908112582706},
      {1.1814680882857054, -2.4704892836159082, -0.8204291843008762, -0.5088053430764927},
      {-2.88184726230723, -1.6999434040174983, -3.4508643897909983, 4.054411447432769}}},
    {&parabola_arm,
     TRM_STABILIZATION_S_POS,
     0,
     {{1.2213355225071187, -2.4437470485346986, -0.07899902140667565, -0.05717903761873898},
      {1.1814503125837927, -2.4704626310669533, -0.8204213641209552, -0.508822814597584},
      {-2.8819664116188974, -1.6998695104632726, -3.4507920980384155, 4.0537861330575495}}},
    {&sine_arm,
     TRM_STABILIZATION_S_FULL,
     0,
     {{1.2216830329167476, -2.4432929881942367, -0.009489745907553663, 0.033591526518712174},
      {1.2169008706654025, -2.4266627907686886, -0.09830890295595646, 0.3360667724587929},
      {-0.2057227895401916, 0.6547879923349652, -5.140216750648756, 11.192881992476567}}},
    {&sine_arm,
     TRM_STABILIZATION_S_BOTH,
     0,
     {{1.2216830331168511, -2.4432929885944037, -0.009489746254772313, 0.03359152634508542},
      {1.2169008950741445, -2.426662839124052, -0.09830900999347732, 0.33606671377886577},
      {-0.20570417022263646, 0.6547491403692303, -5.140312079637942, 11.193003945426788}}},
    {&sine_arm,
     TRM_STABILIZATION_S_BOTH2,
     1,
     {{1.2216830331168513, -2.4432929885944037, -0.009489745904341988, 0.033591526520318174},
      {1.2169008950861406, -2.426662839147906, -0.0983088969822596, 0.33606676933548174},
      {-0.20570417743618688, 0.6547491554430194, -5.140297633587568, 11.193013469508722}}},
    {&sine_arm,
     TRM_STABILIZATION_S_VEL,
     0,
     {{1.221683040104993, -2.443292985099982, -0.009489746254772313, 0.03359152634508542},
      {1.2169021345274456, -2.426662219351301, -0.09830944161676226, 0.33606635400267515},
      {-0.20578280765128976, 0.6546757303305152, -5.140428707815395, 11.192751916933277}}},
    {&sine_arm,
     TRM_STABILIZATION_S_POS,
     0,
     {{1.2216830331168511, -2.4432929885944037, -0.009489795774692293, 0.03359150158263984},
      {1.2169008949577567, -2.4266628388934848, -0.0983098535856223, 0.3360663005089694},
      {-0.205705462636948, 0.6547518371909173, -5.140089114897746, 11.193144241467033}}},
};

// -------------------------------------------------------------------------------------- in space

enum { SPACE = 64 };

/// q and v of the spatial slider-crank at t: a run at 1e-12, whose slider is at t = 1 where 128-bit
/// extrapolation in one coordinate has it.
static inline void reference_in_space(double t, double *z)
{
    rig r = rig_load("spatial_slider_crank", NULL);
    const trm_sizes n = trm_model_sizes(r.model);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-12, 1e-12));
    rig_run(&r, t);
    const trm_state s = trm_sim_state(r.sim);
    assert_true(n.nq + n.nv <= SPACE);
    memcpy(z, s.q, (size_t)n.nq * sizeof *z);
    memcpy(z + n.nq, s.v, (size_t)n.nv * sizeof *z);
    rig_run(&r, 1.0);
    near("slider", rig_q(&r, "slider", 0), spatial_slider_1, 1e-10);
    rig_close(&r);
}

/// Largest difference from z in q and v.
static inline double distance(const rig *r, const double *z)
{
    const trm_sizes n = trm_model_sizes(r->model);
    const trm_state s = trm_sim_state(r->sim);
    double max = 0.0;
    for (int i = 0; i < n.nq; i++) {
        max = fmax(max, fabs(s.q[i] - z[i]));
    }
    for (int i = 0; i < n.nv; i++) {
        max = fmax(max, fabs(s.v[i] - z[n.nq + i]));
    }
    return max;
}
