/// Scenes that tests of contacts share.
#pragma once

#include "tests/rig.h"

/// A ball of 1 kg above a floor that sends back `e`.
#define BALL(e, more)                                                                              \
    "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":1,"               \
    "\"inertia\":1,\"position\":[0,1]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\","              \
    "\"at\":[0,1]},{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,0]}],"                            \
    "\"stops\":[{\"name\":\"floor\",\"marker\":\"p\",\"on\":\"o\",\"normal\":[0,2],"               \
    "\"restitution\":" e "}]" more "}"

/// A block on an incline of 30 degrees, held by friction of a bound.
#define BLOCK(speed, joint)                                                                        \
    "{\"dimension\":2,\"gravity\":[0,-9.81],\"parameters\":{\"c\":\"cos(30*deg)\","                \
    "\"s\":\"sin(30*deg)\"},\"bodies\":[{\"name\":\"a\",\"mass\":2,\"inertia\":1,"                 \
    "\"position\":[0,0],\"velocity\":[\"" speed "*c\",\"" speed "*s\"]}],\"joints\":["             \
    "{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],"           \
    "\"axis\":[\"c\",\"s\"]," joint "}]}"
