internal import OpScriptRecord

/// The events of a run as lines of text, which are the same bytes for the same run.
///
/// `3600.5 finished fetch#12 succeeded`: the virtual second, the kind of event, the name and the number of
/// the operation or timer, and the outcome. Numbers count operations, and timers, as they appear.
final class ScriptTrace: RunSink, @unchecked Sendable {
    // @unchecked because all its state is confined to the script thread, on which a sink is called.
    private let write: @Sendable ([UInt8]) -> Void
    /// For each number in the record: the number in the trace; 0 for an operation that has not appeared.
    private var operations: [UInt32] = []
    private var operationCount: UInt32 = 0
    private var timers: [UInt32: UInt32] = [:]
    /// For each index of a name in the record: the name on one line; nil if it was not needed yet.
    private var names: [[UInt8]?] = []
    private var lines: [UInt8] = []

    /// - Parameter write: Receives whole lines, with their newlines.
    init(_ write: @escaping @Sendable ([UInt8]) -> Void) { self.write = write }

    func runBegan(_ run: RunHeader) {
        operations.removeAll(keepingCapacity: true)
        operationCount = 0
        timers = [:]
        names = []
        write(Array(("# opscript trace 1" + (run.seed.map { ", seed \($0)" } ?? "") + "\n").utf8))
    }

    func received(_ facts: RunFacts) {
        for fact in facts.facts { append(fact, facts) }
        write(lines)
        lines.removeAll(keepingCapacity: true)
    }

    private func append(_ fact: RunFact, _ facts: RunFacts) {
        append(seconds: fact.moment)
        switch fact.kind {
        case .added: append(" added ", fact, facts)
        case .ready: append(" ready ", fact, facts)
        case .started: append(" started ", fact, facts)
        case .retrying: append(" retrying ", fact, facts)
        case .cancelled: append(" cancelled ", fact, facts)
        case .succeeded: append(" finished ", fact, facts, " succeeded")
        case .failed: append(" finished ", fact, facts, " failed")
        case .wasCancelled: append(" finished ", fact, facts, " cancelled")
        case .skipped: append(" finished ", fact, facts, " skipped")
        case .fired:
            append(" fired timer#")
            if timers[fact.number] == nil { timers[fact.number] = UInt32(timers.count + 1) }
            append(UInt64(timers[fact.number] ?? 0))
        case .printed:
            append(" printed ")
            lines += Self.escaped(facts.texts[Int(fact.number)])
        }
        lines.append(UInt8(ascii: "\n"))
    }

    private func append(
        _ what: StaticString,
        _ fact: RunFact,
        _ facts: RunFacts,
        _ outcome: StaticString = ""
    ) {
        append(what)
        lines += name(facts.nameIndex(of: fact.number), facts)
        lines.append(UInt8(ascii: "#"))
        append(UInt64(number(fact.number)))
        append(outcome)
    }

    private func number(_ operation: UInt32) -> UInt32 {
        while operations.count <= operation { operations.append(0) }
        if operations[Int(operation)] == 0 {
            operationCount += 1
            operations[Int(operation)] = operationCount
        }
        return operations[Int(operation)]
    }

    private func name(_ index: UInt32, _ facts: RunFacts) -> [UInt8] {
        guard index != .max else { return Self.escaped(facts.name(at: index)) }
        while names.count <= index { names.append(nil) }
        if let known = names[Int(index)] { return known }
        let name = Self.escaped(facts.name(at: index))
        names[Int(index)] = name
        return name
    }

    private func append(_ text: StaticString) {
        lines.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private func append(_ number: UInt64) {
        let start = lines.count
        var rest = number
        repeat {
            lines.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        lines[start...].reverse()
    }

    /// Nanoseconds as seconds, exactly, without zeros at the end.
    private func append(seconds nanoseconds: Int64) {
        if nanoseconds < 0 { lines.append(UInt8(ascii: "-")) }
        let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        append(whole)
        if rest == 0 { return }
        lines.append(UInt8(ascii: "."))
        let start = lines.count
        append(rest)
        let missing = 9 - (lines.count - start)
        lines.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: missing), at: start)
        while lines.last == UInt8(ascii: "0") { lines.removeLast() }
    }

    /// The text on one line.
    private static func escaped(_ text: String) -> [UInt8] {
        guard text.contains(where: { $0.isNewline || $0 == "\\" }) else { return Array(text.utf8) }
        let line = text.replacing("\\", with: "\\\\").replacing("\r\n", with: "\\r\\n")
            .replacing("\n", with: "\\n").replacing("\r", with: "\\r")
        return Array(line.utf8)
    }
}
