import Foundation
import InMemoryLogging
import InMemoryTracing
import Logging
import OpScript
import OpScriptRecord
import Synchronization
import Testing
import Tracing

/// Secrets in the texts that a host gets.
@Suite struct HostSecretTests {
    private static let job = """
        local token = secret("hunter2-hunter2")
        local queue = OperationQueue { name = "queue " .. token }
        local bad = Operation { name = "bad " .. token, main = function() error("no luck with " .. token) end }
        local object = Operation { name = "object", main = function()
            error(setmetatable({}, { __tostring = function() return "object " .. token end }))
        end }
        local chunk = Operation { name = "chunk", main = function() load("error 'x'", "=in " .. token)() end }
        local sent = work.refuse(token)
        sent.name = "sent " .. token
        local skipped = Operation { name = "skipped " .. token, main = print }
        skipped:addDependency(bad)
        local again = Operation { name = "again", retry = { attempts = 2 }, main = function() error("again " .. token) end }
        queue:addOperations { bad, object, chunk, sent, skipped, again }
        queue:waitUntilAllOperationsAreFinished()
        Operation { name = "forgotten " .. token, main = print }
        local stuck = Operation { name = "stuck " .. token, main = print }
        stuck:addDependency(Gate("never " .. token))
        queue:addOperation(stuck)
        print(token)
        warn("@on")
        warn("careful, " .. token)
        error("the end with " .. token)
        """

    /// Everything that a host got, as text, and what the script printed.
    private struct Run {
        var texts = ""
        var output = ""
    }

    /// Texts that come on several threads.
    private final class Texts: Sendable {
        let all = Mutex("")

        func add(_ text: String) { all.withLock { $0 += text + "\n" } }
    }

    private func run(_ job: String = job, _ secrets: [String] = []) async throws -> Run {
        let (texts, output) = (Texts(), Texts())
        let (handler, tracer) = (InMemoryLogHandler(), InMemoryTracer())
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = .trace
        var configuration = ScriptEngine.Configuration()
        configuration.logger = logger
        configuration.recordsRuns = true
        configuration.tracksStatus = true
        configuration.secrets = secrets
        configuration.standardError = texts.add
        configuration.trace = texts.add
        configuration.standardOutput = { output.add(String(decoding: $0, as: UTF8.self)) }
        let engine = ScriptEngine(configuration)
        engine.register("refuse") { (context: WorkContext, text: String) throws in
            output.add("closure: " + text)
            throw ScriptError(.failed, "refused \(text)", underlying: ScriptError(.host, "inner \(text)"))
        }
        let events = engine.events
        let error = await scriptError {
            try await withTracer(tracer) { _ = try await engine.run(code: job) }
        }
        let report = try #require(error?.report)
        engine.shutdown()
        for await event in events { texts.add(event.name) }
        texts.add("\(report.failures) \(report.stuck) \(report.neverAdded) \(report.error.debugDescription)")
        texts.add("\(error.debugDescription) \(engine.status)")
        for failure in report.failures {
            texts.add("\(failure.error.underlying.debugDescription) \(failure.traceback ?? "")")
        }
        let record = try #require(report.record)
        for format in RecordFormat.allCases {
            try record.write(format) { texts.add(String(decoding: $0, as: UTF8.self)) }
        }
        for entry in handler.entries { texts.add("\(entry)") }
        for span in tracer.finishedSpans {
            texts.add(
                "\(span.operationName) \(span.attributes) \(span.status.debugDescription) \(span.errors)"
            )
        }
        return Run(texts: texts.all.withLock { $0 }, output: output.all.withLock { $0 })
    }

    @Test func `no text of an engine has a secret, and a closure gets it`() async throws {
        let run = try await run()
        #expect(!run.texts.contains("hunter2"))
        for text in [
            "queue •••", "bad •••", "no luck with •••", "object •••", "in •••:1:", "sent •••", "refused •••",
            "inner •••", "skipped •••", "again •••", "forgotten •••", "stuck •••", "careful, •••",
            "the end with •••",
        ] {
            #expect(run.texts.contains(text), "\(text)")
        }
        #expect(run.output.contains("closure: hunter2-hunter2"))
        #expect(run.output.contains("hunter2-hunter2\n"))
    }

    @Test func `without a secret the same texts have the value`() async throws {
        let run = try await run(Self.job.replacing("secret(", with: "tostring("))
        #expect(run.texts.contains("no luck with hunter2-hunter2") && !run.texts.contains("•••"))
    }

    @Test func `the host names secrets, too`() async throws {
        let run = try await run(
            Self.job.replacing("secret(", with: "tostring("),
            ["hunter2-hunter2", "", "x"]
        )
        #expect(!run.texts.contains("hunter2"))
    }

    @Test func `a host hides secrets in its own texts, for each engine`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.secrets = ["of the host"]
        let (engine, other) = (ScriptEngine(configuration), ScriptEngine())
        _ = try await engine.run(code: "secret 'of the script'")
        #expect(engine.hidingSecrets(in: "<of the host> <of the script>") == "<•••> <•••>")
        #expect(other.hidingSecrets(in: "<of the host> <of the script>") == "<of the host> <of the script>")
    }

    @Test func `an error that a host catches has no secret`() async throws {
        let engine = ScriptEngine()
        let error = await scriptError {
            _ = try await engine.evaluate("error('bad ' .. secret 'hunter2-hunter2')", as: String.self)
        }
        #expect(error?.message.hasSuffix("bad •••") == true, "\(error.debugDescription)")
    }

    @Test func `variables are secret by their names, for hosts that want it`() async throws {
        setenv("OPSCRIPT_TEST_TOKEN", "hunter2-hunter2", 1)
        setenv("OPSCRIPT_TEST_NUMBER_TOKEN", "1234567890", 1)
        setenv("OPSCRIPT_TEST_SHORT_TOKEN", "hunter3", 1)
        var configuration = ScriptEngine.Configuration()
        #expect(ScriptEngine(configuration).hidingSecrets(in: "hunter2-hunter2") == "hunter2-hunter2")
        configuration.redactedVariables = ["NO*", "OPSCRIPT_?EST_*TOKEN"]
        let text = ScriptEngine(configuration).hidingSecrets(in: "hunter2-hunter2 1234567890 hunter3")
        #expect(text == "••• 1234567890 hunter3")
    }
}
