import OpScript

let engine = ScriptEngine()
let report = try await engine.run(file: CommandLine.arguments[1])
print(report.succeeded, "succeeded")
