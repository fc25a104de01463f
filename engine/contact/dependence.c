/// Whether the row of a contact depends on those of the joints: then they decide its rate.
#include "base/rank_numbers.h"
#include "engine/contact/contact.h"

#include <string.h>

static double product(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

int trm_contact_depends(trm_contact *contact, trm_system *system, int k, const double *C,
                        double *whole)
{
    const int nv = contact->nv;
    double *const x = contact->dz;
    memcpy(x, contact->G + k * nv, (size_t)nv * sizeof *x);
    trm_system_solve_M(system, x);
    *whole = product(nv, x, contact->G + k * nv);
    memcpy(x, C, (size_t)nv * sizeof *x);
    trm_system_multiply_M(system, x);
    return product(nv, x, C) <= TRM_DEPENDENT * TRM_DEPENDENT * *whole;
}
