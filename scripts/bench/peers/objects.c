// The operations that every scheduler needs in the same script: a userdata for each operation, kept until its end,
// a property that takes a function, a method that adds it, and the calls of those functions. It schedules nothing:
// no thread, no queue, no body, no order.
#include <lauxlib.h>
#include <lua.h>

typedef struct {
    lua_Integer limit, result;
    long added;
    // As many bytes as an operation of OpScript has.
    char rest[64];
} object;

static lua_Integer count;

// Upvalues: 1 the metatable, 2 the objects.
static int make(lua_State *L) {
    object *made = lua_newuserdatauv(L, sizeof(object), 3);
    *made = (object){.limit = luaL_checkinteger(L, 1)};
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawseti(L, lua_upvalueindex(2), ++count);
    return 1;
}

// The upvalue: names of methods with their functions, and of properties.
static int get(lua_State *L) {
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TFUNCTION) return 1;
    lua_pushinteger(L, ((object *)lua_touserdata(L, 1))->result);
    return 1;
}

static int set(lua_State *L) {
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(1));
    lua_settop(L, 3);
    lua_setiuservalue(L, 1, 1);
    return 0;
}

static int add(lua_State *L) {
    ((object *)lua_touserdata(L, 2))->added = 1;
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, 2, 2);
    lua_settop(L, 2);
    return 1;
}

// The "end" of all: their functions are called, where they have some, and they are kept no longer. The upvalue: the
// objects.
static int end_all(lua_State *L) {
    for (lua_Integer place = 1; place <= count; place++) {
        lua_rawgeti(L, lua_upvalueindex(1), place);
        if (lua_getiuservalue(L, -1, 1) == LUA_TFUNCTION) {
            lua_pushvalue(L, -2);
            if (lua_pcall(L, 1, 0, 0) != LUA_OK) return lua_error(L);
            lua_pushnil(L);
            lua_setiuservalue(L, -2, 1);
        }
        lua_settop(L, 0);
        lua_pushboolean(L, 0);
        lua_rawseti(L, lua_upvalueindex(1), place);
    }
    count = 0;
    return 0;
}

int luaopen_objects(lua_State *L) {
    lua_settop(L, 0);
    lua_newtable(L);
    lua_newtable(L);
    lua_newtable(L);
    enum { MODULE = 1, METATABLE, OBJECTS, NAMES };
    lua_newtable(L);
    lua_pushcfunction(L, add);
    lua_setfield(L, NAMES, "addOperation");
    lua_pushinteger(L, 1);
    lua_setfield(L, NAMES, "result");
    lua_pushvalue(L, NAMES);
    lua_pushcclosure(L, get, 1);
    lua_setfield(L, METATABLE, "__index");
    lua_pushvalue(L, NAMES);
    lua_pushcclosure(L, set, 1);
    lua_setfield(L, METATABLE, "__newindex");
    lua_pushvalue(L, METATABLE);
    lua_pushvalue(L, OBJECTS);
    lua_pushcclosure(L, make, 2);
    lua_setfield(L, MODULE, "make");
    lua_pushvalue(L, OBJECTS);
    lua_pushcclosure(L, end_all, 1);
    lua_setfield(L, MODULE, "endAll");
    lua_newuserdatauv(L, sizeof(object), 0);
    lua_pushvalue(L, METATABLE);
    lua_setmetatable(L, -2);
    lua_setfield(L, MODULE, "queue");
    lua_settop(L, MODULE);
    return 1;
}
