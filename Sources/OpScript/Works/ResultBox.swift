internal import Synchronization

/// The box from which Swift closures read the result of an operation that they take as an argument.
class ResultBox: ScriptObject, @unchecked Sendable {
    // @unchecked because `lock` guards the content until the operation has ended; after that it does not change. A
    // script may remove the dependency that came with an argument: then another closure reads while this one writes.
    static let scriptTypeName = "operation"
    static let scriptPropertyNames: [String] = []

    private enum Content {
        case empty
        case value(ScriptValue)
        /// Several results; other operations get the first.
        case values([ScriptValue])
        // Rare and large: in memory of its own.
        indirect case refused(ScriptConversionError)
    }

    let lock = Mutex(())
    /// Written while `lock` is held.
    private var content = Content.empty

    func scriptProperty(_ name: String) -> ScriptValue? { nil }

    func set(_ value: ScriptValue) { lock.withLock { _ in content = .value(value) } }

    /// Sets the first of several results, and all of them.
    func set(_ value: ScriptValue, all: [ScriptValue]) {
        lock.withLock { _ in content = all.count > 1 ? .values(all) : .value(value) }
    }

    /// Takes over the results of another box, if it has any.
    func copy(_ other: ResultBox) {
        let content = other.lock.withLock { _ in other.content }
        lock.withLock { _ in self.content = content }
    }

    func refuse(_ error: ScriptConversionError) { lock.withLock { _ in content = .refused(error) } }

    /// The result; nil if there is none (yet).
    func value() throws(ScriptConversionError) -> ScriptValue {
        let content = lock.withLock { _ in self.content }
        switch content {
        case .empty: return .nil
        case .value(let value): return value
        case .values(let values): return values[0]
        case .refused(let error): throw error
        }
    }

    /// The only result; nil if there is none or there are several.
    ///
    /// - Precondition: The body has ended, and the script thread knows it. The result is then final, so no lock is
    ///   needed.
    @inline(__always)
    final func peek() -> ScriptValue? {
        if case .value(let value) = content { return value }
        return nil
    }

    /// All results, if there are several.
    ///
    /// - Precondition: As for ``peek()``.
    final func peekAll() -> [ScriptValue]? {
        if case .values(let values) = content { return values }
        return nil
    }
}

/// Several results of one body.
final class ResultList: ScriptObject {
    static let scriptTypeName = "results"
    static let scriptPropertyNames: [String] = []
    let values: [ScriptValue]

    init(_ values: [ScriptValue]) { self.values = values }

    func scriptProperty(_ name: String) -> ScriptValue? { nil }
}

extension ScriptValue {
    /// The value with every operation in it replaced by its result.
    func filledIn() throws(ScriptConversionError) -> ScriptValue {
        switch self {
        case .object(let object):
            guard let box = object as? ResultBox else { return self }
            return try box.value()
        case .array(let elements):
            var result: [ScriptValue] = []
            result.reserveCapacity(elements.count)
            for element in elements { result.append(try element.filledIn()) }
            return .array(result)
        case .table(let table):
            var entries = table.entries
            for index in entries.indices { entries[index].value = try entries[index].value.filledIn() }
            return .table(ScriptTable(entries))
        default:
            return self
        }
    }
}
