/// First scenes that the program brings with it; made of the files of this folder.
#pragma once

typedef struct trm_template {
    const char *name;  ///< NULL ends the list
    const char *scene; ///< JSON
    const char *page;  ///< Markdown: what its entries say
} trm_template;

extern const trm_template trm_templates[];
