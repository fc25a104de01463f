/// Functions of a shared library that is loaded when a method asks for it.
#pragma once

/// Puts the functions names[...], which end with NULL, of the library `file` into the pointers
/// to functions table[...]. Returns whether all are there. The library stays loaded.
/// Where it brings OpenBLAS along, that computes in the calling thread alone.
int trm_late_load(const char *file, const char *const *names, void *table);
