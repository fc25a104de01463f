/// The subcommands: each takes its own argc and argv (argv[0] is its name) and returns a trm_exit.
#pragma once

#include "tools/common/options.h"
#include "trammel/trammel_status.h"

int trm_command_run(int argc, char **argv);
int trm_command_compare(int argc, char **argv);
int trm_command_sweep(int argc, char **argv);
int trm_command_convert(int argc, char **argv);
int trm_command_check(int argc, char **argv);
int trm_command_linearize(int argc, char **argv);
int trm_command_view(int argc, char **argv);
int trm_command_plot(int argc, char **argv);
int trm_command_methods(int argc, char **argv);
int trm_command_elements(int argc, char **argv);
int trm_command_schema(int argc, char **argv);
int trm_command_import(int argc, char **argv);
int trm_command_new(int argc, char **argv);

int trm_program(int argc, char **argv); ///< trammel itself: picks the subcommand
/// A program that does what one subcommand would: trammel-papers.
int trm_program_of(int (*run)(int argc, char **argv), int argc, char **argv);

void trm_help(trm_command command); ///< of one subcommand, to stdout

/// Whether this version writes files called like `path` (NULL: no file): its extension must be
/// `extension` or missing. Errors: OPTIONS.
trm_status trm_output_kind(const char *path, const char *extension, trm_error *err);

/// Returns nonzero if a path (which may be NULL) ends in `extension`.
int trm_output_is(const char *path, const char *extension);
