/// Whether joints decide the rate of a pair in space along a direction aslant to its tangents. W of
/// the pair is then w a a^T: its larger principal axis a lies across that direction, which the
/// second row takes.
#include "engine/contact/contact.h"

#include <math.h>

void trm_contact_turn_pair(trm_contact *contact, int k, double c, double s)
{
    const int mate = contact->model->contacts[k].mate;
    double *const turned[] = {contact->at, contact->aim, contact->force, contact->share};
    for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
        trm_plane_turn(turned[i] + k, turned[i] + mate, c, s);
    }
    trm_plane_turn(contact->turn + k, contact->turn + mate, c, -s);
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
    trm_contact_turn_pair(contact, k, c, s);
    return 1;
}
