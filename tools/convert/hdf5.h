/// HDF5 as NetCDF-4 lays it out: one dimension, `run` or `t`, with a scale; every column a variable
/// over it, with its units.
#ifndef TRM_CONVERT_HDF5_H
#define TRM_CONVERT_HDF5_H

#include "tools/convert/table.h"

/// All of the table to the file `path`. Errors: IO, OPTIONS (this build
/// has no HDF5), those of trm_csv_next.
trm_status trm_hdf5_write(trm_csv *csv, const char *path, trm_error *err);

#endif
