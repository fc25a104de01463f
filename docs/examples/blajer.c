/// A stabilization of one's own, and an integrator: methods from outside.
///
/// blajer: positions first, then velocities at the new positions, both along M^-1 G^T: the
/// geometric elimination of violations [Blajer, Multibody System Dynamics 7 (2002)].
///
///     q := q - N B S^-1 g,    then v := v - B S^-1 (G v + g_t)  at the new q
///
/// ab2: Adams and Bashforth's method of order 2, which keeps the last rates.
///
///     cc -shared -fPIC blajer.c -o blajer.so
///     trammel run four_bar.json --load ./blajer.so --integrator rk4 --method blajer --step 0.01
#include <stdlib.h>
#include <string.h>
#include <trammel/trammel_register.h>

/// -B S^-1 y, of the point; y[nc] is overwritten.
static void step_back(const trm_mechanism *m, double *y, double *x)
{
    m->solve(m, y);
    m->spread(m, y, x);
    for (int i = 0; i < m->nv; i++) {
        x[i] = -x[i];
    }
}

static int correct(const trm_mechanism *m, double t, double *q, double *v, void *user)
{
    double y[64], x[64]; // enough here; a method for any mechanism takes memory
    (void)user;
    if (m->nc > 64 || m->nv > 64) {
        return -1;
    }
    int code = m->position(m, t, q, y);
    code = code ? code : m->factor(m);
    if (code) {
        return code;
    }
    step_back(m, y, x);
    m->move(m, x, q);
    code = m->position(m, t, q, y);
    code = code ? code : m->factor(m);
    if (code) {
        return code;
    }
    m->velocity_residual(m, v, y);
    step_back(m, y, x);
    for (int i = 0; i < m->nv; i++) {
        v[i] += x[i];
    }
    return 0;
}

/// The rates (q', v') of the last step, and whether there are any.
static long memory(int nq, int nv, int nc, void *user)
{
    (void)user;
    return 2L * (nq + nv) + nc + 1;
}

static int step(const trm_mechanism *m, double t, double h, double *q, double *v, double *memory,
                void *user)
{
    const int n = m->nq + m->nv;
    double *now = memory, *last = memory + n, *lambda = last + n, *known = lambda + m->nc;
    (void)user;
    const int code = m->accelerate(m, t, q, v, now + m->nq, lambda);
    if (code) {
        return code;
    }
    m->rates(m, q, v, now);
    if (*known == 0) { // the first step: Euler's
        memcpy(last, now, (size_t)n * sizeof *now);
        *known = 1;
    }
    for (int i = 0; i < n; i++) {
        double *const x = i < m->nq ? &q[i] : &v[i - m->nq];
        *x += h * (1.5 * now[i] - 0.5 * last[i]);
        last[i] = now[i];
    }
    return 0;
}

int trammel_load(const trm_registry *registry);

int trammel_load(const trm_registry *registry)
{
    const trm_own_stabilization blajer = {.version = TRM_REGISTER_VERSION,
                                          .name = "blajer",
                                          .doc = "positions, then velocities at the new positions",
                                          .source = "Blajer 2002",
                                          .correct = correct};
    const trm_own_integrator ab2 = {.version = TRM_REGISTER_VERSION,
                                    .name = "ab2",
                                    .doc = "Adams and Bashforth, order 2",
                                    .order = 2,
                                    .memory = memory,
                                    .step = step};
    return registry->stabilization(&blajer, NULL, registry->err) != TRM_OK ||
           registry->integrator(&ab2, NULL, NULL, registry->err) != TRM_OK;
}
