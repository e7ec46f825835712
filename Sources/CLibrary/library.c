#include "CLibrary.h"

#include <dlfcn.h>
#include <stdio.h>

clibrary_outcome clibrary_load(
    const char *file, const clibrary_symbol *symbols, size_t count, void **handle, const char **detail) {
    *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (*handle == NULL) {
        const char *reason = dlerror();
        *detail = reason != NULL ? reason : "no reason given";
        return CLIBRARY_ABSENT;
    }
    for (size_t i = 0; i < count; i++) {
        *symbols[i].place = dlsym(*handle, symbols[i].name);
        if (*symbols[i].place == NULL) {
            *detail = symbols[i].name;
            return CLIBRARY_INCOMPLETE;
        }
    }
    return CLIBRARY_OPEN;
}

void *clibrary_open(const char *name, const char *file, const char *package, const clibrary_symbol *symbols,
    size_t count, char *problem, size_t size) {
    void *handle;
    const char *detail;
    switch (clibrary_load(file, symbols, count, &handle, &detail)) {
    case CLIBRARY_OPEN: return handle;
    case CLIBRARY_ABSENT:
        snprintf(problem, size, "%s cannot be opened (%s); Debian: apt-get install %s", name, detail, package);
        return NULL;
    case CLIBRARY_INCOMPLETE: snprintf(problem, size, "this %s is too old: it has no %s", name, detail); return NULL;
    }
    return NULL;
}
