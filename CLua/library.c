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

// MARK: loading

static int stock(lua_State *L) { return ((lua_CFunction)lua_touserdata(L, lua_upvalueindex(1)))(L); }

// Allows only source text, whatever mode is at an index. Pushes the two results of a refusal and returns 1 if the mode
// excludes that.
static int refuses_text(lua_State *L, int place) {
    if (clua_of(L)->loads_binary) return 0;
    if (lua_gettop(L) < place) lua_settop(L, place);
    const char *mode = luaL_optstring(L, place, "t");
    if (strchr(mode, 't') == NULL) {
        lua_pushnil(L);
        lua_pushfstring(L, "binary chunks are refused (mode is '%s'); give the source text", mode);
        return 1;
    }
    lua_pushliteral(L, "t");
    lua_replace(L, place);
    return 0;
}

static int load(lua_State *L) {
    if (refuses_text(L, 3)) return 2;
    int results = stock(L);
    // The parser has caught an error: of the function that supplies the text, or its own that there is no memory.
    if (results == 2 && lua_type(L, -2) == LUA_TNIL && lua_type(L, -1) == LUA_TSTRING
        && strcmp(lua_tostring(L, -1), "not enough memory") == 0) {
        clua_memory_refused(L, L);
    }
    if (results == 2 && lua_type(L, -2) == LUA_TNIL && !clua_may_catch(clua_of(L))) return lua_error(L);
    return results;
}

static int loadfile(lua_State *L) { return refuses_text(L, 2) ? 2 : stock(L); }

static int after_file(lua_State *L, int status, lua_KContext context) {
    (void)status;
    (void)context;
    return lua_gettop(L) - 1;
}

// `dofile` for source text only.
static int dofile(lua_State *L) {
    const char *name = luaL_optstring(L, 1, NULL);
    lua_settop(L, 1);
    if (luaL_loadfilex(L, name, "t") != LUA_OK) return lua_error(L);
    lua_callk(L, 0, LUA_MULTRET, 0, after_file);
    return after_file(L, LUA_OK, 0);
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
    clua_wrap_field(L, "load", load);
    if (!clua_of(L)->loads_binary) {
        clua_wrap_field(L, "loadfile", loadfile);
        clua_wrap_field(L, "dofile", dofile);
    }
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

// How many elements are moved between two checks of limits and interrupts, and the most that stock functions move.
enum { MOVES_UNSEEN = 4096, MOST_UNSEEN_ELEMENTS = 1 << 24 };

// Moves an element, and counts it.
static void move_one(lua_State *L, lua_Integer from, int to_table, lua_Integer to, int64_t *all) {
    lua_geti(L, 1, from);
    lua_seti(L, to_table, to);
    if (++*all % MOVES_UNSEEN == 0) clua_long_call(L, MOVES_UNSEEN, *all);
}

// Arithmetic of Lua, which wraps around.
static lua_Integer sum(lua_Integer first, lua_Integer second) {
    return (lua_Integer)((lua_Unsigned)first + (lua_Unsigned)second);
}

// Whether the table has a length of `__len`. It may be any number, and a different one each time: the stock functions
// would call it again.
static int has_made_up_length(lua_State *L, lua_Integer *length) {
    if (lua_type(L, 1) != LUA_TTABLE || luaL_getmetafield(L, 1, "__len") == LUA_TNIL) return 0;
    lua_settop(L, -2);
    *length = luaL_len(L, 1);
    return 1;
}

static int insert(lua_State *L) {
    lua_Integer length;
    if (!has_made_up_length(L, &length)) return stock(L);
    lua_Integer place = sum(length, 1);
    int count = lua_gettop(L);
    if (count != 2 && count != 3) return luaL_error(L, "wrong number of arguments to 'insert'");
    if (count == 3) {
        lua_Integer last = place;
        place = luaL_checkinteger(L, 2);
        luaL_argcheck(L, (lua_Unsigned)place - 1 < (lua_Unsigned)last, 2, "position out of bounds");
        int64_t all = 0;
        for (; last > place; last--) move_one(L, last - 1, 1, last, &all);
    }
    lua_seti(L, 1, place);
    return 0;
}

static int take_out(lua_State *L) {
    lua_Integer length;
    if (!has_made_up_length(L, &length)) return stock(L);
    lua_Integer place = luaL_optinteger(L, 2, length);
    luaL_argcheck(L, place == length || (lua_Unsigned)place - 1 <= (lua_Unsigned)length, 2, "position out of bounds");
    lua_geti(L, 1, place);
    int64_t all = 0;
    for (; place < length; place++) move_one(L, sum(place, 1), 1, place, &all);
    lua_pushnil(L);
    lua_seti(L, 1, place);
    return 1;
}

static int move(lua_State *L) {
    lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3), to = luaL_checkinteger(L, 4);
    if (last < first || (lua_Unsigned)last - (lua_Unsigned)first < MOST_UNSEEN_ELEMENTS) return stock(L);
    int to_table = lua_isnoneornil(L, 5) ? 1 : 5;
    // The stock function checks the tables even if there is nothing to move.
    lua_settop(L, 5);
    lua_pushcfunction(L, (lua_CFunction)lua_touserdata(L, lua_upvalueindex(1)));
    lua_pushvalue(L, 1);
    lua_pushinteger(L, 1);
    lua_pushinteger(L, 0);
    lua_pushinteger(L, 1);
    lua_pushvalue(L, to_table);
    lua_callk(L, 5, 0, 0, NULL);
    luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
    lua_Integer count = last - first + 1;
    luaL_argcheck(L, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    int64_t all = 0;
    if (to > last || to <= first || (to_table != 1 && !lua_compare(L, 1, to_table, LUA_OPEQ))) {
        for (lua_Integer i = 0; i < count; i++) move_one(L, first + i, to_table, to + i, &all);
    } else {
        for (lua_Integer i = count - 1; i >= 0; i--) move_one(L, first + i, to_table, to + i, &all);
    }
    lua_pushvalue(L, to_table);
    return 1;
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
    if (libraries & CLUA_LIB_STRING && !clua_of(L)->loads_binary) {
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
    if (clua_of(L)->ignores_environment) {
        lua_pushboolean(L, 1);
        lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
    }
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
