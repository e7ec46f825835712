internal import Scheduling

/// One step in a chain of what waits for what: an operation waits for another one.
struct WaitLink {
    /// The one that is waited for.
    let target: OperationID
    /// The one that waits, as messages call it: its name in quotation marks.
    let waiter: String
    /// `'a' depends on 'b'`
    let text: String

    init(from waiter: String, to target: OperationID, _ text: String) {
        self.waiter = waiter
        self.target = target
        self.text = "\(waiter) \(text)"
    }

    /// How many steps of a chain a message has at most.
    private static let mostSteps = 12

    /// A reason, followed by the chain that leads to it. The middle of a long chain is left out.
    static func text(_ reason: String, _ links: [WaitLink]) -> String {
        guard !links.isEmpty else { return reason }
        var steps = links.map(\.text)
        if steps.count > mostSteps {
            let left = steps.count - mostSteps
            steps.replaceSubrange(mostSteps / 2..<mostSteps / 2 + left, with: ["(\(left) more)"])
        }
        return "\(reason): \(steps.joined(separator: "; "))"
    }
}
