#if canImport(Glibc)
import Glibc
#endif
import OpScript
import OpScriptWorks

var configuration = ScriptEngine.Configuration()
configuration.libraries = .all
let engine = ScriptEngine(configuration)
engine.registerStandardWorks()
do {
    let report = try await engine.run(file: CommandLine.arguments[1], arguments: Array(CommandLine.arguments.dropFirst(2)))
    for f in report.failures where !f.isHandled { print("failed:", f.name, f.createdAt, f.message) }
    for s in report.stuck + report.neverAdded { print(s) }
    exit(report.exitCode)
} catch { print("error:", error); exit(1) }
