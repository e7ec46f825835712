import OpScript
import Testing

/// The mode of a registration under virtual time.
@Suite struct WorkModeTests {
    private func run(_ script: String, strict: Bool = false, register: (ScriptEngine) -> Void) async throws
        -> ScriptReport
    {
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        configuration.isStrict = strict
        let engine = ScriptEngine(configuration)
        register(engine)
        return try await engine.run(code: script)
    }

    private struct Refusal: Error, CustomStringConvertible {
        let description = "refused"
    }

    @Test func `a model returns result, error and duration`() async throws {
        let report = try await run(
            """
            local op = work.model(4, "x")
            assert(await(op) == 8 and clock.now() == 4)
            local ok, problem = pawait(work.model(-1, "x"))
            assert(not ok and problem.message:find("refused") and clock.now() == 6, problem)
            ok, problem = pawait(work.model(0, "x"))
            assert(not ok and problem.message:find("refused") and clock.now() == 6)
            local slow = OperationQueue():addOperation(work.model(1000, "x"))
            sleep(1)
            slow:cancel()
            slow:waitUntilFinished()
            assert(slow.outcome == "cancelled" and clock.now() == 7)
            assert(not pcall(work.model, "no number"))
            """
        ) { engine in
            engine.register(
                "model",
                onVirtualTime: .modelled { arguments in
                    guard case .integer(let number)? = arguments.first else { throw Refusal() }
                    if number == 0 { throw Refusal() }
                    if number < 0 { return ModelledRun(duration: 2, error: Refusal()) }
                    return ModelledRun(result: .integer(2 * number), duration: Double(number))
                }
            ) { (number: Int, name: String) throws -> Int in throw Refusal() }
        }
        #expect(report.exitCode == 0)
    }

    @Test func `an instant closure runs where the script runs, and its result is an argument of others`()
        async throws
    {
        _ = try await run(
            """
            local sum = work.add(work.add(1, 2), work.later(4))
            assert(await(sum) == 7 and clock.now() == 0)
            local ok, problem = pawait(work.add(work.pair(), 1))
            assert(ok and problem == 6)
            simulate("pair", function() return 1, 2 end)
            assert(select("#", await(work.pair())) == 2)
            assert(await(work.add(work.pair(), 1)) == 2)
            local other = work.add(work.add(1, 1), "x" and 2)
            assert(await(other) == 4)
            """
        ) { engine in
            engine.register("add", onVirtualTime: .instant) { (left: Int, right: Int) in left + right }
            engine.register("pair", onVirtualTime: .instant) { () in 5 }
            engine.register("later", onVirtualTime: .instant) { (number: Int) async throws -> Int in
                await Task.yield()
                return number
            }
        }
    }

    @Test func `a strict run on the system's clock does not begin`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.seed = 1
        configuration.isStrict = true
        let engine = ScriptEngine(configuration)
        let error = await #expect(throws: ScriptError.self) { try await engine.run(code: "print(1)") }
        #expect(error?.code == .misuse && error?.message.contains("needs virtual time") == true)
    }
}
