import OpScript
import Synchronization
import Testing

struct HostObjectTests {
    struct Overflow: Error, Equatable { var value: Int }

    final class Counter: Sendable {
        private let state: Mutex<Int>
        private let alive: Tally?
        let handler = Mutex<ScriptFunction?>(nil)

        init(_ start: Int, alive: Tally? = nil) {
            state = Mutex(start)
            self.alive = alive
            alive?.add(1)
        }

        deinit { alive?.add(-1) }

        var value: Int {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }

        func add(_ amount: Int) throws -> Int {
            try state.withLock { value in
                if value + amount > 100 { throw Overflow(value: value + amount) }
                value += amount
                return value
            }
        }
    }

    actor Account {
        private(set) var balance = 0
        func deposit(_ amount: Int) -> Int {
            balance += amount
            return balance
        }
        func hang() async throws { try await Task.sleep(for: .seconds(3600)) }
    }

    /// Counts living objects, from any thread.
    final class Tally: Sendable {
        private let count = Mutex(0)
        func add(_ number: Int) { count.withLock { $0 += number } }
        var now: Int { count.withLock { $0 } }
    }

    private func makeEngine(_ alive: Tally? = nil) -> ScriptEngine {
        let engine = ScriptEngine()
        engine.expose(Counter.self) { type in
            type.initializer { (start: Int?) in Counter(start ?? 0, alive: alive) }
            type.function("pair") { (a: Int, b: Int) in [Counter(a, alive: alive), Counter(b, alive: alive)] }
            type.property("value", get: { $0.value }, set: { $0.value = $1 })
            type.property("isZero") { $0.value == 0 }
            type.property(
                "onChange",
                get: { counter in counter.handler.withLock { $0 } },
                set: { counter, function in counter.handler.withLock { $0 = function } }
            )
            type.method("add") { (counter: Counter, amount: Int) throws -> Int in try counter.add(amount) }
            type.method("merge") { (counter: Counter, other: Counter) in counter.value += other.value }
            type.implement(.equal) { (a: Counter, b: Counter) in a.value == b.value }
            type.implement(.lessThan) { (a: Counter, b: Counter) in a.value < b.value }
            type.implement(.add) { (a: Counter, b: Int) in Counter(a.value + b, alive: alive) }
            type.implement(.concatenate) { (a: ScriptValue, b: ScriptValue) -> String in
                [a, b].map { value in
                    if case .string(let bytes) = value { return String(decoding: bytes, as: UTF8.self) }
                    return "<counter>"
                }.joined()
            }
            type.implement(.length) { (a: Counter) in a.value }
            type.implement(.description) { (a: Counter) in "Counter(\(a.value))" }
            type.implement(.call) { (a: Counter, factor: Int) in a.value * factor }
        }
        engine.expose(Account.self) { type in
            type.initializer { Account() }
            type.method("deposit") { (account: Account, amount: Int) async -> Int in
                await account.deposit(amount)
            }
            type.method("balance") { (account: Account) async in await account.balance }
            type.method("hang") { (account: Account) async throws in try await account.hang() }
        }
        return engine
    }

    /// The view of a script, one expression each.
    @Test(arguments: [
        ("Counter(5).value", "5"),
        ("Counter().isZero", "true"),
        ("(function() local c = Counter(1); c.value = 7; return c.value end)()", "7"),
        ("Counter(5):add(3)", "8"),
        ("Counter.pair(1, 2)[2].value", "2"),
        ("(function() local c = Counter(1); c:merge(Counter(2)); return c.value end)()", "3"),
        ("Counter(1) == Counter(1)", "true"),
        ("Counter(1) ~= Counter(2)", "true"),
        ("Counter(1) == 1", "false"),
        ("Counter(1) < Counter(2)", "true"),
        ("Counter(1) > Counter(2)", "false"),
        ("Counter(2) <= Counter(2)", "true"),
        ("Counter(3) <= Counter(2)", "false"),
        ("(Counter(1) + 4).value", "5"),
        ("'a' .. Counter(1)", "a<counter>"),
        ("Counter(1) .. 'b'", "<counter>b"),
        ("#Counter(9)", "9"),
        ("Counter(2)", "Counter(2)"),
        ("Counter(2)(21)", "42"),
        ("Counter", "Counter"),
        ("require('opscript').Counter == Counter", "true"),
        ("Account():deposit(5)", "5"),
        ("Account()", "Account"),
        ("(function() local a = Account(); a:deposit(2); a:deposit(3); return a:balance() end)()", "5"),
        ("InvocationOperation(Counter(1), 'add', 2).name", "add"),
        ("await(InvocationOperation(Counter(1), 'add', 2))", "3"),
        ("await(async(Account().deposit, Account(), 4))", "4"),
    ])
    func `a script uses an object`(expression: String, result: String) async throws {
        let engine = makeEngine()
        #expect(try await engine.evaluate("tostring((\(expression)))", as: String.self) == result)
    }

