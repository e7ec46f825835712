internal import Glibc

/// `OpScriptBench SHAPE N [REPETITIONS]`: runs a shape and prints a line `SHAPE N VALUE` for each repetition.
///
/// With a number of repetitions, a smaller run comes first, to warm up; without it, the shape runs once,
/// cold. VALUE is the nanoseconds or bytes of all N operations together, or the nanoseconds of one operation
/// if a wait is timed. A shape that did not do all its work prints no line: its error goes to standard error,
/// and the status is 1.
@main
struct OpScriptBench {
    @MainActor
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            let line = Array("OpScriptBench: \(error)\n".utf8)
            _ = write(STDERR_FILENO, line, line.count)
            exit(1)
        }
    }

    @MainActor
    private static func run(_ arguments: [String]) async throws {
        guard let name = arguments.first, name != "--help" else {
            let names = Shape.all.map { "  \($0.name)" }.joined(separator: "\n")
            print(
                """
                usage: OpScriptBench SHAPE N [REPETITIONS]
                       OpScriptBench launch N OUTPUT COMMAND [ARGUMENT…]
                shapes:
                \(names)
                """
            )
            return
        }
        guard arguments.count > 1, let n = Int(arguments[1]), n > 0 else {
            throw BenchError("'\(name)' needs a number of operations, at least 1")
        }
        if name == "launch" {
            let launch = try TimedCommand(Array(arguments.dropFirst(2)))
            print("launch \(n) \(try launch.run(times: n))")
            return
        }
        guard let shape = Shape.all.first(where: { $0.name == name }) else {
            throw BenchError("there is no shape '\(name)'; OpScriptBench --help lists them")
        }
        guard n > 2 else { throw BenchError("a shape needs at least 3 operations, not \(n)") }
        guard arguments.count > 2 else {
            print("\(name) \(n) \(try await shape.measure(n))")
            return
        }
        guard let repetitions = Int(arguments[2]), repetitions > 0 else {
            throw BenchError("'\(arguments[2])' is not a number of repetitions")
        }
        guard shape.canRepeat else {
            throw BenchError(
                "'\(name)' cannot repeat: memory that a process has freed is taken again, and not counted"
            )
        }
        _ = try await shape.measure(min(n, 10_000))
        for _ in 0..<repetitions { print("\(name) \(n) \(try await shape.measure(n))") }
    }
}
