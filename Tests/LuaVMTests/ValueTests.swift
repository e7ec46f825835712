import Testing

@testable import LuaVM

@Suite struct ValueTests {
    @Test func `strings are bytes and may hold NUL`() throws {
        let host = TestHost()
        host.main.push(bytes: [0x61, 0, 0xFF, 0x62])
        host.main.setGlobal("s")
        #expect(try host.results("return #s, s:byte(2), s:byte(3)") == ["4", "0", "255"])
        host.main.getGlobal("s")
        #expect(host.main.bytes(-1) == [0x61, 0, 0xFF, 0x62])
        #expect(host.main.string(-1) == "a\0\u{FFFD}b")
        host.main.push(bytes: [])
        #expect(host.main.bytes(-1) == [])
    }

    @Test func `integers and floats are kept apart`() throws {
        let host = TestHost()
        let state = host.main
        state.push(3)
        state.push(3.0)
        state.push("3")
        state.push(3.5)
        #expect((1...4).map { state.integer($0) } == [3, nil, nil, nil])
        #expect((1...4).map { state.wholeNumber($0) } == [3, 3, nil, nil])
        #expect((1...4).map { state.number($0) } == [3, 3, nil, 3.5])
        #expect(state.isInteger(1) && !state.isInteger(2))
        state.push(Int.min)
        #expect(state.integer(-1) == .min)
    }

    @Test func `reading a number as a string does not convert it in place`() {
        let host = TestHost()
        host.main.push(7)
        #expect(host.main.string(1) == nil)
        #expect(host.main.withBytes(1) { $0.count } == nil)
        #expect(host.main.type(1) == .number)
    }

    @Test func `types and summaries`() {
        let host = TestHost()
        let state = host.main
        state.pushNil()
        state.push(true)
        state.push("text")
        state.newTable()
        #expect((1...5).map { state.type($0) } == [.nil, .boolean, .string, .table, .none])
        #expect((1...4).map { state.summary($0) } == ["nil", "true", "'text'", "table"])
        #expect(state.isNoneOrNil(5) && state.isNoneOrNil(1) && !state.isNoneOrNil(2))
    }

    @Test func `a balanced stack is restored even after an error`() throws {
        let host = TestHost()
        let state = host.main
        state.push(1)
        state.withBalancedStack(1) { state.push(2) }
        #expect(state.top == 2)
        let error = #expect(throws: LuaError.self) {
            try state.withBalancedStack { () throws(LuaError) in
                for _ in 0..<5 { state.push(0) }
                throw LuaError(.runtime, "left early")
            }
        }
        #expect(error?.message == "left early")
        #expect(state.top == 2)
    }

    #if DEBUG
    @Test func `an unbalanced stack traps in debug builds`() async {
        await #expect(processExitsWith: .failure) {
            let vm = LuaVM()
            let state = vm.main
            state.withBalancedStack { state.push(1) }
        }
    }
    #endif

    @Test func `values move between stacks`() {
        let host = TestHost()
        let state = host.main
        let other = state.newThread()
        state.push("a")
        state.push("b")
        state.move(2, to: other)
        #expect(other.top == 2 && other.string(2) == "b")
        #expect(state.top == 1 && state.thread(1)?.raw == other.raw)
    }

    @Test func `absurd table sizes are cut`() {
        let host = TestHost()
        let state = host.main
        state.newTable(array: -5, fields: -5)
        #expect(state.isTable(-1))
    }
}
