import Foundation
import Glibc
import SystemPackage

/// A run of the command that serves its page, and is talked to meanwhile. Its calls block: see ``onOwnThread(_:)``.
final class LiveCommand {
    let port: UInt16
    let token: String
    private let process: ChildProcess
    private var lines: LineReader

    /// Starts the command, and waits for the address of its page.
    init(_ words: [String], folder: FilePath) throws {
        let errors = Pipe()
        process = try ChildProcess(
            CommandRun.commandPath.string,
            words,
            folder: folder.string,
            errors: errors
        )
        lines = LineReader(errors.fileHandleForReading)
        while let line = lines.next() {
            guard let found = line.firstMatch(of: #/http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]+)/#),
                let number = UInt16(found.1)
            else { continue }
            (port, token) = (number, String(found.2))
            return
        }
        throw NoPage()
    }

    deinit {
        process.signal(SIGKILL)
        process.wait()
    }

    struct NoPage: Error {}

    /// The address of the page.
    var page: String { "http://127.0.0.1:\(port)/?token=\(token)" }

    /// A path with the token.
    func path(_ path: String, _ fields: String = "") -> String { "\(path)?token=\(token)\(fields)" }

    /// Reads standard error up to a line that contains a text.
    func waitForLine(containing text: String) throws {
        while let line = lines.next() {
            if line.contains(text) { return }
        }
        throw NoPage()
    }

    /// Ends it as a service manager does. (INT is ignored if a shell has started the tests in the background.)
    func interrupt() { process.signal(SIGTERM) }

    /// Waits for its end, and gives its status.
    func wait() -> Int32 {
        while lines.next() != nil {}
        return process.wait()
    }
}

/// Lines of a pipe, as they come.
struct LineReader {
    private let handle: FileHandle
    private var rest: [UInt8] = []

    init(_ handle: FileHandle) { self.handle = handle }

    mutating func next(endingWith end: UInt8 = UInt8(ascii: "\n")) -> String? {
        while true {
            if let place = rest.firstIndex(of: end) {
                defer { rest.removeSubrange(...place) }
                return String(decoding: rest[..<place], as: UTF8.self)
            }
            let data = handle.availableData
            if data.isEmpty { return nil }
            rest += data
        }
    }
}

/// Calls a closure that blocks on a thread of its own, so that no other test waits for it.
func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}
