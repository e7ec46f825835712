internal import Synchronization

/// The values of an engine that no text of OpScript shows. From any thread.
///
/// A value is searched for where a text is made that leaves the engine, or that shows a name or an error; see
/// decision 0075. Without a value, a search is one check.
package final class Secrets: Sendable {
    private let hasSome = Atomic<Bool>(false)
    private let table = Mutex(SecretTable())

    package init() {}

    /// Whether there are none.
    @inline(__always)
    package var isEmpty: Bool { !hasSome.load(ordering: .acquiring) }

    /// Hides a value in all later texts.
    ///
    /// - Throws: Code `argument` if it is too short or too long, `limit` if there are too many.
    package func add(_ value: [UInt8]) throws(ScriptError) {
        let count = SecretTable.trimmed(value).count
        guard count >= SecretTable.leastBytes else {
            throw ScriptError(
                .argument,
                "a secret needs at least \(SecretTable.leastBytes) bytes beside white space, got \(count): "
                    + "a shorter one would be hidden in words that have nothing to do with it"
            )
        }
        guard count <= SecretTable.mostBytes else {
            throw ScriptError(
                .argument,
                "a secret has at most \(SecretTable.mostBytes) bytes, got \(count)"
            )
        }
        guard table.withLock({ $0.add(value) }) else {
            throw ScriptError(.limit, "there are more than \(SecretTable.mostValues) secrets")
        }
        hasSome.store(true, ordering: .releasing)
    }

    // MARK: Hiding

    /// The bytes that stand in place of a secret.
    package static let dots = Array(SecretTable.dots.utf8)

    /// The text with dots in place of each secret.
    @inline(__always)
    package func hidden(in text: String) -> String { isEmpty ? text : replaced(in: text) }

    /// The same for bytes.
    @inline(__always)
    package func hidden(in bytes: [UInt8]) -> [UInt8] {
        if isEmpty { return bytes }
        let places = places(in: bytes)
        return places.isEmpty ? bytes : Self.bytes(bytes[...], without: places)
    }

    /// The places of secrets in bytes, in order; they do not overlap.
    package func places(in bytes: [UInt8]) -> [Range<Int>] {
        if isEmpty { return [] }
        let table = current
        return bytes.withUnsafeBufferPointer { table.places(in: $0) }
    }

    /// The secrets of this moment.
    var current: SecretTable { table.withLock { $0 } }

    @inline(never)
    private func replaced(in text: String) -> String {
        let table = current
        var text = text
        let hidden = text.withUTF8 { bytes -> [UInt8]? in
            let places = table.places(in: bytes)
            return places.isEmpty ? nil : Self.bytes(bytes, without: places)
        }
        return hidden.map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// Bytes whose first one has the index 0, with dots in place of ranges.
    static func bytes(_ bytes: some RandomAccessCollection<UInt8>, without places: [Range<Int>]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes[...]
        var next = 0
        for place in places {
            result += rest.prefix(place.lowerBound - next)
            result += dots
            rest = rest.dropFirst(place.upperBound - next)
            next = place.upperBound
        }
        return result + rest
    }
}
