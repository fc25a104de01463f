/// The page without its data, made from tools/web/sweep by tools/web/join.py.
#ifndef TRM_SWEEP_PAGE_H
#define TRM_SWEEP_PAGE_H

extern const char *const trm_sweep_page_head[]; ///< lines before the data; NULL ends them
extern const char *const trm_sweep_page_tail[]; ///< lines after the data; NULL ends them

#endif
