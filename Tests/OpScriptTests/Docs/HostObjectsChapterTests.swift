import Foundation
import OpScript
import Synchronization
import Testing

/// Host objects behave as docs/manual/host-objects.md shows.
struct HostObjectsChapterTests {
    final class Counter: Sendable {
        private let count: Mutex<Int>
        init(_ start: Int) { count = Mutex(start) }
        var value: Int {
            get { count.withLock { $0 } }
            set { count.withLock { $0 = newValue } }
        }
    }

    actor Account {
        private var balance = 0
        func deposit(_ amount: Int) -> Int {
            balance += amount
            return balance
        }
    }

    @Test func `the chapter's script prints the output below it`() async throws {
        let output = Mutex<[UInt8]>([])
        var configuration = ScriptEngine.Configuration()
        configuration.standardOutput = { bytes in output.withLock { $0 += bytes } }
        let engine = ScriptEngine(configuration)
        engine.expose(Counter.self) { type in
            type.initializer { (start: Int) in Counter(start) }
            type.property("value", get: { $0.value }, set: { $0.value = $1 })
            type.method("add") { (counter: Counter, amount: Int) -> Int in
                counter.value += amount
                return counter.value
            }
            type.implement(.length) { (counter: Counter) in counter.value }
            type.implement(.equal) { (a: Counter, b: Counter) in a.value == b.value }
            type.implement(.add) { (a: Counter, b: Int) in Counter(a.value + b) }
            type.implement(.description) { (counter: Counter) in "Counter(\(counter.value))" }
        }
        engine.expose(Account.self) { type in
            type.initializer { Account() }
            type.method("deposit") { (account: Account, amount: Int) async in await account.deposit(amount) }
        }
        let (script, expected) = try Self.example()
        _ = try await engine.run(script, named: "@job.lua")
        #expect(String(decoding: output.withLock { $0 }, as: UTF8.self) == expected)
    }

    /// The first script of the chapter, and the block below it.
    private static func example() throws -> (script: String, output: String) {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "docs/manual/host-objects.md"),
            encoding: .utf8
        )
        let parts = page.components(separatedBy: "```")
        try #require(parts.count > 4 && parts[1].hasPrefix("lua\n") && parts[3].hasPrefix("text\n"))
        return (String(parts[1].dropFirst(4)), String(parts[3].dropFirst(5)))
    }
}
