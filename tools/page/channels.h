/// Numbers over time, small: quantized, differenced, zigzag, in planes of bytes, for deflate.
///
/// k[i] = round((x[i] - origin)/quantum); differences of order 0 to 4, the one that leaves the
/// smallest numbers; zigzag (0, -1, 1, -2, ... -> 0, 1, 2, 3, ...); the lowest bytes of all, then
/// the next higher ones. A channel is described by one JSON array [n, planes, order, origin,
/// quantum]; its quantum is negative where the first k that is not 0 would be.
#pragma once

#include <stdint.h>
#include <stdio.h>

typedef struct trm_channels {
    FILE *bytes;   ///< the planes, one channel behind the other
    FILE *text;    ///< their descriptions, separated by commas
    int n;         ///< channels so far
    int32_t *work; ///< [size]
    long size;
} trm_channels;

/// Both streams are the caller's.
void trm_channels_begin(trm_channels *out, FILE *bytes, FILE *text);

/// x[0], x[step], ... x[(n-1) step], all finite, to a precision of quantum/2 (quantum 0: of 7
/// digits of the largest). Returns the index of the channel, -1 when memory is short.
int trm_channels_add(trm_channels *channels, long n, const double *x, long step, double quantum);
void trm_channels_end(trm_channels *channels);

/// The largest power of two by which rows can be thinned so that those left out are
/// within `error` of the cubic through four that are kept. x as above; t[n] (every
/// t_step) their times. At most `most`.
long trm_channels_stride(long n, const double *t, long t_step, const double *x, long step,
                         double error, long most);
