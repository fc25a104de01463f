/// What `trammel linearize` found, and the two ways to say it.
#pragma once

#include "tools/common/assembly.h"
#include "tools/common/options.h"
#include "trammel/trammel_query.h"

/// H(2 pi i f).
typedef struct trm_response {
    double f; ///< Hz
    double re, im;
} trm_response;

typedef struct trm_linearized {
    trm_arguments arguments;
    trm_scene *scene;
    trm_model *model;
    trm_query *query;
    double t, *q, *v; ///< the state; q is NULL until there is one
    int *held, nheld; ///< contacts that the run holds there
    int *inputs;      ///< [ninput] that have a column in B
    int ninput;
    trm_output *outputs; ///< [noutput] markers, coordinate by coordinate
    int noutput;
    trm_sensor sensor; ///< [nsensor] of --response, the last output
    int nsensor;
    trm_response *response; ///< [nresponse] NULL: not asked for
    int nresponse;
    double *step; ///< [2*nstep] t (s) and what is read, after a unit step; NULL: not asked for
    int nstep;
    trm_assembly assembly; ///< what --assemble changed at the start
    int searched;          ///< nonzero: an equilibrium was looked for
    trm_equilibrium found; ///< what came of it
    trm_linear *linear;    ///< NULL when it failed
    trm_status status;
    trm_error error;
} trm_linearized;

void trm_linearized_text(const trm_linearized *l); ///< linearize_text.c
void trm_linearized_json(const trm_linearized *l); ///< linearize_json.c

const char *trm_stability_name(trm_stability stability); ///< "stable", "marginal", "unstable"
/// "x", "angle", "turn z": what component i of a body's velocities or displacements is called.
const char *trm_component_name(const trm_linearized *l, int i);
int trm_linearized_dimension(const trm_linearized *l); ///< 2 or 3
