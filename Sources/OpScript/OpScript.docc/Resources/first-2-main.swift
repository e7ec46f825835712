import OpScript

let engine = ScriptEngine()
let report = try await engine.run(file: CommandLine.arguments.dropFirst().first ?? "job.lua")
print(report.succeeded, "succeeded")
