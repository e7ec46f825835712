import Foundation
import OpScript
import Testing

struct EvaluationTests {
    struct Point: Codable, Equatable, Sendable {
        var x: Int
        var y: Double
    }

    @Test func `an expression and a chunk return their first value, typed`() async throws {
        let engine = ScriptEngine()
        #expect(try await engine.evaluate("6 * 7", as: Int.self) == 42)
        #expect(try await engine.evaluate("local a = 'x'; return a .. 'y', 2", as: String.self) == "xy")
        #expect(try await engine.evaluate("{ x = 1, y = 2.5 }", as: Point.self) == Point(x: 1, y: 2.5))
        #expect(try await engine.evaluate("{ 1, 2, 3 }", as: [UInt8?].self) == [1, 2, 3])
        #expect(try await engine.evaluate("nil", as: Int?.self) == nil)
        try await engine.evaluate("total = 12")
        #expect(try await engine.get("total") == 12)
    }

    /// A type whose values only come from scripts.
    struct Answer: Decodable, Equatable, Sendable {
        var status: Int
        var words: [String]?
    }

    @Test func `a type that is Decodable alone comes from a script, and does not go to one`() async throws {
        let engine = ScriptEngine()
        let answer = Answer(status: 404, words: ["gone"])
        let text = "{ status = 404, words = { 'gone' } }"
        #expect(try await engine.evaluate(text, as: Answer.self) == answer)
        #expect(try await engine.evaluate("{ \(text) }", as: [Answer].self) == [answer])
        #expect(try ScriptErrorObject(["status": 404]).decode(Answer.self) == Answer(status: 404))
        _ = try await engine.run(code: "function take(answer) end")
        let error = await #expect(throws: ScriptError.self) { try await engine.call("take", answer) }
        #expect(error?.message.contains("cannot go to a script: make it Codable") == true)
    }

    @Test func `an evaluation may wait for works`() async throws {
        let engine = ScriptEngine()
        engine.register("double") { (number: Int) in number * 2 }
        #expect(try await engine.evaluate("await(work.double(21))", as: Int.self) == 42)
        #expect(try await engine.evaluate("sleep(0.001) return 'late'", as: String.self) == "late")
    }

    @Test func `globals stay from one run to the next request, and tables are reached into by dots`()
        async throws
    {
        let engine = ScriptEngine()
        _ = try await engine.run(
            code: """
                cart = { items = {}, tax = { rate = 0.5 } }
                function cart.total(sum, count) return sum * count * (1 + cart.tax.rate) end
                """
        )
        #expect(try await engine.call("cart.total", 10, 2, as: Double.self) == 30)
        try await engine.set("cart.tax.rate", 0.25)
        #expect(try await engine.get("cart.tax.rate", as: Double.self) == 0.25)
        #expect(try await engine.call("cart.total", 10, 2, as: Double.self) == 25)
        try await engine.set("points", [Point(x: 1, y: 2)])
        #expect(try await engine.get("points", as: [Point].self) == [Point(x: 1, y: 2)])
        let report = try await engine.run(code: "cart.items[1] = points[1].x")
        #expect(report.exitCode == 0)
        #expect(try await engine.get("cart.items", as: [Int].self) == [1])
    }