    /// Mistakes, and the messages about them.
    @Test(arguments: [
        ("Counter('x')", "bad argument #1 to 'Counter' (integer expected, got string)"),
        ("Counter(1, 2)", "bad argument #2 to 'Counter' (no value expected, got number)"),
        ("Counter(1):add('x')", "bad argument #1 to 'Counter:add' (integer expected, got string)"),
        ("Counter(1):add()", "bad argument #1 to 'Counter:add' (integer expected, got no value)"),
        ("Counter(1):merge(1)", "bad argument #1 to 'Counter:merge' (Counter expected, got number)"),
        ("Counter(1):merge(Account())", "bad argument #1 to 'Counter:merge' (Counter expected, got Account)"),
        (
            "Counter(1):merge { print }",
            "bad argument #1 to 'Counter:merge' (field '[1]': a function cannot leave the script thread)"
        ),
        (
            "Counter(1).add(2)",
            "calling 'Counter:add' on a bad self (Counter expected, got number): write object:add(…)"
        ),
        ("Account.deposit", "nil"),
        ("Account():deposit('x')", "bad argument #1 to 'Account:deposit' (integer expected, got string)"),
        ("Counter(1).vlaue", "Counter has no property 'vlaue' (did you mean 'value'?)"),
        ("Counter(1):substract(1)", "Counter has no property 'substract'"),
        ("(function() Counter(1).isZero = true end)()", "'isZero' of Counter can only be read"),
        ("(function() Counter(1).add = 1 end)()", "'add' of Counter is a method and cannot be set"),
        (
            "(function() Counter(1).value = 'x' end)()",
            "bad value for 'value' of Counter (integer expected, got string)"
        ),
        ("Counter(1) + 'x'", "bad argument #2 to 'Counter add' (integer expected, got string)"),
        ("Account() < Account()", "attempt to compare two Account values"),
        ("Account() + 1", "attempt to perform arithmetic on a Account value"),
        ("Account()()", "attempt to call a Account value"),
        ("#Account()", "attempt to get length of a Account value"),
        ("Account() .. 'x'", "attempt to concatenate a Account value"),
    ])
    func `mistakes with an object are errors`(expression: String, message: String) async throws {
        let engine = makeEngine()
        let found = try await engine.evaluate(
            "(function() local ok, e = pcall(function() return \(expression) end) return tostring(e):gsub('^.-:1: ', '') end)()",
            as: String.self
        )
        #expect(found == message)
    }

    @Test func `the same object is the same value while a script has it`() async throws {
        let engine = makeEngine()
        let counter = Counter(1)
        try await engine.set("a", counter)
        try await engine.set("b", counter)
        engine.register("same") { (given: Counter) in given }
        #expect(try await engine.evaluate("rawequal(a, b)", as: Bool.self))
        #expect(try await engine.evaluate("rawequal(a, await(work.same(b)))", as: Bool.self))
        #expect(try await engine.get("a", as: Counter.self) === counter)
        #expect(try await engine.evaluate("({ [a] = 'found' })[b]", as: String.self) == "found")
    }

    @Test func `objects live as long as a script or the host has them`() async throws {
        let alive = Tally()
        let engine = makeEngine(alive)
        try await engine.evaluate(
            "kept = Counter(1); for i = 1, 100 do Counter(i) end; collectgarbage(); collectgarbage()"
        )
        #expect(alive.now == 1)
        var counter: Counter? = try await engine.get("kept")
        try await engine.evaluate("kept = nil; collectgarbage(); collectgarbage()")
        #expect(alive.now == 1)
        #expect(counter?.value == 1)
        counter = nil
        #expect(alive.now == 0)
        try await engine.evaluate("kept = { Counter(1), Counter(2) }")
        #expect(alive.now == 2)
        engine.shutdown()
        await engine.waitUntilClosed()
        #expect(alive.now == 0)
    }

