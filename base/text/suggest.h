/// Near names for error messages, which users have as well.
#ifndef TRM_SUGGEST_H
#define TRM_SUGGEST_H

#include "trammel/trammel_error.h"

#endif
