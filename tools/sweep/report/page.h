/// The page without its data, made from tools/web/sweep by tools/web/join.py.
#pragma once

extern const char *const trm_sweep_page_head[]; ///< lines before the data; NULL ends them
extern const char *const trm_sweep_page_tail[]; ///< lines after the data; NULL ends them
