internal import OpScriptRecord
internal import Scheduling

/// The events of a run as lines of text, which are the same bytes for the same run.
///
/// `3600.5 finished fetch#12 succeeded`: the virtual second, the kind of event, the name and the number of
/// the operation or timer, and the outcome. Numbers count operations, and timers, as they appear.
final class ScriptTrace: RunSink, @unchecked Sendable {
    // @unchecked because all its state is confined to the script thread, on which a sink is called.
    private let write: @Sendable ([UInt8]) -> Void
    /// For each number in the record: the number in the trace; 0 for an operation that has not appeared.
    private let operations = PlainBuffer<UInt32>()
    private let operationCount = PlainMemory<UInt32>(0)
    private var timers: [UInt32: UInt32] = [:]
    /// For each index of a name in the record: the name on one line; nil if it was not needed yet.
    private let names = PlainMemory<[[UInt8]?]>([])
    private let lines = PlainBuffer<UInt8>(capacity: 1 << 16)

    /// - Parameter write: Receives whole lines, with their newlines.
    init(_ write: @escaping @Sendable ([UInt8]) -> Void) { self.write = write }

    func runBegan(_ run: RunHeader) {
        operations.truncate()
        operationCount.value = 0
        timers = [:]
        names.value = []
        write(Array(("# opscript trace 1" + (run.seed.map { ", seed \($0)" } ?? "") + "\n").utf8))
    }

    func received(_ facts: RunFacts) {
        for fact in facts.facts { append(fact, facts) }
        write(Array(lines.elements))
        lines.truncate()
    }

    private func append(_ fact: RunFact, _ facts: RunFacts) {
        append(seconds: fact.moment)
        switch fact.kind {
        case .added: append(" added ", fact, facts)
        case .ready: append(" ready ", fact, facts)
        case .started: append(" started ", fact, facts)
        case .moved:
            append(" moved ", fact, facts)
            append(Self.escaped(" \(facts.operation(fact.number).runner.text)"))
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
            append(Self.escaped(facts.texts[Int(fact.number)]))
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
        append(name(facts.nameIndex(of: fact.number), facts))
        lines.append(UInt8(ascii: "#"))
        append(UInt64(number(fact.number)))
        append(outcome)
    }

    private func number(_ operation: UInt32) -> UInt32 {
        while operations.count <= operation { operations.append(0) }
        if operations[Int(operation)] == 0 {
            operationCount.value += 1
            operations[Int(operation)] = operationCount.value
        }
        return operations[Int(operation)]
    }

    private func name(_ index: UInt32, _ facts: RunFacts) -> [UInt8] {
        guard index != .max else { return Self.escaped(facts.name(at: index)) }
        while names.value.count <= index { names.value.append(nil) }
        if let known = names.value[Int(index)] { return known }
        let name = Self.escaped(facts.name(at: index))
        names.value[Int(index)] = name
        return name
    }

    private func append(_ text: StaticString) {
        for place in 0..<text.utf8CodeUnitCount { lines.append(text.utf8Start[place]) }
    }

    private func append(_ text: [UInt8]) {
        for byte in text { lines.append(byte) }
    }

    /// - Parameter width: The least number of digits.
    private func append(_ number: UInt64, width: Int = 1) {
        let start = lines.count
        var rest = number
        while rest > 0 || lines.count - start < width {
            lines.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        }
        var digits = UnsafeMutableBufferPointer(rebasing: lines.elements[start...])
        digits.reverse()
    }

    /// Nanoseconds as seconds, exactly, without zeros at the end.
    private func append(seconds nanoseconds: Int64) {
        if nanoseconds < 0 { lines.append(UInt8(ascii: "-")) }
        let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        append(whole)
        if rest == 0 { return }
        lines.append(UInt8(ascii: "."))
        append(rest, width: 9)
        while lines[lines.count - 1] == UInt8(ascii: "0") { lines.truncate(to: lines.count - 1) }
    }

    /// The text on one line.
    private static func escaped(_ text: String) -> [UInt8] {
        guard text.contains(where: { $0.isNewline || $0 == "\\" }) else { return Array(text.utf8) }
        let line = text.replacing("\\", with: "\\\\").replacing("\r\n", with: "\\r\\n")
            .replacing("\n", with: "\\n").replacing("\r", with: "\\r")
        return Array(line.utf8)
    }
}
