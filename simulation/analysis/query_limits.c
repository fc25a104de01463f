/// What queries can say where there are limits, stops and friction: they know none of their forces.
#include "base/status.h"
#include "engine/multibody/coordinate.h"
#include "simulation/analysis/query.h"

#include <math.h>

/// m or rad. A state that a run has brought to a limit lies within its accuracy of it, 1e-9 and
/// less; what is nearer than a millionth is taken to touch. Too much is a refusal, too little a
/// wrong answer.
static const double touch = 1e-6;

static double place_of(trm_query *query, const trm_contact_row *row, double t, const double *q)
{
    trm_conditioning *const p = &query->conditioning;
    const trm_kinematics kinematics = trm_assembler_kinematics(p->system, t, q, query->v, query->a);
    double x[3];
    trm_coordinate_jet(row, NULL, 0, kinematics.pose, kinematics.V, x);
    return x[0];
}

/// A joint that a switch has closed holds by no row of G; where what goes one way holds is the
/// run's matter.
static trm_status check_fixed(const trm_query *query, const trm_contact_row *row, const char *what,
                              trm_error *err)
{
    const trm_input *const inputs = query->conditioning.system->inputs;
    return row->held >= 0 ? TRM_OK
           : row->input >= 0 && inputs[row->input].now.value != 0
               ? TRM_FAIL(err, TRM_ERR_OPTIONS, row->where,
                          "\"%.60s\" is closed by a switch: %s; without \"switch\" it is closed",
                          row->name, what)
           : row->one_way ? TRM_FAIL(err, TRM_ERR_OPTIONS, row->where,
                                     "\"%.60s\" goes one way, from where a run has brought it: %s",
                                     row->name, what)
                          : TRM_OK;
}

trm_status trm_query_check_open(const trm_query *query, const char *what, trm_error *err)
{
    for (int k = 0; k < query->model->ncontacts; k++) {
        const trm_contact_row *const row = &query->model->contacts[k];
        TRM_TRY(row->input >= 0 ? check_fixed(query, row, what, err) : TRM_OK);
    }
    return TRM_OK;
}

trm_status trm_query_check_limits(trm_query *query, double t, const double *q, int touching,
                                  const char *what, trm_error *err)
{
    const trm_model *const model = query->model;
    for (int k = 0; k < model->ncontacts; k++) {
        const trm_contact_row *const row = &model->contacts[k];
        TRM_TRY(check_fixed(query, row, what, err));
        const double x = row->of_joint || row->held >= 0 ? 0 : place_of(query, row, t, q);
        const double room = touching ? touch : row->stiffness > 0 ? 0 : -touch; // a spring presses
        if (x - row->lo < room || row->hi - x < room) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, row->where,
                            "\"%.60s\" is at %.6g %s, %s its limit %.6g %s: %s", row->name, x,
                            row->unit, touching ? "at" : "beyond",
                            x - row->lo < room ? row->lo : row->hi, row->unit, what);
        }
    }
    return TRM_OK;
}

trm_status trm_query_check_friction(const trm_query *query, const char *what, trm_error *err)
{
    const trm_model *const model = query->model;
    for (int k = 0; k < model->ncontacts; k++) {
        const trm_contact_row *const row = &model->contacts[k];
        const int own = row->first == k; // that of a stop is there where it touches
        if (own && (row->friction.given || row->friction.regularized > 0)) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, row->where, "\"%.60s\" has %s friction: %s",
                            row->name, row->friction.given ? "dry" : "smooth", what);
        }
    }
    return TRM_OK;
}

trm_status trm_query_check_held(const trm_query *query, const char *what, trm_error *err)
{
    for (int k = 0; query->held && k < query->model->ncontacts; k++) {
        const trm_contact_row *const row = &query->model->contacts[k];
        if (row->held >= 0) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, row->where, "\"%.60s\" is held: %s", row->name,
                            what);
        }
    }
    return TRM_OK;
}
