/// @file
/// Trammel: a method from outside: a stabilization, or an integrator, of functions of yours.
///
/// @code
///     static double y[6], x[6]; // [nc], [nv]
///     static int correct(const trm_mechanism *p, double t, double *q, double *v, void *user)
///     {
///         if (p->position(p, t, q, y) || p->factor(p)) { // y = g
///             return 1;
///         }
///         for (int i = 0; i < p->nc; i++) {
///             y[i] = -y[i];
///         }
///         p->solve(p, y);     // S^-1 y
///         p->spread(p, y, x); // x = M^-1 G^T y
///         p->move(p, x, q);
///         return 0;
///     }
///     static const trm_own_stabilization mine = {.version = 1, .name = "my", .correct = correct};
/// @endcode
///
/// After trm_register_stabilization(&mine, &stabilization, &err) it is in trm_methods, with the
/// name that it has in every report. A shared library may bring methods into the program: `trammel
/// run --load ./mine.so`; it shows one function, trammel_load, and need not be linked with
/// anything.
#ifndef TRAMMEL_REGISTER_H
#define TRAMMEL_REGISTER_H

#include "trammel_methods.h"

TRM_API_BEGIN

/// Of the structs below. A definition with another version is refused.
#define TRM_REGISTER_VERSION 1

/// The mechanism, as a method looks at it: [EOM] M a = f - G^T lambda, q' = N v, 0 = g; [VEL] 0 = G
/// v + g_t; [ACC] 0 = G a - gamma. `position` makes (t, q) the point, and all functions behind it
/// are taken there. Those that return an int return 0, > 0 where a smaller step may help, < 0 to
/// give up; a method hands that on. Units: m, rad, s, N, N m.
typedef struct trm_mechanism trm_mechanism;
struct trm_mechanism {
    int nq, nv, nc;
    /// g[nc] at (t, q[nq]).
    int (*position)(const trm_mechanism *p, double t, const double *q, double *g);
    void (*velocity_residual)(const trm_mechanism *p, const double *v,
                              double *r); ///< r[nc] = G v + g_t
    /// r[nc] = G a - gamma; a[nv] NULL: 0.
    int (*acceleration_residual)(const trm_mechanism *p, const double *v, const double *a,
                                 double *r);
    int (*force)(const trm_mechanism *p, const double *v, double *f);        ///< f[nv]
    void (*multiply_M)(const trm_mechanism *p, double *x);                   ///< x[nv] := M x
    void (*solve_M)(const trm_mechanism *p, double *x);                      ///< x[nv] := M^-1 x
    void (*multiply_G)(const trm_mechanism *p, const double *x, double *y);  ///< y[nc] = G x[nv]
    void (*multiply_GT)(const trm_mechanism *p, const double *y, double *x); ///< x[nv] = G^T y[nc]
    void (*spread)(const trm_mechanism *p, const double *y, double *x);      ///< x = M^-1 G^T y
    int (*factor)(const trm_mechanism *p);                                   ///< S = G M^-1 G^T
    void (*solve)(const trm_mechanism *p, double *y);                        ///< y[nc] := S^+ y
    void (*rates)(const trm_mechanism *p, const double *q, const double *v, double *qdot); ///< N v
    void (*move)(const trm_mechanism *p, const double *x, double *q); ///< q := q + N(q) x[nv]
    /// a[nv] and lambda[nc] at (t, q, v) by the run's stabilization, which for an integrator
    /// without one of its own is [ACC].
    int (*accelerate)(const trm_mechanism *p, double t, const double *q, const double *v, double *a,
                      double *lambda);
    void *run; ///< not for methods
};

/// How constraints are kept: by the accelerations of the stages, or by a correction after each
/// step, or by both. It goes with heun, midpoint, rk4, dopri5 and dop853.
typedef struct trm_own_stabilization {
    int version;                     ///< TRM_REGISTER_VERSION
    const char *name, *doc, *source; ///< copied; doc and source: a clause, or NULL
    /// a[nv] and lambda[nc] at (t, q, v); NULL: from [ACC].
    int (*rates)(const trm_mechanism *p, double t, const double *q, const double *v, double *a,
                 double *lambda, void *user);
    /// q[nq] and v[nv] at the end of a step, changed in place; NULL: nothing is corrected.
    int (*correct)(const trm_mechanism *p, double t, double *q, double *v, void *user);
    void *user; ///< borrowed for as long as the library is loaded
} trm_own_stabilization;

/// A step of fixed size. Contacts are refused; the work of forces is added by Simpson's rule.
typedef struct trm_own_integrator {
    int version;                     ///< TRM_REGISTER_VERSION
    const char *name, *doc, *source; ///< as above
    const char *stabilization;       ///< of its own; NULL: it goes with every stabilization
    int order;                       ///< of the global error
    /// How many numbers it keeps from step to step; NULL: none.
    long (*memory)(int nq, int nv, int nc, void *user);
    /// The memory[] for a step from (t, q, v): at the start and after each jump; NULL: zeros.
    int (*start)(const trm_mechanism *p, double t, const double *q, const double *v, double *memory,
                 void *user);
    /// From t to t + h: q[nq], v[nv] and memory[], changed in place.
    int (*step)(const trm_mechanism *p, double t, double h, double *q, double *v, double *memory,
                void *user);
    void *user; ///< as above
} trm_own_integrator;

/// *out (NULL: not wanted): what trm_default_options takes. Errors: OPTIONS (the name is taken, no
/// function, another version, more than 16). Before threads that ask for methods.
trm_status trm_register_stabilization(const trm_own_stabilization *own, trm_stabilization *out,
                                      trm_error *err);
/// *out, *its_own (NULL: not wanted): likewise; *its_own is its stabilization, PLAIN where it goes
/// with every one.
trm_status trm_register_integrator(const trm_own_integrator *own, trm_integrator *out,
                                   trm_stabilization *its_own, trm_error *err);

/// What `trammel --load FILE.so` calls: int trammel_load(const trm_registry *), nonzero on failure.
typedef struct trm_registry {
    int version; ///< TRM_REGISTER_VERSION
    trm_status (*stabilization)(const trm_own_stabilization *own, trm_stabilization *out,
                                trm_error *err);
    trm_status (*integrator)(const trm_own_integrator *own, trm_integrator *out,
                             trm_stabilization *its_own, trm_error *err);
    trm_error *err;
} trm_registry;

TRM_API_END

#endif
