internal import LuaVM
internal import Scheduling

/// How many operations of a queue start in a time, and how many of one key execute at once.
///
/// Both are resources of the scheduler that belong to the queue alone: a start takes one of the first kind, which comes
/// back after a time, and an execution holds one of the second kind. Confined to the script thread.
final class QueueRate {
    /// A value that the function `key` has returned.
    enum Key: Hashable {
        case text([UInt8])
        case integer(Int)
        case number(Double)
        case boolean(Bool)

        /// The key in a message.
        var text: String {
            switch self {
            case .text(let bytes): "'\(String(decoding: bytes, as: UTF8.self))'"
            case .integer(let number): "\(number)"
            case .number(let number): format(seconds: number)
            case .boolean(let flag): "\(flag)"
            }
        }
    }

    /// Distinguishes the rates of an engine, so that each has resources of its own.
    let number: Int
    /// How many operations start in `term`; nil for any number.
    let starts: Int?
    /// Nanoseconds.
    let term: Int64
    let hasKey: Bool
    /// How many operations of one key execute at once; nil for any number.
    let widthPerKey: Int?
    /// The resources that exist, by key; those without a key are under nil.
    private var needs: [Key?: [(name: String, amount: Int)]] = [:]

    init(number: Int, starts: Int?, term: Int64, hasKey: Bool, widthPerKey: Int?) {
        self.number = number
        self.starts = starts
        self.term = term
        self.hasKey = hasKey
        self.widthPerKey = widthPerKey
    }

    /// The resources that an operation needs.
    ///
    /// - Parameter make: Makes a resource; called for each once.
    func needs(
        _ key: Key?,
        in queue: String,
        make: (_ name: String, _ total: Int, _ term: Int64) -> Void
    ) -> [(name: String, amount: Int)] {
        if let known = needs[key] { return known }
        var made: [(name: String, amount: Int)] = []
        func add(_ text: String, _ total: Int, _ term: Int64) {
            let name = Self.name(number, key.map { "\(text) for \($0.text)" } ?? text)
            make(name, total, term)
            made.append((name, 1))
        }
        if let starts { add("the rate of queue '\(queue)'", starts, term) }
        if let widthPerKey, key != nil {
            add("a place (widthPerKey \(widthPerKey)) in queue '\(queue)'", widthPerKey, 0)
        }
        needs[key] = made
        return made
    }

    /// The name of a resource of one queue begins with a zero; its words come after another one.
    private static func name(_ number: Int, _ words: String) -> String { "\0\(number)\0\(words)" }

    /// A resource in a message: `the resource 'gpu'`, or the words of a rate.
    static func text(ofResource name: String) -> String {
        guard name.utf8.first == 0, let words = name.split(separator: "\0").last else {
            return "the resource '\(name)'"
        }
        return String(words)
    }
}
