/// Mechanisms with singular positions, written as scenes.
#pragma once

#include "trammel/trammel_scene.h"

/// The end of the program.
void stop(const trm_error *err);

enum { TEXT = 20000 };

typedef struct text {
    char at[TEXT];
    size_t used;
} text;

/// A crank on the ground at (x, 0).
typedef struct crank {
    double x, length, angle;
} crank;

/// n <= 8 cranks, their tops joined by couplers; the tops start at 1 m/s, perpendicular to the
/// first crank. In space (nonzero) with spatial hinges.
void four_bars(text *t, int space, int n, const crank *cranks);
/// Lengths, the crank's angle and rate; the ground from (0, 0) to
/// (ground, 0), coupler and rocker above.
typedef struct linkage {
    double ground, crank, coupler, rocker;
    double angle, rate;
} linkage;

/// A four-bar of these lengths, regular at the start. In space (nonzero) with spatial hinges.
void four_bar(text *t, int space, const linkage *bars);
/// Crank of length 2 and rod of length l2 from the crank angle phi with rate w, the pin of the rod
/// on y = 0.
void slider_crank(text *t, double l2, double phi, double w);

/// A text, or the scene of this name; these end the program where they fail.
trm_model *parse(const text *t);
trm_model *load(const char *directory, const char *name);
