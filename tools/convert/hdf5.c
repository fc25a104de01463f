#include "tools/convert/hdf5.h"

#include "trammel/trammel_error.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    const char *path;
    hid_t file, space, create,
        words;  ///< space and creation properties of all variables; type of text
    hid_t *set; ///< [n]
    int scale;  ///< the column that is the dimension
} writer;

static trm_status failed(const writer *w, trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_IO, w->path, "the HDF5 library cannot write it");
}

/// The index of a sweep's table, the time of a recording, else the first column.
static int find_scale(const trm_csv *csv)
{
    for (int i = 0; i < csv->n; i++) {
        if (strcmp(csv->at[i].name, "index") == 0 || strcmp(csv->at[i].name, "t") == 0) {
            return i;
        }
    }
    return 0;
}

static const char *name_of(const trm_table_column *column)
{
    return strcmp(column->name, "index") == 0 ? "run" : column->name;
}

/// Chunks of a piece, shuffled and deflated; names in the order of the file, as NetCDF wants it.
static int open_file(writer *w, const trm_csv *csv)
{
    const hsize_t rows = (hsize_t)csv->rows;
    const hsize_t chunk = rows < TRM_TABLE_PIECE ? (rows > 0 ? rows : 1) : TRM_TABLE_PIECE;
    const hid_t order = H5Pcreate(H5P_FILE_CREATE);
    const unsigned tracked = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    int bad = H5Pset_link_creation_order(order, tracked) < 0;
    w->file = H5Fcreate(w->path, H5F_ACC_TRUNC, order, H5P_DEFAULT);
    H5Pclose(order);
    w->space = H5Screate_simple(1, &rows, NULL);
    w->create = H5Pcreate(H5P_DATASET_CREATE);
    w->words = H5Tcopy(H5T_C_S1);
    bad |= w->file < 0 || w->space < 0 || w->create < 0 || w->words < 0;
    bad = bad || H5Pset_chunk(w->create, 1, &chunk) < 0 || H5Pset_shuffle(w->create) < 0 ||
          H5Pset_deflate(w->create, 4) < 0 || H5Tset_size(w->words, H5T_VARIABLE) < 0 ||
          H5Pset_attr_creation_order(w->create, tracked) < 0;
    return !bad;
}

static int add_column(writer *w, const trm_csv *csv, int i)
{
    const trm_table_column *const c = &csv->at[i];
    w->set[i] = H5Dcreate2(w->file, name_of(c), c->words ? w->words : H5T_NATIVE_DOUBLE, w->space,
                           H5P_DEFAULT, w->create, H5P_DEFAULT);
    if (w->set[i] < 0) {
        return 0;
    }
    if (*c->unit != '\0' && H5LTset_attribute_string(w->file, name_of(c), "units", c->unit) < 0) {
        return 0;
    }
    return i == w->scale ? H5DSset_scale(w->set[i], name_of(c)) >= 0 : 1;
}

static int create_all(writer *w, const trm_csv *csv)
{
    int well = add_column(w, csv, w->scale);
    for (int i = 0; well && i < csv->n; i++) {
        well = i == w->scale ||
               (add_column(w, csv, i) && H5DSattach_scale(w->set[i], w->set[w->scale], 0) >= 0);
    }
    return well;
}

static int write_piece(const writer *w, const trm_csv *csv, long first, int n)
{
    const hsize_t from = (hsize_t)first, count = (hsize_t)n;
    const hid_t here = H5Scopy(w->space), memory = H5Screate_simple(1, &count, NULL);
    int well = here >= 0 && memory >= 0 &&
               H5Sselect_hyperslab(here, H5S_SELECT_SET, &from, NULL, &count, NULL) >= 0;
    for (int i = 0; well && i < csv->n; i++) {
        const trm_table_column *const c = &csv->at[i];
        well = c->words
                   ? H5Dwrite(w->set[i], w->words, memory, here, H5P_DEFAULT, c->text) >= 0
                   : H5Dwrite(w->set[i], H5T_NATIVE_DOUBLE, memory, here, H5P_DEFAULT, c->x) >= 0;
    }
    H5Sclose(memory);
    H5Sclose(here);
    return well;
}

static trm_status copy_rows(const writer *w, trm_csv *csv, trm_error *err)
{
    int n = 1;
    for (long first = 0; n > 0; first += n) {
        TRM_TRY(trm_csv_next(csv, &n, err));
        if (n > 0 && (first + n > csv->rows || !write_piece(w, csv, first, n))) {
            return failed(w, err);
        }
    }
    return TRM_OK;
}

trm_status trm_hdf5_write(trm_csv *csv, const char *path, trm_error *err)
{
    writer w = {.path = path, .file = -1, .scale = find_scale(csv)};
    H5dont_atexit(); // what cannot be closed, on a full disk, would be closed again: a crash
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // it would print
    w.set = malloc((size_t)csv->n * sizeof *w.set);
    if (w.set == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
    }
    for (int i = 0; i < csv->n; i++) {
        w.set[i] = -1;
    }
    trm_status status =
        open_file(&w, csv) && create_all(&w, csv) ? copy_rows(&w, csv, err) : failed(&w, err);
    for (int i = 0; i < csv->n; i++) {
        if (w.set[i] >= 0 && H5Dclose(w.set[i]) < 0 && status == TRM_OK) {
            status = failed(&w, err);
        }
    }
    H5Tclose(w.words);
    H5Pclose(w.create);
    H5Sclose(w.space);
    if (w.file >= 0 && H5Fclose(w.file) < 0 && status == TRM_OK) {
        status = failed(&w, err);
    }
    free(w.set);
    return status;
}
