import Testing

@testable import LuaVM

@Suite struct ProtectedAccessTests {
    /// Leaves a table at index 1 whose every metamethod raises.
    private func angry() throws -> TestHost {
        let host = TestHost()
        try host.vm.load(
            """
            local function no() error("no", 0) end
            return setmetatable({}, { __index = no, __newindex = no, __len = no, __eq = no, __lt = no, __le = no,
                __concat = no, __tostring = no, __call = no })
            """,
            name: "=angry"
        )
        try host.main.call(results: 1)
        return host
    }

    @Test func `errors of metamethods are thrown and the stack is balanced`() throws {
        let host = try angry()
        let state = host.main
        func check(_ body: () throws -> Void) {
            let error = #expect(throws: LuaError.self) { try body() }
            #expect(error?.message == "no")
            #expect(state.top == 1)
        }
        check { try state.getField(1, "x") }
        check {
            state.push("x")
            try state.get(1)
        }
        check {
            state.push(1)
            try state.setField(1, "x")
        }
        check {
            state.push("k")
            state.push(1)
            try state.set(1)
        }
        check { _ = try state.length(1) }
        check { _ = try state.describe(1) }
        check { _ = try state.less(1, 1) }
        check {
            state.pushValue(1)
            state.pushValue(1)
            try state.concatenate(2)
        }
        check {
            state.pushValue(1)
            try state.call(results: 1)
        }
        #expect(try state.equal(1, 1))
    }

    @Test func `keys that no table can have are errors`() throws {
        let host = TestHost()
        let state = host.main
        state.newTable()
        for key in [Double.nan, nil] {
            if let key { state.push(key) } else { state.pushNil() }
            state.push(1)
            #expect(throws: LuaError.self) { try state.rawSet(1) }
            if let key { state.push(key) } else { state.pushNil() }
            state.push(1)
            #expect(throws: LuaError.self) { try state.set(1) }
            #expect(state.top == 1)
        }
        state.push("unknown")
        #expect(throws: LuaError.self) { try state.next(1) }
        #expect(state.top == 1)
    }

    @Test func `indexing a value without fields is an error`() {
        let host = TestHost()
        let state = host.main
        state.push(5)
        let error = #expect(throws: LuaError.self) { try state.getField(1, "x") }
        #expect(error?.message.contains("attempt to index a number value") == true)
        #expect(throws: LuaError.self) { try state.next(1) }
    }

    @Test func `next and forEachPair walk over all pairs`() throws {
        let host = TestHost()
        let state = host.main
        state.newTable()
        for i in 1...10 {
            state.push(i * i)
            state.rawSet(1, i)
        }
        var sum = 0
        state.pushNil()
        while try state.next(1) {
            sum += state.integer(-1) ?? 0
            state.pop()
        }
        #expect(sum == 385 && state.top == 1)
        var keys = 0
        state.forEachPair(1) { keys += state.integer(-2) ?? 0 }
        #expect(keys == 55 && state.top == 1)
    }

    @Test func `metamethods that work are used`() throws {
        let host = TestHost()
        try host.vm.load(
            "return setmetatable({}, { __index = function(_, k) return k .. '!' end, __len = function() return 42 end })",
            name: "=t"
        )
        try host.main.call(results: 1)
        #expect(try host.main.getField(1, "key") == .string)
        #expect(host.main.string(-1) == "key!")
        #expect(try host.main.length(1) == 42)
        host.main.push(10)
        host.main.push(9)
        #expect(try host.main.less(-1, -2))
    }

    @Test func `a call that raises returns message, value and frames`() throws {
        let host = TestHost()
        try host.vm.load("local t = {} local function f() t.x.y = 1 end f()", name: "@job.lua")
        let error = #expect(throws: LuaError.self) { try host.main.call() }
        #expect(error?.message == "job.lua:1: attempt to index a nil value (field 'x')")
        #expect(error?.frames.first?.name == "f")
        #expect(host.main.top == 0)
    }

    @Test func `endless recursion is an error`() throws {
        let host = TestHost()
        let error = try host.failure("local function f() return 1 + f() end f()")
        #expect(error.message.contains("stack overflow"))
        #expect(error.frames.count <= 22)
        #expect(error.frames.contains { $0.followsGap })
        #expect(try host.results("return 1") == ["1"])
    }
}
