/// The report's page without its data, made from tools/web by tools/web/join.py.
#pragma once

extern const char *const trm_compare_page_head[]; ///< lines before the data; NULL ends them
extern const char *const trm_compare_page_tail[]; ///< lines after the data; NULL ends them
