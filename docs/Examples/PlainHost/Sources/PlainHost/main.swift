import OpScript

/// A work of the program: the number of words of a line, after a delay.
struct Line: Codable {
    var number: Int
    var words: Int
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard let script = arguments.first else {
    fatalError("usage: PlainHost SCRIPT [ARGUMENT…]")
}

let engine = ScriptEngine()
engine.register("count", "Counts the words of a line.", parameters: ["number", "text"]) {
    (number: Int, text: String) -> Line in
    Line(number: number, words: text.split(separator: " ").count)
}
engine.register("greet", "Takes its time, and no thread.") {
    (context: WorkContext, name: String) async throws in
    try await Task.sleep(for: .milliseconds(1))
    return "hello, \(name), from '\(context.name)'"
}

do {
    let report = try await engine.run(file: script, arguments: Array(arguments.dropFirst()))
    print("\(report.succeeded) succeeded, \(report.failed) failed, status \(report.exitCode)")
    for failure in report.failures {
        print("'\(failure.name)' (\(failure.createdAt)): \(failure.message)")
    }
} catch let error as ScriptError {
    print("\(error.code): \(error.message)")
}
