/// The mechanisms of the papers, as models from equations in the papers' own coordinates. The
/// examples of index 2 are in problems_dae.h.
#pragma once

#include "trammel/trammel_equations.h"

/// Two-link arms, see problems_arm.h.
const trm_equations *trm_paper_prescribed_arm(void);
const trm_equations *trm_paper_parabola_arm(void);
trm_equations trm_paper_sine_arm(const double *omega); ///< omega in 1/s, borrowed

/// Equal-bar slider-crank, see problems_crank.h: at rest at 7 pi/4, or turning from pi/4 at
/// 2 sqrt 2 rad/s.
const trm_equations *trm_paper_swinging_crank(void);
trm_equations trm_paper_turning_crank(void);

/// Seven-body mechanism, see problems_andrews.c.
extern const trm_equations trm_paper_andrews;
