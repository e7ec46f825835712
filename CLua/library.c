// The libraries that a script gets, and our own functions in them.
#include "internal.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

// MARK: string functions on error objects

static void replace_by_text(lua_State *L) {
    clua_context *context = clua_of(L);
    if (context->error_metatable == NULL || clua_metatable_identity(L, 1) != context->error_metatable) return;
    if (lua_getiuservalue(L, 1, 1) != LUA_TSTRING && context->push_error_text != NULL) {
        lua_settop(L, -2);
        int32_t depth = context->depth;
        context->depth = depth + 1;
        context->push_error_text(L, 1);
        context->depth = depth;
    }
    if (lua_type(L, -1) == LUA_TSTRING) lua_replace(L, 1);
    else lua_settop(L, -2);
}

// One function per name, each with the address of the stock one, which is the same in all universes: an upvalue would
// cost another 8 ns per call. The stock function runs in the same frame, so that its messages stay right.
#define FOR_EACH_TEXT_FUNCTION(DO) \
    DO(find) DO(match) DO(gmatch) DO(gsub) DO(sub) DO(byte) DO(len) DO(lower) DO(upper) DO(rep) DO(reverse) DO(format)

#define DEFINE(name)                                                                 \
    static _Atomic(lua_CFunction) stock_##name;                                      \
    static int text_##name(lua_State *L) {                                           \
        if (lua_type(L, 1) == LUA_TUSERDATA) replace_by_text(L);                     \
        return atomic_load_explicit(&stock_##name, memory_order_relaxed)(L);         \
    }
FOR_EACH_TEXT_FUNCTION(DEFINE)
#undef DEFINE

// Functions that limits can stop, for universes with limits: no slower, except for counting their steps.
#define FOR_EACH_SEARCH(DO) DO(find) DO(match) DO(gmatch) DO(gsub)

#define DEFINE(name)                                                                 \
    static int bounded_##name(lua_State *L) {                                        \
        if (lua_type(L, 1) == LUA_TUSERDATA) replace_by_text(L);                     \
        return clua_string_##name(L);                                                \
    }
FOR_EACH_SEARCH(DEFINE)
#undef DEFINE

void clua_wrap_field(lua_State *L, const char *name, lua_CFunction wrapper) {
    lua_getfield(L, -1, name);
    lua_CFunction stock = lua_tocfunction(L, -1);
    lua_settop(L, -2);
    if (stock == NULL) return;
    lua_pushlightuserdata(L, (void *)stock);
    lua_pushcclosure(L, wrapper, 1);
    lua_setfield(L, -2, name);
}

static void remove_field(lua_State *L, const char *name) {
    lua_pushnil(L);
    lua_setfield(L, -2, name);
}

// Keeps only some fields of the table on top. `names` ends with NULL.
static void keep_fields(lua_State *L, const char *const *names) {
    lua_newtable(L);
    for (; *names != NULL; names++) {
        lua_getfield(L, -2, *names);
        lua_setfield(L, -2, *names);
    }
    lua_pushnil(L);
    while (lua_next(L, -3)) {
        lua_settop(L, -2);
        lua_pushvalue(L, -1);
        lua_rawget(L, -3);
        if (lua_type(L, -1) == LUA_TNIL) {
            // Assigning nil to a field that exists is allowed while traversing.
            lua_pushvalue(L, -2);
            lua_pushnil(L);
            lua_rawset(L, -6);
        }
        lua_settop(L, -2);
    }
    lua_settop(L, -2);
}

// MARK: base functions

static int print(lua_State *L) {
    clua_context *context = clua_of(L);
    int count = lua_gettop(L);
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (int i = 1; i <= count; i++) {
        if (i > 1) luaL_addchar(&buffer, '\t');
        luaL_tolstring(L, i, NULL);
        luaL_addvalue(&buffer);
    }
    luaL_addchar(&buffer, '\n');
    luaL_pushresult(&buffer);
    size_t size;
    const char *bytes = lua_tolstring(L, -1, &size);
    if (context->print != NULL) {
        clua_flush_output(context);
        int32_t depth = context->depth;
        context->depth = depth + 1;
        context->print(L, bytes, size);
        context->depth = depth;
    } else {
        lua_writestring(bytes, size);
        fflush(stdout);
    }
    return 0;
}

