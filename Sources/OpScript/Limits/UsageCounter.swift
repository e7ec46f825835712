internal import Synchronization

/// Counts how many of something a script has at once, up to a limit. From any thread.
package final class UsageCounter: Sendable {
    private let what: String
    /// nil for any number.
    let limit: Int?
    private let used = Atomic<Int>(0)

    /// - Parameter what: Their plural in messages: `isolates`.
    init(of what: String, limit: Int?) {
        self.what = what
        self.limit = limit.map { max(0, $0) }
    }

    var count: Int { used.load(ordering: .relaxed) }

    /// Whether one more would be within the limit.
    var hasRoom: Bool { limit.map { count < $0 } ?? true }

    /// Counts one more.
    ///
    /// - Throws: Code `limit`, if there are as many as the limit allows. Then it is not counted.
    package func begin() throws(ScriptError) {
        let now = used.wrappingAdd(1, ordering: .relaxed).newValue
        guard let limit, now > limit else { return }
        used.wrappingSubtract(1, ordering: .relaxed)
        throw .engineLimit(message)
    }

    /// Counts one more that exists already.
    func beginAnyway() { used.wrappingAdd(1, ordering: .relaxed) }

    /// Counts one less.
    package func end() { used.wrappingSubtract(1, ordering: .relaxed) }

    /// The error's text.
    var message: String { "the script has more \(what) at once than its limit allows (\(limit ?? .max))" }
}
