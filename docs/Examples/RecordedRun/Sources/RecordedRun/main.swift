import Foundation
import OpScript
import OpScriptRecord

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 2 else { fatalError("usage: RecordedRun SCRIPT PAGE") }

var configuration = ScriptEngine.Configuration()
configuration.recordsRuns = true
// The example shows the same on each machine.
configuration.clock = .virtual
let engine = ScriptEngine(configuration)

let operations = engine.record
let reader = Task {
    for await operation in operations {
        print("\(operation.name) ended after \(Double(operation.ended ?? 0) / 1e9) s")
    }
}
let report = try await engine.run(file: arguments[0])
engine.shutdown()
await reader.value

if let record = report.record {
    let path = record.criticalPath()
    let names = path.operations.map { record.operations[$0].name }
    print("\(Double(path.total) / 1e9) s: \(names.joined(separator: ", "))")
    guard let page = OutputStream(toFileAtPath: arguments[1], append: false) else {
        fatalError("no such folder")
    }
    page.open()
    try record.write(.html) { bytes in
        if page.write(bytes, maxLength: bytes.count) < bytes.count { throw CocoaError(.fileWriteUnknown) }
    }
    page.close()
}
