// Functions as bytes, and back: for carrying them to another universe of the same program.
#include "internal.h"

#include <string.h>

int clua_dump(lua_State *L, int index, lua_Writer writer, void *data) {
    if (lua_type(L, index) != LUA_TFUNCTION || lua_iscfunction(L, index) || !lua_checkstack(L, 2)) return 0;
    lua_pushvalue(L, index);
    int status = lua_dump(L, writer, data, 0);
    lua_settop(L, -2);
    return status == 0;
}

int clua_undump(lua_State *L, const char *bytes, size_t count) {
    clua_context *context = clua_of(L);
    lua_checkstack(L, 4);
    clua_slice slice;
    clua_begin_slice(context, &slice, L, 0);
    int status = luaL_loadbufferx(L, bytes, count, "=?", "b");
    clua_end_slice(context, &slice);
    return status;
}

int clua_definition(lua_State *L, int index, char source[LUA_IDSIZE]) {
    lua_Debug ar;
    lua_checkstack(L, 2);
    lua_pushvalue(L, index);
    lua_getinfo(L, ">S", &ar);
    memcpy(source, ar.short_src, LUA_IDSIZE);
    return ar.linedefined;
}

CLUA_END_JUMPED_OVER
