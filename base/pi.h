/// Half a turn in rad, to all digits of a double: C has no name for it.
#pragma once

#define TRM_PI 3.14159265358979323846