    @Test(arguments: [
        ("nothing.there", "'nothing' is nil, so there is no 'nothing.there'"),
        ("print.there", "'print' is a function, so there is no 'print.there'"),
        ("math.pi.there", "'math.pi' is a number, so there is no 'math.pi.there'"),
        ("missing", "'missing' is nil and cannot be called"),
        ("math.pi", "'math.pi' is number and cannot be called"),
        ("a..b", "'a..b' is not a name: use words with dots in between"),
        ("", "'' is not a name: use words with dots in between"),
    ])
    func `a call of a value that is not a function names the value`(path: String, message: String)
        async throws
    {
        let engine = ScriptEngine()
        await #expect {
            try await engine.call(path)
        } throws: { error in
            (error as? ScriptError)?.code == .argument && "\(error)" == message
        }
    }

    @Test func `values of another type name the place`() async throws {
        let engine = ScriptEngine()
        await #expect {
            try await engine.evaluate("{ { x = 1, y = 'high' } }", as: [Point].self)
        } throws: { error in
            (error as? ScriptError)?.message
                == "bad value of the result (field '[1].y': number expected, got string)"
        }
        await #expect {
            try await engine.get("print", as: String.self)
        } throws: { error in
            "\(error)" == "bad value of 'print' (a function cannot leave the script thread)"
        }
        await #expect {
            try await engine.evaluate("300", as: UInt8.self)
        } throws: { error in
            "\(error)" == "bad value of the result (integer from 0 to 255 expected, got 300)"
        }
    }

    @Test func `an error of a script is thrown, with its place`() async throws {
        let engine = ScriptEngine()
        _ = try await engine.run("function fail() error('no luck') end", named: "@job.lua")
        await #expect {
            try await engine.call("fail")
        } throws: { error in
            guard let error = error as? ScriptError else { return false }
            return error.message == "job.lua:1: no luck" && error.traceback?.contains("job.lua:1") == true
        }
        await #expect {
            try await engine.evaluate("1 +", named: "=input")
        } throws: { error in
            "\(error)".hasPrefix("input:1:")
        }
        #expect(try await engine.evaluate("'alive'", as: String.self) == "alive")
    }

    @Test func `a request is answered in the middle of a run`() async throws {
        let engine = ScriptEngine()
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        engine.register("begun") { _ = hasBegun.yield() }
        async let report = engine.run(
            code: """
                function answer(n) sleep(0) result = n return n + 1 end
                await(work.begun())
                repeat sleep(0) until result
                """
        )
        for await _ in begun { break }
        #expect(try await engine.call("answer", 20, as: Int.self) == 21)
        _ = try await report
        #expect(try await engine.get("result") == 20)
    }

    @Test func `a request that can never end raises deadlock`() async throws {
        let engine = ScriptEngine()
        await #expect {
            try await engine.evaluate("await(Gate 'never')")
        } throws: { error in
            (error as? ScriptError)?.code == .deadlock
        }
    }

    @Test func `cancelling the requesting task interrupts the wait, and nothing else`() async throws {
        let engine = ScriptEngine()
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        engine.register("begun") { _ = hasBegun.yield() }
        let request = Task {
            try await engine.evaluate("OperationQueue():addOperation(work.begun()); sleep(3600)")
        }
        for await _ in begun { break }
        request.cancel()
        await #expect {
            try await request.value
        } throws: { error in
            (error as? ScriptError)?.code == .cancelled
        }
        #expect(try await engine.evaluate("1", as: Int.self) == 1)
    }

    @Test func `two engines share nothing`() async throws {
        let first = ScriptEngine()
        let second = ScriptEngine()
        try await first.set("name", "first")
        try await second.set("name", "second")
        async let a = first.evaluate("(function() sleep(0.001) return name end)()", as: String.self)
        async let b = second.evaluate("(function() sleep(0.001) return name end)()", as: String.self)
        #expect(try await [a, b] == ["first", "second"])
    }

    @Test func `a run joins the leftovers of a request`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        let engine = ScriptEngine(configuration)
        try await engine.evaluate(
            """
            ticks = 0
            Timer.scheduledTimer(60, true, function(timer)
                ticks = ticks + 1
                if ticks == 3 then timer:invalidate() end
            end)
            """
        )
        _ = try await engine.run(code: "")
        #expect(try await engine.get("ticks") == 3)
    }

    @Test func `an evaluation before any run finds modules in the given folders`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "opscript-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("return { think = function() return 'thought' end }".utf8)
            .write(to: folder.appending(path: "mind.lua"))
        var configuration = ScriptEngine.Configuration()
        configuration.moduleSearchPaths = [folder.path()]
        let engine = ScriptEngine(configuration)
        #expect(try await engine.evaluate("require('mind').think()", as: String.self) == "thought")
        #expect(try await engine.evaluate("require('mind').think()", as: String.self) == "thought")
        engine.shutdown()
    }
}
