import Testing

@testable import LuaVM

/// Functions that follow each other on one root, over a table.
@Suite struct SeriesTests {
    /// Runs the functions that a script returns, each with its number, and returns the outcome.
    private func run(_ script: String, on host: TestHost) throws -> (root: LuaRoot, outcome: LuaRoot.Outcome)
    {
        host.main.push(2)
        host.main.setGlobal("number")
        let functions = host.vm.makeReference(try host.run("return { \(script) }").state)
        let root = try host.root("")
        root.clear()
        functions.push(root.state)
        _ = root.state.rawGet(1, 1)
        root.state.remove(1)
        root.state.push(1)
        return (root, root.start(over: functions, then: nextFunction))
    }

    @Test func `all are called with their arguments, and their results are dropped`() throws {
        let host = TestHost()
        let (root, outcome) = try run(
            "function(n) note('a' .. n) return 1, 2, 3 end, function(n) note('b' .. n) return 4 end, note",
            on: host
        )
        #expect(outcome == .finished(0))
        #expect(root.state.top == 0)
        #expect(host.notes == ["a1", "b2", "3"])
    }

    @Test(arguments: [1, 2, 3]) func `the error of one is the only value left`(_ number: Int) throws {
        let host = TestHost()
        let function = "function(n) note(n) if n == \(number) then error('of ' .. n) end return n end"
        let (root, outcome) = try run("\(function), \(function), \(function), \(function)", on: host)
        #expect(outcome == .failed)
        #expect(LuaError(taking: root.state).message == "job:1: of \(number)")
        #expect(host.notes == (1...number).map(String.init))
    }

    @Test func `one that waits is the last`() throws {
        let host = TestHost()
        let (root, outcome) = try run(
            "note, function(n) note(n) wait() note('after') return 7 end, note",
            on: host
        )
        #expect(outcome == .waiting)
        #expect(host.goOn(root) == .finished(0))
        #expect(host.notes == ["1", "2", "after"])
    }

    @Test func `one that waits may fail`() throws {
        let host = TestHost()
        let (root, outcome) = try run("note, function(n) wait() error('late') end, note", on: host)
        #expect(outcome == .waiting)
        #expect(host.goOn(root) == .failed)
        #expect(LuaError(taking: root.state).message == "job:1: late")
        #expect(host.notes == ["1"])
    }
}

/// Pushes the next function of the table with its number, above a value that is not used.
private func nextFunction(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard state.top == 2, state.isTable(2) else { return 0 }
    state.getGlobal("number")
    let number = state.integer(-1) ?? 0
    state.push(number + 1)
    state.setGlobal("number")
    guard state.rawGet(2, number) == .function else { return 0 }
    state.push(number)
    return 2
}
