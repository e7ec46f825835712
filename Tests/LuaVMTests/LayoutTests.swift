import CLua
import Testing

@testable import LuaVM

/// What is read and moved in Lua's own memory, and the same through Lua's interface, where its layout is not known.
@Suite struct LayoutTests {
    private func host(_ knowsLayout: Bool) -> TestHost {
        let host = TestHost()
        if !knowsLayout { host.main.context.pointee.knows_layout = 0 }
        return host
    }

    /// `keep(place, value)` makes a userdata with two user values, kept in the table `kept`, which is given; `get` reads a user value.
    @discardableResult
    private func defineKeep(_ host: TestHost, _ metatable: LuaMetatable) -> LuaReference {
        let state = host.main
        metatable.push(state)
        state.newTable()
        state.pushValue(-1)
        state.setGlobal("kept")
        state.pushValue(-1)
        let kept = host.vm.makeReference(state)
        state.push(keep, upvalues: 2)
        state.setGlobal("keep")
        state.push(getUserValue)
        state.setGlobal("get")
        return kept
    }

    @Test func `the layout of this Lua is known`() {
        let host = TestHost()
        #expect(host.main.context.pointee.knows_layout == 1)
        withExtendedLifetime(host) {}
    }

    @Test(arguments: [true, false]) func `values are what Lua tells of them`(_ knowsLayout: Bool) throws {
        let host = host(knowsLayout)
        host.main.push("upvalue")
        host.main.push(42)
        host.main.push(compareValues, upvalues: 2)
        host.main.setGlobal("compare")
        try host.run(
            """
            local values = table.pack(1, -1, math.mininteger, 2.5, 3.0, 0/0, "", "short", ("long"):rep(40), "12", true, false, nil, {},
                print, function() end, coroutine.create(print), io.stdout, nil)
            local function all() return compare(table.unpack(values, 1, values.n)) end
            local function deep(n) if n == 0 then return (all()) end return 1 + deep(n - 1) end
            assert(all() == values.n and compare() == 0 and select("#", all()) == 1)
            assert(deep(150) == 150 + values.n)
            assert(coroutine.wrap(function() return deep(20) end)() == 20 + values.n)
            local t = setmetatable({}, { __call = compare, __index = function(_, key) return compare(key, key) end, __add = compare })
            assert(t(1, 2) == 3 and t.x == 2 and t + 1 == 2 and t[1] == 2)
            assert(select(2, pcall(compare, values)) == 1)
            assert(("x"):gsub("x", compare) == "1")
            table.sort({ 3, 2, 1 }, function(a, b) assert(compare(a, b) == 2) return a < b end)
            """
        )
        #expect(host.notes.isEmpty)
    }

    @Test(arguments: [true, false], ["incremental", "generational"])
    func `the collector is told what gets another user value`(_ knowsLayout: Bool, _ mode: String) throws {
        let host = host(knowsLayout)
        host.main.push { raw in
            let state = LuaState(raw)
            state.newUserdata(size: 16, userValues: 3)
            return 1
        }
        host.main.setGlobal("make")
        host.main.push { raw in
            let state = LuaState(raw)
            let number = state.integer(2) ?? 0
            state.push(state.setUserValue(1, Int32(number)))
            return 1
        }
        host.main.setGlobal("set")
        host.main.push(getUserValue)
        host.main.setGlobal("get")
        try host.run(
            """
            collectgarbage("\(mode)")
            local objects, round = {}, 0
            for i = 1, 50 do objects[i] = make() end
            collectgarbage()
            for step = 1, \(repeats(3000)) do
                local i, number = step % 50 + 1, step % 3 + 1
                assert(set(objects[i], number, { "value " .. step }))
                objects[i + 100 * number] = "value " .. step
                collectgarbage("step", 0)
                local junk = {} for j = 1, 20 do junk[j] = { j, "junk " .. j } end
                local old = (step * 7) % 50 + 1
                for number = 1, 3 do
                    local value = get(objects[old], number)
                    assert((value and value[1]) == objects[old + 100 * number])
                end
            end
            local one = make()
            assert(get(one, 1) == nil and get(one, 0) == nil and get(one, 4) == nil and get(one, -1) == nil)
            assert(not set(one, 4, 1) and not set(one, 0, 1) and not set(one, -1, 1))
            """
        )
    }

    @Test(arguments: [true, false], ["incremental", "generational"])
    func `what is kept in a table is not collected`(_ knowsLayout: Bool, _ mode: String) throws {
        let host = host(knowsLayout)
        let metatable = LuaMetatable(host.vm, name: "Kept", isBox: false)
        defineKeep(host, metatable)
        try host.run(
            """
            collectgarbage("\(mode)")
            local count = \(repeats(2000))
            for place = 1, count do
                keep(place, { "number " .. place })
                collectgarbage("step", 0)
                local junk = {} for j = 1, 10 do junk[j] = { j, "junk " .. j } end
            end
            collectgarbage()
            for place = 1, count do
                assert(get(kept[place], 1)[1] == "number " .. place)
                assert(getmetatable(kept[place]) == "Kept")
            end
            """
        )
        withExtendedLifetime(metatable) {}
    }

