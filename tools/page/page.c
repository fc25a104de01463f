/// The data are one block: the length of a JSON text (four bytes, lowest first), the text, and the
/// channels' bytes; packed, so that no name or title can be markup. The template comes from
/// tools/web.
#include "tools/page/page.h"

#include "program/view.h"
#include "tools/common/output.h"
#include "tools/page/film.h"
#include "tools/page/pack.h"
#include "tools/page/page_scene.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    char *text[3]; // JSON, descriptions of channels, bytes of channels
    size_t length[3];
    FILE *out[3];
} block;

static trm_status block_open(block *b, trm_error *err)
{
    for (int i = 0; i < 3; i++) {
        b->out[i] = trm_text_stream(&b->text[i], &b->length[i]);
        if (b->out[i] == NULL) {
            return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
        }
    }
    return TRM_OK;
}

/// Closes the streams; their texts stay.
static trm_status block_close(block *b, trm_error *err)
{
    int failed = 0;
    for (int i = 0; i < 3; i++) {
        failed |= b->out[i] != NULL && trm_stream_close(b->out[i]) != 0;
        b->out[i] = NULL;
    }
    return failed ? TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory") : TRM_OK;
}

static trm_status block_pack(const block *b, FILE *out, trm_error *err)
{
    const size_t n = b->length[0] + b->length[1], size = 4 + n + b->length[2];
    unsigned char *const all = malloc(size);
    if (all == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    for (int i = 0; i < 4; i++) {
        all[i] = (unsigned char)(n >> (8 * i) & 255);
    }
    memcpy(all + 4, b->text[0], b->length[0]);
    memcpy(all + 4 + b->length[0], b->text[1], b->length[1]);
    memcpy(all + 4 + n, b->text[2], b->length[2]);
    const trm_status status = trm_pack(out, all, size, err);
    free(all);
    return status;
}

/// Diameter of everything that moves, over all films; 1 m where nothing does.
static double size_of(int n, const trm_film *film, double low[3], double high[3])
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (int i = 0; i < n; i++) {
            low[k] = fmin(low[k], film[i].low[k]);
            high[k] = fmax(high[k], film[i].high[k]);
        }
        square += (high[k] - low[k]) * (high[k] - low[k]);
    }
    return square > 0 && isfinite(square) ? sqrt(square) : 1;
}

/// One object; "channels" is left open for the descriptions, which follow it in the block.
static trm_status write_data(block *b, const trm_scene *scene, const trm_model *model, int n,
                             trm_film *film, const char *command, trm_error *err)
{
    trm_lines lines;
    double low[3], high[3];
    const double size = size_of(n, film, low, high);
    trm_json json = {.out = b->out[0]};
    trm_channels channels;
    trm_status status = TRM_OK;
    trm_channels_begin(&channels, b->out[2], b->out[1]);
    trm_json_object(&json);
    trm_json_key_string(&json, "version", TRM_VERSION);
    trm_json_key_string(&json, "command", command);
    status = trm_lines_of(scene, model, film[0].figure, &lines, err);
    trm_page_scene(&json, scene, model, film[0].figure, &lines);
    trm_lines_destroy(&lines);
    trm_json_key_number(&json, "scale", size);
    trm_json_key_vector(&json, "low", 3, low);
    trm_json_key_vector(&json, "high", 3, high);
    trm_json_key(&json, "runs");
    trm_json_list(&json);
    for (int i = 0; i < n && status == TRM_OK; i++) {
        status = trm_film_write(&film[i], size, &json, &channels, err);
    }
    trm_json_end(&json);
    trm_channels_end(&channels);
    fputs(",\"channels\":[", b->out[0]);
    fputs("]}", b->out[1]);
    return status;
}

void trm_page_lines(FILE *out, const char *const *lines)
{
    for (; *lines != NULL; lines++) {
        fputs(*lines, out);
    }
}

static trm_status write_all(FILE *out, const trm_scene *scene, const trm_model *model, int n,
                            trm_film *film, const char *command, trm_error *err)
{
    block b = {0};
    trm_status status = block_open(&b, err);
    if (status == TRM_OK) {
        status = write_data(&b, scene, model, n, film, command, err);
    }
    trm_error late = {0};
    const trm_status closed = block_close(&b, &late);
    if (status == TRM_OK && closed != TRM_OK) {
        status = TRM_FAIL(err, closed, "", "out of memory");
    }
    if (status == TRM_OK) {
        trm_page_lines(out, trm_view_page_head);
        if (trm_scene_get_info(scene).dimension == 3) {
            trm_page_lines(out, trm_view_page_space);
        }
        fputs("<script type=\"text/plain\" id=\"data\">", out);
        status = block_pack(&b, out, err);
        fputs("</script>\n", out);
        trm_page_lines(out, trm_view_page_tail);
    }
    for (int i = 0; i < 3; i++) {
        free(b.text[i]);
    }
    return status;
}

trm_status trm_page_write(FILE *out, const trm_scene *scene, const trm_model *model, int ntapes,
                          trm_tape *tapes, const char *command, trm_error *err)
{
    trm_film *const film = calloc((size_t)ntapes + 1, sizeof *film);
    int n;
    trm_figure *const figure = trm_figures_of(scene, &n);
    trm_status status = film != NULL && figure != NULL
                            ? TRM_OK
                            : TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    for (int i = 0; i < ntapes && status == TRM_OK; i++) {
        status = trm_film_begin(scene, model, n, figure, &tapes[i], &film[i], err);
    }
    if (status == TRM_OK) {
        status = write_all(out, scene, model, ntapes, film, command, err);
    }
    for (int i = 0; i < ntapes && film != NULL; i++) {
        trm_film_end(&film[i]);
    }
    free(film);
    free(figure);
    return status;
}
