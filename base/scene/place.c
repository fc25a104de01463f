/// Places in a scene, for messages.
#include "base/scene/scene.h"

#include <stdio.h>

void trm_scene_where(const trm_scene *scene, trm_place place, char *out, size_t size)
{
    if (place.line == 0) {
        snprintf(out, size, "%s", scene->path);
        return;
    }
    const int has_pointer = place.pointer && place.pointer[0];
    snprintf(out, size, "%s:%d:%d%s%s", scene->path, place.line, place.column,
             has_pointer ? " " : "", has_pointer ? place.pointer : "");
}
