// Opens libraries of the system when they are first needed, so that a program which does not need one does not load it,
// and the machine need not have it.
#pragma once

#include <stddef.h>

typedef struct {
    const char *name;
    // Receives the address of the function.
    void **place;
} clibrary_symbol;

typedef enum { CLIBRARY_OPEN, CLIBRARY_ABSENT, CLIBRARY_INCOMPLETE } clibrary_outcome;

// Opens a file and looks its functions up. `detail` is the system's reason if it is absent, or the function that it
// lacks.
clibrary_outcome clibrary_load(
    const char *file, const clibrary_symbol *symbols, size_t count, void **handle, const char **detail);

// The same; gives NULL and a sentence in `problem` if the library cannot be used. `name` is that of the library, and
// `package` that of the Debian package which has it.
void *clibrary_open(const char *name, const char *file, const char *package, const clibrary_symbol *symbols,
    size_t count, char *problem, size_t size);