    @Test(arguments: [true, false])
    func `a metatable that gets a finalizer later has one`(_ knowsLayout: Bool) throws {
        let host = host(knowsLayout)
        let metatable = LuaMetatable(host.vm, name: "Kept", isBox: false)
        defineKeep(host, metatable)
        metatable.push(host.main)
        host.main.setGlobal("metatable")
        try host.run(
            """
            keep(1, 1) keep(2, 2)
            metatable.__gc = function(object) note(get(object, 1)) end
            keep(3, 3) keep(4, 4)
            kept[2], kept[4] = nil, nil
            collectgarbage() collectgarbage()
            """
        )
        #expect(host.notes == ["4"])
        withExtendedLifetime(metatable) {}
    }

    @Test(arguments: [true, false])
    func `a series takes what is kept, and lets go of what was`(_ knowsLayout: Bool) throws {
        let host = host(knowsLayout)
        let metatable = LuaMetatable(host.vm, name: "Kept", isBox: false)
        let state = host.main
        let table = defineKeep(host, metatable)
        try host.run(
            "for place = 1, 5 do keep(place, function(object) note(place .. type(object)) end) end number = 1"
        )
        let root = try host.root("")
        root.clear()
        root.state.push { _ in 0 }
        #expect(root.start(over: table, then: takeNext) == .finished(0))
        #expect(host.notes == ["1userdata", "2userdata", "3userdata", "4userdata", "5userdata"])
        table.push(state)
        for place in 1...5 {
            // The last one is let go of by whoever ends the series.
            #expect(state.rawGet(1, place) == (place < 5 ? .boolean : .userdata), "\(place)")
        }
        #expect(state.getUserValue(-1, 2) == .nil)
        withExtendedLifetime(metatable) {}
    }
}

/// Compares what is read in place with what Lua's interface gives, at all indices; gives how many arguments there are.
private func compareValues(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let count = lua_gettop(raw)
    var isSame = state.top == count
    for index in [LuaState.upvalue(1), LuaState.upvalue(2), LuaState.registry] + Array(-count...count + 2)
    where index != 0 {
        let type = lua_type(raw, index)
        isSame = isSame && state.type(index).rawValue == type
        isSame = isSame && state.isFunction(index) == (type == LUA_TFUNCTION)
        isSame = isSame && state.isTable(index) == (type == LUA_TTABLE)
        isSame = isSame && state.isNil(index) == (type == LUA_TNIL)
        isSame = isSame && state.isNoneOrNil(index) == (type <= 0)
        isSame = isSame && (state.integer(index) != nil) == (lua_isinteger(raw, index) != 0)
        if let integer = state.integer(index) {
            isSame = isSame && lua_Integer(integer) == lua_tointegerx(raw, index, nil)
        }
        isSame = isSame && (state.number(index) != nil) == (type == LUA_TNUMBER)
        isSame = isSame && (state.string(index) != nil) == (type == LUA_TSTRING)
        isSame = isSame && (state.anyUserdata(index) == nil) == (type != LUA_TUSERDATA)
        if index > count { continue }
        // What is above them moves by one.
        let own = index > 0 || index <= LuaState.registry ? index : index - 1
        state.pushValue(index)
        isSame = isSame && lua_gettop(raw) == count + 1 && lua_type(raw, -1) == type
        isSame = isSame && (lua_rawequal(raw, -1, own) != 0 || state.number(-1)?.isNaN ?? false)
        state.pop()
    }
    if !isSame { TestHost.of(state).notes.append("a value is another one") }
    state.push(Int(count))
    return 1
}

private struct Kept {
    var identity: UnsafeRawPointer?
    var number = 0
}

/// Makes a userdata, kept at the place at index 1, whose second user value is what lies at index 2. Upvalues: metatable, table.
private func keep(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let place = state.integer(1) ?? 1
    let memory = state.newUserdata(of: Kept.self, metatable: 1, userValues: 2, keptAt: place, of: 2)
    memory.initialize(to: Kept())
    state.pushValue(2)
    state.setUserValue(-2, 1)
    state.pushValue(2)
    state.setUserValue(-2, 2)
    return 0
}

private func getUserValue(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let type = state.getUserValue(1, Int32(state.integer(2) ?? 0))
    return type == state.type(-1) || type == .none ? 1 : 0
}

/// Pushes the function of the next one that is kept; lets go of the one before.
private func takeNext(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.getGlobal("number")
    let number = state.integer(-1) ?? 0
    state.pop()
    guard number <= 5 else { return 0 }
    state.push(number + 1)
    state.setGlobal("number")
    state.takeUserValue(2, at: number, dropping: number - 1)
    return 2
}
