// The functions of SQLite that a journal needs. The library is opened at the first use and not linked.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Opens the library, once. NULL, or the reason why it cannot be used.
const char *_Nullable csqlite_open_library(void);

// The statements that make the tables of a journal.
const char *_Nonnull csqlite_tables(void);

// The numbers of SQLite; the C file checks that they are its own.
enum {
    CSQLITE_OK = 0,
    CSQLITE_BUSY = 5,
    CSQLITE_READONLY = 8,
    CSQLITE_IOERR = 10,
    CSQLITE_CORRUPT = 11,
    CSQLITE_FULL = 13,
    CSQLITE_CANTOPEN = 14,
    CSQLITE_NOTADB = 26,
    CSQLITE_ROW = 100,
    CSQLITE_DONE = 101,
    CSQLITE_OPEN_READONLY = 1,
    CSQLITE_OPEN_READWRITE = 2,
    CSQLITE_OPEN_CREATE = 4,
    CSQLITE_OPEN_URI = 0x40,
    CSQLITE_OPEN_NOMUTEX = 0x8000,
    CSQLITE_NULL = 5,
};

// The number of the file system of an open file, by which the kernel names its kind; 0 if it is not known.
int64_t csqlite_file_system(int descriptor);

// A connection. It is used by one thread at a time.
int csqlite_open(const char *_Nonnull path, void *_Nullable *_Nonnull connection, int flags);
void csqlite_close(void *_Nonnull connection);
const char *_Nonnull csqlite_message(void *_Nullable connection);
// The error of the system behind the last one of SQLite, as `errno` has it; 0 for none.
int csqlite_system_reason(void *_Nonnull connection);
int csqlite_execute(void *_Nonnull connection, const char *_Nonnull text);
int64_t csqlite_last_row(void *_Nonnull connection);
void csqlite_wait_when_busy(void *_Nonnull connection, int milliseconds);

// A statement. Bound bytes are copied.
int csqlite_prepare(
    void *_Nonnull connection, const char *_Nonnull text, int length, void *_Nullable *_Nonnull statement);
void csqlite_finalize(void *_Nullable statement);
int csqlite_step(void *_Nonnull statement);
void csqlite_reset(void *_Nonnull statement);
int csqlite_bind_null(void *_Nonnull statement, int place);
int csqlite_bind_number(void *_Nonnull statement, int place, int64_t value);
int csqlite_bind_blob(void *_Nonnull statement, int place, const void *_Nullable bytes, int count);
int csqlite_bind_text(void *_Nonnull statement, int place, const char *_Nullable text, int count);
int csqlite_column_type(void *_Nonnull statement, int place);
int64_t csqlite_column_number(void *_Nonnull statement, int place);
const void *_Nullable csqlite_column_blob(void *_Nonnull statement, int place);
int csqlite_column_count(void *_Nonnull statement, int place);
