import Foundation
import Scheduling
import Synchronization
import Testing

/// The Swift code that the target's README shows is here, too, between two marks, so that it is compiled and
/// run.
@Suite struct SchedulingReadmeTests {
    @Test func `the README's operations run one after the other`() throws {
        let log = Log()
        let load: @Sendable (String) throws -> Void = { log.add("load \($0)") }
        let present: @Sendable (String) -> Void = { log.add("present \($0)") }
        // README begins
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler, name: "images", width: 4)
        let read = ScheduledOperation(scheduler, name: "read") { try load("cat.ppm") }
        let show = ScheduledOperation(scheduler, name: "show") { present("cat.ppm") }
        try show.addDependency(read)
        try queue.add([show, read])
        queue.waitUntilAllOperationsAreFinished()
        // README ends
        #expect(log.lines == ["load cat.ppm", "present cat.ppm"])
    }

    @Test func `the README shows this code`() throws {
        let readme = try String(
            contentsOf: Self.root.appending(path: "Sources/Scheduling/README.md"),
            encoding: .utf8
        )
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let shown = Self.lines(of: readme, from: "```swift", to: "```")
        let run = Self.lines(of: source, from: "// README begins", to: "// README ends")
        #expect(shown.first == "import Scheduling")
        #expect(shown.dropFirst().filter { !$0.isEmpty } == run)
        #expect(run.count == 7)
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

/// The events, in order.
private final class Log: Sendable {
    private let entries = Mutex<[String]>([])

    func add(_ line: String) { entries.withLock { $0.append(line) } }

    var lines: [String] { entries.withLock { $0 } }
}
