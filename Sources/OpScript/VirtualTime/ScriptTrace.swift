/// What happens in a run, as lines of text that are the same bytes for the same run.
///
/// `3600.5 finished fetch#12 succeeded`: the virtual second, what happened, the name and the number of the operation or
/// timer, and how it ended. Numbers count operations, and timers, as they appear. Confined to the script thread.
final class ScriptTrace: EventSink {
    private let write: @Sendable (String) -> Void
    private var numbers: [UInt64: Int] = [:]
    private var operationCount = 0
    private var timerCount = 0
    private var start: Int64 = 0

    init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    /// A run begins: times and numbers count from here.
    func begin(at moment: Int64, seed: UInt64?) {
        start = moment
        numbers = [:]
        operationCount = 0
        timerCount = 0
        write("# opscript trace 1" + (seed.map { ", seed \($0)" } ?? ""))
    }

    func note(_ kind: ScriptEvent.Kind, _ name: String, _ identity: UInt64, at moment: Int64) {
        let what: String
        var end = ""
        switch kind {
        case .added: what = "added"
        case .ready: what = "ready"
        case .started: what = "started"
        case .cancelled: what = "cancelled"
        case .fired: what = "fired"
        case .finished(let outcome):
            what = "finished"
            end = " \(outcome.rawValue)"
        case .lost: return
        }
        write("\(Self.seconds(moment - start)) \(what) \(Self.escaped(name))#\(number(identity))\(end)")
        if case .finished = kind { numbers[identity] = nil }
    }

    /// A line of `print`, without its newline.
    func notePrint(_ text: String, at moment: Int64) {
        write("\(Self.seconds(moment - start)) printed \(Self.escaped(text))")
    }

    private func number(_ identity: UInt64) -> Int {
        if let number = numbers[identity] { return number }
        let number: Int
        if identity >> 63 == 0 {
            operationCount += 1
            number = operationCount
        } else {
            timerCount += 1
            number = timerCount
        }
        numbers[identity] = number
        return number
    }

    /// Nanoseconds as seconds, exactly, without zeros at the end.
    static func seconds(_ nanoseconds: Int64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        if rest == 0 { return "\(whole)" }
        let digits = String(rest.magnitude)
        var text = String(repeating: "0", count: 9 - digits.count) + digits
        while text.hasSuffix("0") { text.removeLast() }
        return "\(nanoseconds < 0 && whole == 0 ? "-" : "")\(whole).\(text)"
    }

    /// The text on one line.
    private static func escaped(_ text: String) -> String {
        guard text.contains(where: { $0.isNewline || $0 == "\\" }) else { return text }
        return text.replacing("\\", with: "\\\\").replacing("\r\n", with: "\\r\\n")
            .replacing("\n", with: "\\n").replacing("\r", with: "\\r")
    }
}
