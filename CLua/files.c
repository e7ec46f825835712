// The library `io`, without the last descriptors of the process, which scripts do not get, with a count of open
// handles if the host has a limit, and with a list of the files that may have to be flushed.
#define _GNU_SOURCE
#include "internal.h"

#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#include "LinuxDescriptors.h"

static int stock(lua_State *L) { return ((lua_CFunction)lua_touserdata(L, lua_upvalueindex(1)))(L); }

// The results of stock functions when the system refuses. The first argument is a name or nothing.
static int refuse(lua_State *L) {
    errno = EMFILE;
    return luaL_fileresult(L, 0, lua_isstring(L, 1) ? lua_tolstring(L, 1, NULL) : NULL);
}

// MARK: Flushing

// The key, in the registry, of the table that has the files for writing as its weak keys.
static const char written_files = 0;

// Notes the stream at an index, if there is an open one that can be written to.
static void note_written(lua_State *L, int index) {
    luaL_Stream *stream = luaL_testudata(L, index, LUA_FILEHANDLE);
    if (stream == NULL || stream->closef == NULL || !__fwritable(stream->f)) return;
    index = lua_absindex(L, index);
    clua_push_weak_table(L, &written_files);
    lua_pushvalue(L, index);
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

// Not `fflush(NULL)`: that waits, with a lock that opening any file needs, for each file of the process that another
// engine reads from or reopens.
void clua_flush_files(lua_State *L) {
    // The script may have given the output of `io.write` a buffer.
    clua_flush_output(clua_of(L));
    if (!lua_checkstack(L, 4)) return;
    int top = lua_gettop(L);
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &written_files) == LUA_TTABLE) {
        lua_pushnil(L);
        while (lua_next(L, top + 1)) {
            lua_pop(L, 1);
            luaL_Stream *stream = lua_touserdata(L, -1);
            if (stream != NULL && stream->closef != NULL) fflush(stream->f);
        }
    }
    lua_settop(L, top);
}

// MARK: The host's count

static int close_counted(lua_State *L, int kind) {
    clua_context *context = clua_of(L);
    context->handle_closed(context->owner, kind);
    return context->close_handle[kind](L);
}

static int close_file(lua_State *L) { return close_counted(L, CLUA_HANDLE_FILE); }
static int close_process(lua_State *L) { return close_counted(L, CLUA_HANDLE_PROCESS); }

// Raises an error if the host does not allow one more handle.
static void check_room(lua_State *L, int kind) {
    clua_context *context = clua_of(L);
    if (context->has_room == NULL || context->has_room(context->owner, kind)) return;
    clua_raise_limit(L, context, kind == CLUA_HANDLE_FILE ? CLUA_LIMIT_FILES : CLUA_LIMIT_PROCESSES);
}

// Counts the stream at an index, if there is an open one, until it is closed.
static void count_stream(lua_State *L, int index, int kind) {
    note_written(L, index);
    clua_context *context = clua_of(L);
    luaL_Stream *stream = luaL_testudata(L, index, LUA_FILEHANDLE);
    if (context->has_room == NULL || stream == NULL || stream->closef == NULL) return;
    context->handle_opened(context->owner, kind);
    context->close_handle[kind] = stream->closef;
    stream->closef = kind == CLUA_HANDLE_FILE ? close_file : close_process;
}

// MARK: Functions

// Opens a file that is only read, or has no name: closing it again has no visible effect.
static int open_unchanged(lua_State *L) {
    check_room(L, CLUA_HANDLE_FILE);
    int count = stock(L);
    luaL_Stream *stream = luaL_testudata(L, -count, LUA_FILEHANDLE);
    if (stream != NULL && !linux_is_spare(fileno(stream->f))) {
        fclose(stream->f);
        stream->closef = NULL;
        return refuse(L);
    }
    count_stream(L, -count, CLUA_HANDLE_FILE);
    return count;
}

static int io_open(lua_State *L) {
    const char *mode = lua_tolstring(L, 2, NULL);
    if (mode == NULL || strpbrk(mode, "wa+") == NULL) return open_unchanged(L);
    check_room(L, CLUA_HANDLE_FILE);
    if (!linux_has_spare()) return refuse(L);
    int count = stock(L);
    count_stream(L, -count, CLUA_HANDLE_FILE);
    return count;
}

static int close_pipe(lua_State *L) {
    luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    return luaL_execresult(L, pclose(stream->f));
}

// The stock function calls `fflush(NULL)`, with which it would wait for the files of other engines (clua_flush_files).
static int io_popen(lua_State *L) {
    const char *command = luaL_checkstring(L, 1);
    const char *mode = luaL_optstring(L, 2, "r");
    luaL_argcheck(L, strcmp(mode, "r") == 0 || strcmp(mode, "w") == 0, 2, "invalid mode");
    check_room(L, CLUA_HANDLE_PROCESS);
    if (!linux_has_spare()) return refuse(L);
    luaL_Stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
    stream->closef = NULL;
    luaL_setmetatable(L, LUA_FILEHANDLE);
    clua_flush_files(L);
    errno = 0;
    stream->f = popen(command, mode);
    if (stream->f == NULL) return luaL_fileresult(L, 0, command);
    stream->closef = close_pipe;
    count_stream(L, -1, CLUA_HANDLE_PROCESS);
    return 1;
}

// `io.lines`, `io.input`, `io.output`: they raise an error for a file that they cannot open, and open nothing
// without a name. The file is their last result.
static int open_or_raise(lua_State *L) {
    if (!lua_isstring(L, 1)) return stock(L);
    check_room(L, CLUA_HANDLE_FILE);
    if (!linux_has_spare())
        return luaL_error(L, "cannot open file '%s' (%s)", lua_tolstring(L, 1, NULL), strerror(EMFILE));
    int count = stock(L);
    if (count > 0) count_stream(L, -1, CLUA_HANDLE_FILE);
    return count;
}

int clua_open_io(lua_State *L) {
    luaopen_io(L);
    clua_wrap_field(L, "open", io_open);
    clua_wrap_field(L, "tmpfile", open_unchanged);
    clua_wrap_field(L, "popen", io_popen);
    clua_wrap_field(L, "lines", open_or_raise);
    clua_wrap_field(L, "input", open_or_raise);
    clua_wrap_field(L, "output", open_or_raise);
    return 1;
}

CLUA_END_JUMPED_OVER
