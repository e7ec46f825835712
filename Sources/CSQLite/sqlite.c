// The table of SQLite's functions.
#ifdef OPSCRIPT_JOURNAL

#include "CLibrary.h"
#include "CSQLite.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/vfs.h>

// The numbers of our header are those of SQLite.
#define SAME(name) _Static_assert(C##name == name, #name)
SAME(SQLITE_OK);
SAME(SQLITE_BUSY);
SAME(SQLITE_READONLY);
SAME(SQLITE_IOERR);
SAME(SQLITE_CORRUPT);
SAME(SQLITE_FULL);
SAME(SQLITE_CANTOPEN);
SAME(SQLITE_NOTADB);
SAME(SQLITE_ROW);
SAME(SQLITE_DONE);
SAME(SQLITE_OPEN_READONLY);
SAME(SQLITE_OPEN_READWRITE);
SAME(SQLITE_OPEN_CREATE);
SAME(SQLITE_OPEN_URI);
SAME(SQLITE_OPEN_NOMUTEX);
SAME(SQLITE_NULL);

static struct {
    int (*open_v2)(const char *path, sqlite3 **connection, int flags, const char *system);
    int (*close_v2)(sqlite3 *connection);
    const char *(*errmsg)(sqlite3 *connection);
    int (*system_errno)(sqlite3 *connection);
    int (*exec)(sqlite3 *connection, const char *text, int (*row)(void *, int, char **, char **), void *, char **);
    sqlite3_int64 (*last_insert_rowid)(sqlite3 *connection);
    int (*busy_timeout)(sqlite3 *connection, int milliseconds);
    int (*prepare_v2)(sqlite3 *connection, const char *text, int length, sqlite3_stmt **statement, const char **rest);
    int (*finalize)(sqlite3_stmt *statement);
    int (*step)(sqlite3_stmt *statement);
    int (*reset)(sqlite3_stmt *statement);
    int (*bind_null)(sqlite3_stmt *statement, int place);
    int (*bind_int64)(sqlite3_stmt *statement, int place, sqlite3_int64 value);
    int (*bind_blob)(sqlite3_stmt *statement, int place, const void *bytes, int count, void (*release)(void *));
    int (*bind_text)(sqlite3_stmt *statement, int place, const char *text, int count, void (*release)(void *));
    int (*column_type)(sqlite3_stmt *statement, int place);
    sqlite3_int64 (*column_int64)(sqlite3_stmt *statement, int place);
    const void *(*column_blob)(sqlite3_stmt *statement, int place);
    int (*column_bytes)(sqlite3_stmt *statement, int place);
} sqlite;

static const clibrary_symbol names[] = {
    {"sqlite3_open_v2", (void **)&sqlite.open_v2},
    {"sqlite3_close_v2", (void **)&sqlite.close_v2},
    {"sqlite3_errmsg", (void **)&sqlite.errmsg},
    {"sqlite3_system_errno", (void **)&sqlite.system_errno},
    {"sqlite3_exec", (void **)&sqlite.exec},
    {"sqlite3_last_insert_rowid", (void **)&sqlite.last_insert_rowid},
    {"sqlite3_busy_timeout", (void **)&sqlite.busy_timeout},
    {"sqlite3_prepare_v2", (void **)&sqlite.prepare_v2},
    {"sqlite3_finalize", (void **)&sqlite.finalize},
    {"sqlite3_step", (void **)&sqlite.step},
    {"sqlite3_reset", (void **)&sqlite.reset},
    {"sqlite3_bind_null", (void **)&sqlite.bind_null},
    {"sqlite3_bind_int64", (void **)&sqlite.bind_int64},
    {"sqlite3_bind_blob", (void **)&sqlite.bind_blob},
    {"sqlite3_bind_text", (void **)&sqlite.bind_text},
    {"sqlite3_column_type", (void **)&sqlite.column_type},
    {"sqlite3_column_int64", (void **)&sqlite.column_int64},
    {"sqlite3_column_blob", (void **)&sqlite.column_blob},
    {"sqlite3_column_bytes", (void **)&sqlite.column_bytes},
};

static char problem[512];
static const char *result;

static void open_library(void) {
    size_t count = sizeof names / sizeof names[0];
    void *library = clibrary_open(
        "libsqlite3", "libsqlite3.so.0", "libsqlite3-0", names, count, problem, sizeof problem);
    if (library == NULL) result = problem;
}

const char *csqlite_open_library(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    return result;
}

// Clang has #embed in every version of C, and warns before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char tables[] = {
#embed "../OpScriptJournal/SQL/tables.sql"
    , 0};
const char *csqlite_tables(void) { return (const char *)tables; }

int64_t csqlite_file_system(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) == 0 ? (int64_t)((uint64_t)system.f_type & 0xFFFFFFFF) : 0;
}

int csqlite_open(const char *path, void **connection, int flags) {
    return sqlite.open_v2(path, (sqlite3 **)connection, flags, NULL);
}

void csqlite_close(void *connection) { sqlite.close_v2(connection); }

const char *csqlite_message(void *connection) { return sqlite.errmsg(connection); }

int csqlite_system_reason(void *connection) { return sqlite.system_errno(connection); }

int csqlite_execute(void *connection, const char *text) { return sqlite.exec(connection, text, NULL, NULL, NULL); }

int64_t csqlite_last_row(void *connection) { return sqlite.last_insert_rowid(connection); }

void csqlite_wait_when_busy(void *connection, int milliseconds) { sqlite.busy_timeout(connection, milliseconds); }

int csqlite_prepare(void *connection, const char *text, int length, void **statement) {
    return sqlite.prepare_v2(connection, text, length, (sqlite3_stmt **)statement, NULL);
}

void csqlite_finalize(void *statement) { sqlite.finalize(statement); }

int csqlite_step(void *statement) { return sqlite.step(statement); }

void csqlite_reset(void *statement) { sqlite.reset(statement); }

int csqlite_bind_null(void *statement, int place) { return sqlite.bind_null(statement, place); }

int csqlite_bind_number(void *statement, int place, int64_t value) {
    return sqlite.bind_int64(statement, place, value);
}

int csqlite_bind_blob(void *statement, int place, const void *bytes, int count) {
    // Without an address, SQLite would bind NULL.
    return sqlite.bind_blob(statement, place, bytes != NULL ? bytes : "", count, SQLITE_TRANSIENT);
}

int csqlite_bind_text(void *statement, int place, const char *text, int count) {
    return sqlite.bind_text(statement, place, text != NULL ? text : "", count, SQLITE_TRANSIENT);
}

int csqlite_column_type(void *statement, int place) { return sqlite.column_type(statement, place); }

int64_t csqlite_column_number(void *statement, int place) { return sqlite.column_int64(statement, place); }

const void *csqlite_column_blob(void *statement, int place) { return sqlite.column_blob(statement, place); }

int csqlite_column_count(void *statement, int place) { return sqlite.column_bytes(statement, place); }

#endif
