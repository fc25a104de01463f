/// Loops over arrays of an arena, four numbers at a time, to the end of their last cache line; one
/// at a time where zones end arrays at their last byte (arena_zones.h). The bits are the same.
#pragma once

#include "base/arena_zones.h"
#include "base/quad.h"

#if TRM_ARENA_ZONES
enum { TRM_TOGETHER = 1 };
typedef double trm_together;
typedef double trm_together_there;

TRM_INLINE const trm_together_there *trm_together_at(const double *x)
{
    return x;
}

TRM_INLINE trm_together_there *trm_together_to(double *x)
{
    return x;
}
#else
enum { TRM_TOGETHER = 4 };
typedef trm_quad trm_together;
typedef trm_quad_there trm_together_there;

TRM_INLINE const trm_together_there *trm_together_at(const double *x)
{
    return trm_quad_at(x);
}

TRM_INLINE trm_together_there *trm_together_to(double *x)
{
    return trm_quad_to(x);
}
#endif