// Loads only source text, independently of the requested mode.
static int load_text(lua_State *L) {
    if (lua_gettop(L) < 3) lua_settop(L, 3);
    const char *mode = luaL_optstring(L, 3, "t");
    if (strchr(mode, 't') == NULL) {
        lua_pushnil(L);
        lua_pushfstring(L, "binary chunks are refused (mode is '%s'); give the source text", mode);
        return 2;
    }
    lua_pushliteral(L, "t");
    lua_replace(L, 3);
    int results = ((lua_CFunction)lua_touserdata(L, lua_upvalueindex(1)))(L);
    // The parser has caught an error: of the function that supplies the text, or its own that there is no memory.
    if (results == 2 && lua_type(L, -2) == LUA_TNIL && lua_type(L, -1) == LUA_TSTRING
        && strcmp(lua_tostring(L, -1), "not enough memory") == 0) {
        clua_memory_refused(L, L);
    }
    if (results == 2 && lua_type(L, -2) == LUA_TNIL && !clua_may_catch(clua_of(L))) return lua_error(L);
    return results;
}

static int collectgarbage(lua_State *L) {
    static const char *const allowed[] = {"collect", "count", "step", NULL};
    const char *option = luaL_optstring(L, 1, "collect");
    clua_context *context = clua_of(L);
    // In a finalizer nothing is collected.
    if (context->before_collection != NULL && strcmp(option, "count") != 0 && !clua_is_finalizing(L)) {
        int32_t depth = context->depth;
        context->depth = depth + 1;
        context->before_collection(L);
        context->depth = depth;
    }
    if (context->restricts_collector) {
        int i = 0;
        while (allowed[i] != NULL && strcmp(allowed[i], option) != 0) i++;
        if (allowed[i] == NULL)
            return luaL_error(L, "collectgarbage '%s' is not allowed here; use collect, count or step", option);
    }
    // Everything that was dropped until now is collected.
    if (strcmp(option, "collect") == 0) clua_forget_dropped(context);
    return ((lua_CFunction)lua_touserdata(L, lua_upvalueindex(1)))(L);
}

static int setmetatable(lua_State *L) {
    if (clua_of(L)->refuses_finalizers && lua_type(L, 2) == LUA_TTABLE) {
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL)
            return luaL_error(L, "a metatable with '__gc' is refused here: no limit can stop a finalizer");
        lua_settop(L, -2);
    }
    return ((lua_CFunction)lua_touserdata(L, lua_upvalueindex(1)))(L);
}

static int open_base(lua_State *L) {
    luaopen_base(L);
    lua_pushcfunction(L, clua_pcall);
    lua_setfield(L, -2, "pcall");
    clua_push_xpcall(L);
    lua_setfield(L, -2, "xpcall");
    lua_pushcfunction(L, print);
    lua_setfield(L, -2, "print");
    clua_wrap_field(L, "load", load_text);
    clua_wrap_field(L, "collectgarbage", collectgarbage);
    clua_wrap_field(L, "setmetatable", setmetatable);
    if (clua_of(L)->is_reproducible) clua_set_ordered_functions(L);
    return 1;
}

// The stock function would copy an empty string 2^60 times, which no hook can stop.
static int rep(lua_State *L) {
    int is_count;
    lua_tointegerx(L, 2, &is_count);
    if (lua_type(L, 1) == LUA_TSTRING && lua_rawlen(L, 1) == 0 && is_count
        && (lua_isnoneornil(L, 3) || (lua_type(L, 3) == LUA_TSTRING && lua_rawlen(L, 3) == 0))) {
        lua_pushliteral(L, "");
        return 1;
    }
    return text_rep(L);
}

