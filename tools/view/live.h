/// trammel view --live: a run at the pace of the clock, in a page of the browser.
#pragma once

#include "trammel/trammel_model.h"

/// Serves the page and the run on 127.0.0.1 alone until SIGINT or SIGTERM; `port` 0: any that is
/// free. Prints the address once it is open. The scene gets a force by which the page pushes, and
/// no model yet. Errors: those of trm_model_create and trm_sim_create; OPTIONS (the port is in use;
/// Trammel was built without libmicrohttpd).
trm_status trm_live_serve(trm_scene *scene, const trm_options *options, int port, trm_error *err);
