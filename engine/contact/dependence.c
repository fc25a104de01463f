/// Whether the row of a contact depends on those of the joints: then they decide its rate. Of a
/// pair in space they may decide it along a direction aslant to its tangents. W of the pair is then
/// w a a^T: its larger principal axis a lies across that direction, which the second row takes.
#include "base/linear/sums.h"
#include "base/rank_numbers.h"
#include "engine/contact/contact.h"

#include <math.h>
#include <string.h>

double trm_contact_alone(trm_contact *contact, trm_system *system, int k, const double *G)
{
    const int n = contact->sparse[k].n;
    double *const x = contact->work.dz;
    memcpy(x, G, (size_t)n * sizeof *x);
    trm_contact_solve_M(contact, system, k, 1, x);
    return trm_dot(n, x, G);
}

int trm_contact_depends(trm_contact *contact, trm_system *system, int k, const double *G,
                        const double *C, double *whole)
{
    const int n = contact->sparse[k].n;
    double *const x = contact->work.dz;
    *whole = trm_contact_alone(contact, system, k, G);
    memcpy(x, C, (size_t)n * sizeof *x);
    trm_contact_solve_M(contact, system, k, 0, x);
    return *whole > 0 ? trm_dot(n, x, C) <= TRM_DEPENDENT * TRM_DEPENDENT * *whole
                      : contact->model->joints && contact->roundoff[k] > 0; // held by the tree
}

int trm_contact_rotate_tangents(trm_contact *contact, trm_system *system, int k)
{
    const int mate = contact->model->contacts[k].mate, rows[] = {k, mate};
    const trm_sparse_row *const own = &contact->sparse[k], *const other = &contact->sparse[mate];
    double *const G = contact->work.f, *const along = contact->trial.a, whole;
    trm_contact_solve_responses(contact, system, 2, rows);
    trm_contact_form_delassus(contact, system, 2, rows);
    const double *const W = contact->problem.W;
    const double angle = 0.5 * atan2(2 * W[1], W[0] - W[3]), c = cos(angle), s = sin(angle);
    for (int i = 0; i < own->n; i++) {
        G[i] = c * other->G[i] - s * own->G[i];
        along[i] = c * other->C[i] - s * own->C[i];
    }
    if (!trm_contact_depends(contact, system, k, G, along, &whole)) {
        return 0;
    }
    double *const turned[] = {contact->at, contact->aim, contact->force, contact->share};
    for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
        trm_plane_turn(turned[i] + k, turned[i] + mate, c, s);
    }
    trm_plane_turn(contact->turn + k, contact->turn + mate, c, -s);
    return 1;
}
