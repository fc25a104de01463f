/// Jobs in child processes: one that hangs, crashes or eats memory takes nothing else with it.
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdio.h>

/// How a child ended.
typedef enum trm_child_end {
    TRM_CHILD_DONE,        ///< by itself, all it wrote was received
    TRM_CHILD_CRASHED,     ///< by a signal of its own, or it could not be started
    TRM_CHILD_OVER_BUDGET, ///< killed: its seconds were used up
    TRM_CHILD_INTERRUPTED  ///< killed: the pool was interrupted
} trm_child_end;

typedef struct trm_child_result {
    trm_child_end end;
    int signal;          ///< CRASHED: which; 0 when it could not be started
    const char *bytes;   ///< [length] what it wrote; lent to `done`
    size_t length;       //
    double wall;         ///< s
    long peak_memory_kb; ///< largest resident size of the process
} trm_child_result;

/// `next` names a job that may start now, -1 when there is none until another one is done (or none
/// at all: the pool ends when nothing runs and nothing starts). `work` runs in the child. `done`
/// runs in the parent, in the order in which the children end.
typedef struct trm_pool {
    int width;     ///< children at a time, >= 1
    double budget; ///< s of wall time of each child
    int (*next)(void *user);
    void (*work)(int job, FILE *out, void *user);
    void (*done)(int job, const trm_child_result *result, void *user);
    void *user;
    const volatile sig_atomic_t *interrupted; ///< nonzero: kill all children and return
} trm_pool;

/// Returns 0, or -1 when memory is short.
int trm_pool_run(const trm_pool *pool);
