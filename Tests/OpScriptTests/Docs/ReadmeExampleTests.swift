import Foundation
import OpScript
import Testing

/// The Swift code that README.md shows is here, too, between two marks, so that it is compiled and run.
@Suite struct ReadmeExampleTests {
    @Test func `the README's engine runs its script`() async throws {
        // README begins
        let engine = ScriptEngine()
        engine.register("greet", "Returns a greeting.") { (name: String) in "hello, \(name)" }
        let report = try await engine.run(code: "print(await(work.greet('world')))")
        // README ends
        #expect(report.steps == 1)
        #expect(report.failed == 0)
    }

    @Test func `the README shows this code`() throws {
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let shown = Self.lines(of: readme, from: "```swift", to: "```")
        let run = Self.lines(of: source, from: "// README begins", to: "// README ends")
        #expect(shown.first == "import OpScript")
        #expect(shown.dropFirst().filter { !$0.isEmpty } == run)
        #expect(run.count == 3)
    }

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The lines between two marks, without the blanks around them.
    private static func lines(of text: String, from begin: String, to end: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .drop { $0 != begin }.dropFirst()
            .prefix { $0 != end }
            .map { $0 }
    }
}
