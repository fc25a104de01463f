/// The scene's picture for the report.
#pragma once

#include "tools/compare/compare.h"

/// c->picture as `trammel view` draws it, up to t_agree, in a process of its own; left NULL when
/// that fails or takes too long.
void trm_compare_picture(trm_comparison *c);
