/// HDF5 as NetCDF-4 lays it out: one dimension, `run` or `t`, with a scale; every column a variable
/// over it, with its units. A module of its own, opened where it is needed: libhdf5 comes with
/// forty libraries, whose relocations would take nine tenths of the start of every command.
#pragma once

#include "tools/convert/table.h"
#include "trammel/trammel_status.h"

/// All of the table to the file `path`. Errors: IO, those of trm_csv_next.
typedef trm_status trm_hdf5_writer(trm_csv *csv, const char *path, trm_error *err);
trm_hdf5_writer trm_hdf5_write;
