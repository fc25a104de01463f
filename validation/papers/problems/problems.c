#include "validation/papers/problems/problems.h"

#include "validation/papers/problems/problems_arm.h"
#include "validation/papers/problems/problems_crank.h"

const trm_equations *trm_paper_prescribed_arm(void)
{
    return &prescribed_arm;
}

const trm_equations *trm_paper_parabola_arm(void)
{
    return &parabola_arm;
}

trm_equations trm_paper_sine_arm(const double *omega)
{
    trm_equations arm = sine_arm;
    arm.user = (void *)(size_t)omega; // only read there
    return arm;
}

const trm_equations *trm_paper_swinging_crank(void)
{
    return &swinging_crank;
}

// cos(pi/4) = sqrt(1/2), rate 2 sqrt 2
static const double turning_q0[6] = {0.70710678118654752, 0.70710678118654752,
                                     0.78539816339744831, 2.12132034355964258,
                                     0.70710678118654752, -0.78539816339744831};
static const double turning_v0[6] = {-2, 2, 2.82842712474619010, -6, 2, -2.82842712474619010};

trm_equations trm_paper_turning_crank(void)
{
    trm_equations crank = swinging_crank;
    crank.q0 = turning_q0;
    crank.v0 = turning_v0;
    return crank;
}
