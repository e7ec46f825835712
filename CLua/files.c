// The library `io`, without the last descriptors of the process, which scripts do not get.
#define _GNU_SOURCE
#include "internal.h"

#include <stdio.h>
#include <string.h>

#include "LinuxDescriptors.h"

static int stock(lua_State *L) { return ((lua_CFunction)lua_touserdata(L, lua_upvalueindex(1)))(L); }

// What stock functions return when the system refuses. The first argument is a name or nothing.
static int refuse(lua_State *L) {
    errno = EMFILE;
    return luaL_fileresult(L, 0, lua_isstring(L, 1) ? lua_tolstring(L, 1, NULL) : NULL);
}

// Opens a file that is only read, or has no name: closing it again has no visible effect.
static int open_unchanged(lua_State *L) {
    int count = stock(L);
    luaL_Stream *stream = luaL_testudata(L, -count, LUA_FILEHANDLE);
    if (stream == NULL || linux_is_spare(fileno(stream->f))) return count;
    fclose(stream->f);
    stream->closef = NULL;
    return refuse(L);
}

static int io_open(lua_State *L) {
    const char *mode = lua_tolstring(L, 2, NULL);
    if (mode == NULL || strpbrk(mode, "wa+") == NULL) return open_unchanged(L);
    return linux_has_spare() ? stock(L) : refuse(L);
}

static int io_popen(lua_State *L) { return linux_has_spare() ? stock(L) : refuse(L); }

// `io.lines`, `io.input`, `io.output`: they raise what they cannot open, and open nothing without a name.
static int open_or_raise(lua_State *L) {
    if (!lua_isstring(L, 1) || linux_has_spare()) return stock(L);
    return luaL_error(L, "cannot open file '%s' (%s)", lua_tolstring(L, 1, NULL), strerror(EMFILE));
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
