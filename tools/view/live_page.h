/// The live page without its inputs, made from tools/web/live by tools/web/join.py.
#pragma once

extern const char *const trm_live_page_head[]; ///< lines before the inputs; NULL ends them
extern const char *const trm_live_page_tail[]; ///< lines behind them; NULL ends them
