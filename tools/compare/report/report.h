/// The report of trammel compare: one HTML file that needs nothing else.
#pragma once

#include <stddef.h>
#include <stdio.h>

/// Writes the page around the comparison's JSON, `length` bytes of UTF-8 as --json prints them.
/// Returns 0, or -1 when writing failed.
int trm_report_write(FILE *out, const char *json, size_t length);

/// The same with any page: lines before and after the data, NULL ends them.
int trm_report_fill(FILE *out, const char *const *head, const char *const *tail, const char *json,
                    size_t length);
