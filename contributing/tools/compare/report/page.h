/// The report's page without its data, made from tools/web by tools/web/join.py.
#ifndef TRM_COMPARE_PAGE_H
#define TRM_COMPARE_PAGE_H

extern const char *const trm_compare_page_head[]; ///< lines before the data; NULL ends them
extern const char *const trm_compare_page_tail[]; ///< lines after the data; NULL ends them

#endif