    @Test func `the bytes of an object drive the collector, and are counted`() async throws {
        let alive = Tally()
        let engine = ScriptEngine()
        engine.expose(Counter.self) { type in
            type.initializer { (start: Int?) in Counter(start ?? 0, alive: alive) }
            type.weight { _ in 1 << 20 }
        }
        _ = try await engine.run(
            code: """
                local before, most = require("opscript").memory().native, 0
                for i = 1, 300 do
                    local counter = Counter(i)
                    most = math.max(most, require("opscript").memory().native - before)
                end
                assert(most >= 1 << 20 and most <= 60 << 20, most)
                """
        )
        #expect(alive.now < 60)
    }

    @Test func `an error of a method is the same error in Swift again`() async throws {
        let engine = makeEngine()
        await #expect {
            try await engine.run("function f() Counter(99):add(2) end f()", named: "@job.lua")
        } throws: { error in
            guard let error = error as? ScriptError else { return false }
            return error.underlying as? Overflow == Overflow(value: 101)
                && error.message == "job.lua:1: Overflow(value: 101)"
                && error.traceback?.contains("in function 'f'") == true
        }
    }

    @Test func `an object keeps a function of the script`() async throws {
        let engine = makeEngine()
        let counter = Counter(3)
        try await engine.set("counter", counter)
        try await engine.evaluate("counter.onChange = function(by) return counter.value * by end")
        let handler = try #require(counter.handler.withLock { $0 })
        #expect(try await handler(5, as: Int.self) == 15)
        #expect(try await engine.evaluate("counter.onChange(2)", as: Int.self) == 6)
        try await engine.evaluate("counter.onChange = nil")
        #expect(counter.handler.withLock { $0 } == nil)
    }

    @Test
    func `other Lua code runs while its caller waits for an async method, and a cancelled caller cancels it`()
        async throws
    {
        let engine = makeEngine()
        let found = try await engine.evaluate(
            """
            local account, log = Account(), {}
            local op = async(function() account:hang() end)
            sleep(0)
            log[#log + 1] = op.state
            op:cancel()
            log[#log + 1] = select(2, pawait(op)).code
            log[#log + 1] = account:deposit(1)
            return log
            """,
            as: [ScriptValue].self
        )
        #expect(found == [.text("executing"), .text("cancelled"), .integer(1)])
        await #expect {
            try await engine.evaluate("table.sort({ 1, 2 }, function() return Account():deposit(1) > 0 end)")
        } throws: {
            "\($0)".contains("cannot wait here: inside table.sort")
        }
    }

    @Test func `a type that is exposed twice, or hides another, is a problem`() async throws {
        func problem(_ declare: (ScriptEngine) -> Void) async -> String {
            let engine = makeEngine()
            declare(engine)
            let error = await scriptError { _ = try await engine.run(code: "") }
            #expect(error?.code == .misuse)
            return error?.message ?? "none"
        }
        #expect(await problem { $0.expose(Counter.self) { _ in } } == "the type 'Counter' is exposed already")
        #expect(
            await problem { $0.expose(Tally.self, as: "Operation") { _ in } }
                == "the type 'Operation' would hide an existing global of that name"
        )
        #expect(
            await problem { $0.expose(Tally.self, as: "") { _ in } }
                == "'' is not a name for a type: use letters, digits and '_'"
        )
        #expect(
            await problem { engine in
                engine.expose(Tally.self) { type in
                    type.property("now") { $0.now }
                    type.method("now") { (tally: Tally) in tally.now }
                }
            } == "'Tally' has no place for 'now': it is declared already, or is not a name"
        )
        #expect(
            await problem { engine in
                engine.expose(Tally.self) { type in
                    type.method("step") { (tally: Tally, context: WorkContext) in tally.now }
                }
            } == "'step' of 'Tally' takes a WorkContext, which only async methods have"
        )
    }

    @Test func `an object that is not exposed can be held and passed on`() async throws {
        let engine = ScriptEngine()
        let tally = Tally()
        engine.register("take") { (given: Tally) in given === tally }
        try await engine.set("tally", tally)
        #expect(try await engine.evaluate("tostring(tally)", as: String.self) == "Tally")
        #expect(try await engine.evaluate("await(work.take(tally))", as: Bool.self))
        await #expect { try await engine.evaluate("tally.now") } throws: {
            "\($0)".hasSuffix("Tally has no property 'now'")
        }
    }
}
