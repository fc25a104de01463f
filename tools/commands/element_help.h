/// trammel elements NAME: the keys of one element.
#ifndef TRM_ELEMENT_HELP_H
#define TRM_ELEMENT_HELP_H

/// To stdout, from the reference of the scene format (`format`, TRM_TEXT_FORMAT): the element and
/// its keys with types, units and defaults, and its entry with the keys that it cannot do without.
/// A name may belong to several: a rod is a shape and a joint. Returns how many there are.
int trm_element_help(const char *format, const char *name);

/// To stdout: the headings of the reference that trm_element_help knows.
void trm_element_parts(const char *format);

#endif
