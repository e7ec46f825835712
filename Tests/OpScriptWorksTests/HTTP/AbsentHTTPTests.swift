#if !HTTP
import OpScript
import OpScriptWorks
import Testing

/// `work.http.get` in a program that was built without the package trait `HTTP`.
@Suite struct AbsentHTTPTests {
    @Test func `a request names the trait that is missing`() async throws {
        let engine = ScriptEngine()
        engine.registerStandardWorks()
        let error = await #expect(throws: ScriptError.self) {
            _ = try await engine.run(code: "await(work.http.get('http://127.0.0.1:1/'))")
        }
        #expect(error?.message.contains("needs the package trait 'HTTP'") == true)
        engine.shutdown()
    }

    @Test func `it can be simulated`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        let engine = ScriptEngine(configuration)
        engine.registerStandardWorks()
        let report = try await engine.run(
            code: """
                simulate("http.get", { duration = 2, result = { status = 200 } })
                assert(await(work.http.get("http://example.org/")).status == 200)
                """
        )
        #expect(report.succeeded == 1)
    }
}
#endif
