#if canImport(Glibc)
import Glibc
#endif
import OpScript
import OpScriptWorks

func say(_ text: String) { var t = text + "\n"; t.withUTF8 { _ = write(2, $0.baseAddress, $0.count) } }
var configuration = ScriptEngine.Configuration()
configuration.libraries = .all
let engine = ScriptEngine(configuration)
engine.registerStandardWorks()
do {
    let report = try await engine.run(file: CommandLine.arguments[1], arguments: Array(CommandLine.arguments.dropFirst(2)))
    for f in report.failures where !f.isHandled { say("failed: '\(f.name)' (\(f.createdAt)): \(f.message)") }
    for s in report.stuck + report.neverAdded { say(s) }
    exit(report.exitCode)
} catch { say("error: \(error)\n\((error as? ScriptError)?.traceback ?? "")"); exit(1) }