static int open_string(lua_State *L) {
    luaopen_string(L);
#define REPLACE(name)                                                                \
    lua_getfield(L, -1, #name);                                                      \
    atomic_store_explicit(&stock_##name, lua_tocfunction(L, -1), memory_order_relaxed); \
    lua_settop(L, -2);                                                               \
    lua_pushcfunction(L, text_##name);                                               \
    lua_setfield(L, -2, #name);
    FOR_EACH_TEXT_FUNCTION(REPLACE)
#undef REPLACE
    if (clua_of(L)->bounds_patterns) {
#define REPLACE(name)                                                                \
    lua_pushcfunction(L, bounded_##name);                                            \
    lua_setfield(L, -2, #name);
        FOR_EACH_SEARCH(REPLACE)
#undef REPLACE
    }
    lua_pushcfunction(L, rep);
    lua_setfield(L, -2, "rep");
    return 1;
}

// MARK: table functions that loop in C, where no hook runs

enum { MOST_UNSEEN_ELEMENTS = 1 << 24 };

// The length that `__len` returns, -1 without one. It may be anything, and different each time: the stock functions
// would call it again.
static lua_Integer made_up_length(lua_State *L) {
    if (lua_type(L, 1) != LUA_TTABLE || luaL_getmetafield(L, 1, "__len") == LUA_TNIL) return -1;
    lua_settop(L, -2);
    lua_Integer length = luaL_len(L, 1);
    luaL_argcheck(L, length <= MOST_UNSEEN_ELEMENTS, 1, "its '__len' gives more elements than can be moved");
    return length < 0 ? 0 : length;
}

static void move_one(lua_State *L, lua_Integer from, lua_Integer to) {
    lua_geti(L, 1, from);
    lua_seti(L, 1, to);
}

static int insert(lua_State *L) {
    lua_Integer length = made_up_length(L);
    if (length < 0) return ((lua_CFunction)lua_touserdata(L, lua_upvalueindex(1)))(L);
    lua_Integer place = length + 1;
    int count = lua_gettop(L);
    if (count != 2 && count != 3) return luaL_error(L, "wrong number of arguments to 'insert'");
    if (count == 3) {
        place = luaL_checkinteger(L, 2);
        luaL_argcheck(L, place >= 1 && place <= length + 1, 2, "position out of bounds");
        for (lua_Integer last = length; last >= place; last--) move_one(L, last, last + 1);
    }
    lua_seti(L, 1, place);
    return 0;
}

static int take_out(lua_State *L) {
    lua_Integer length = made_up_length(L);
    if (length < 0) return ((lua_CFunction)lua_touserdata(L, lua_upvalueindex(1)))(L);
    lua_Integer place = luaL_optinteger(L, 2, length);
    luaL_argcheck(L, place == length || (place >= 1 && place <= length + 1), 2, "position out of bounds");
    lua_geti(L, 1, place);
    for (; place < length; place++) move_one(L, place + 1, place);
    lua_pushnil(L);
    lua_seti(L, 1, place);
    return 1;
}

static int move(lua_State *L) {
    lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3);
    if (last >= first) {
        // A value that is not a table may still have elements: a string has fields.
        lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)first;
        lua_Unsigned own = lua_type(L, 1) == LUA_TTABLE ? lua_rawlen(L, 1) : 0;
        luaL_argcheck(L, count < MOST_UNSEEN_ELEMENTS || count <= own, 3, "too many elements to move");
    }
    return ((lua_CFunction)lua_touserdata(L, lua_upvalueindex(1)))(L);
}

static int open_table(lua_State *L) {
    luaopen_table(L);
    clua_wrap_field(L, "insert", insert);
    clua_wrap_field(L, "remove", take_out);
    clua_wrap_field(L, "move", move);
    return 1;
}

// MARK: profiles

static const char *const safe_os[] = {"time", "clock", "date", "difftime", NULL};
static const char *const safe_debug[] = {"traceback", NULL};

static void make_safe(lua_State *L, unsigned libraries) {
    if (libraries & CLUA_LIB_BASE) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
        remove_field(L, "dofile");
        remove_field(L, "loadfile");
        lua_settop(L, -2);
        clua_of(L)->restricts_collector = 1;
    }
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    if (libraries & CLUA_LIB_STRING) {
        lua_getfield(L, -1, LUA_STRLIBNAME);
        remove_field(L, "dump");
        lua_settop(L, -2);
    }
    if (libraries & CLUA_LIB_OS) {
        lua_getfield(L, -1, LUA_OSLIBNAME);
        keep_fields(L, safe_os);
        lua_settop(L, -2);
    }
    if (libraries & CLUA_LIB_DEBUG) {
        lua_getfield(L, -1, LUA_DBLIBNAME);
        keep_fields(L, safe_debug);
        lua_settop(L, -2);
    }
    if (libraries & CLUA_LIB_PACKAGE) {
        lua_getfield(L, -1, LUA_LOADLIBNAME);
        remove_field(L, "loadlib");
        remove_field(L, "searchpath");
        lua_pushliteral(L, "");
        lua_setfield(L, -2, "path");
        lua_pushliteral(L, "");
        lua_setfield(L, -2, "cpath");
        // Keeps only the searcher of package.preload; `require` has the table of searchers as its upvalue.
        lua_getfield(L, -1, "searchers");
        for (int i = (int)lua_rawlen(L, -1); i > 1; i--) {
            lua_pushnil(L);
            lua_rawseti(L, -2, i);
        }
        lua_settop(L, -3);
    }
    lua_settop(L, -2);
}

// Keeps the searchers of package.preload and of files in Lua.
static void refuse_native_modules(lua_State *L) {
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, LUA_LOADLIBNAME);
    remove_field(L, "loadlib");
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "cpath");
    lua_getfield(L, -1, "searchers");
    for (int i = (int)lua_rawlen(L, -1); i > 2; i--) {
        lua_pushnil(L);
        lua_rawseti(L, -2, i);
    }
    lua_settop(L, -4);
}

static int open_libraries(lua_State *L) {
    static const struct {
        unsigned bit;
        const char *name;
        lua_CFunction open;
    } all[] = {
        {CLUA_LIB_BASE, LUA_GNAME, open_base},
        {CLUA_LIB_PACKAGE, LUA_LOADLIBNAME, luaopen_package},
        {CLUA_LIB_COROUTINE, LUA_COLIBNAME, clua_open_coroutine},
        {CLUA_LIB_TABLE, LUA_TABLIBNAME, open_table},
        {CLUA_LIB_STRING, LUA_STRLIBNAME, open_string},
        {CLUA_LIB_MATH, LUA_MATHLIBNAME, luaopen_math},
        {CLUA_LIB_UTF8, LUA_UTF8LIBNAME, luaopen_utf8},
        {CLUA_LIB_OS, LUA_OSLIBNAME, clua_open_os},
        {CLUA_LIB_IO, LUA_IOLIBNAME, clua_open_io},
        {CLUA_LIB_DEBUG, LUA_DBLIBNAME, clua_open_debug},
    };
    unsigned libraries = (unsigned)lua_tointegerx(L, 1, NULL);
    int extent = (int)lua_tointegerx(L, 2, NULL);
    if (extent == CLUA_SAFE) libraries &= ~(unsigned)CLUA_LIB_IO;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!(libraries & all[i].bit)) continue;
        luaL_requiref(L, all[i].name, all[i].open, 1);
        lua_settop(L, -2);
    }
    if (extent == CLUA_SAFE) make_safe(L, libraries);
    if (extent == CLUA_WITHOUT_NATIVE_MODULES && libraries & CLUA_LIB_PACKAGE) refuse_native_modules(L);
    return 0;
}

int clua_open_libraries(lua_State *L, unsigned libraries, int extent) {
    lua_pushcfunction(L, open_libraries);
    lua_pushinteger(L, libraries);
    lua_pushinteger(L, extent);
    return lua_pcallk(L, 2, 0, 0, 0, NULL);
}

CLUA_END_JUMPED_OVER
