// Passes the output of `io.write` to the host: `io.stdout` becomes a file of the C library that passes everything
// on.
#define _GNU_SOURCE
#include "internal.h"

#include <stdio.h>

static ssize_t hand_on(void *cookie, const char *bytes, size_t count) {
    clua_context *context = cookie;
    if (context->print == NULL) return (ssize_t)count;
    int32_t depth = context->depth;
    context->depth = depth + 1;
    context->print(context->main, bytes, count);
    context->depth = depth;
    return (ssize_t)count;
}

int clua_capture_output(clua_context *context) {
    lua_State *L = context->main;
    int top = lua_gettop(L);
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    if (lua_getfield(L, -1, LUA_IOLIBNAME) == LUA_TTABLE) lua_getfield(L, -1, "stdout");
    // It is also what `io.output()` returns until a script changes that.
    luaL_Stream *stream = luaL_testudata(L, -1, LUA_FILEHANDLE);
    lua_settop(L, top);
    if (stream == NULL) return 1;
    FILE *file = fopencookie(context, "w", (cookie_io_functions_t){.write = hand_on});
    if (file == NULL) return 0;
    setvbuf(file, NULL, _IONBF, 0);
    stream->f = file;
    context->output = file;
    return 1;
}

// A script may have asked for a buffer.
void clua_flush_output(clua_context *context) {
    if (context->output != NULL) fflush(context->output);
}

void clua_free_output(clua_context *context) {
    if (context->output == NULL) return;
    context->print = NULL;
    fclose(context->output);
}

CLUA_END_JUMPED_OVER
