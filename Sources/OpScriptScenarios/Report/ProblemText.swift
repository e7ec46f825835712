internal import OpScript

/// The lines that describe one problem, with the differences between the expected and the actual value.
package struct ProblemText {
    private let style: TextStyle

    /// The lines without colours, not indented.
    package static func plainLines(_ problem: ScenarioProblem) -> [String] {
        ProblemText(TextStyle(isColoured: false)).lines(problem).map { String($0.dropFirst(2)) }
    }

    init(_ style: TextStyle) { self.style = style }

    /// Indented by two blanks.
    func lines(_ problem: ScenarioProblem) -> [String] {
        var lines: [String] = []
        if !problem.context.isEmpty { lines.append("in \(VisibleText.line(problem.context)):") }
        var message = problem.message
        if let place = problem.place, !message.hasPrefix("\(place):") { message = "\(place): \(message)" }
        lines += message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines += difference(problem)
        if let traceback = problem.traceback, isWorthShowing(traceback, beside: message) {
            lines += traceback.split(separator: "\n").map { style.faint(String($0).replacingTabs) }
        }
        return lines.map { "  \($0)" }
    }

    /// A traceback of one level repeats the place in front of the message.
    private func isWorthShowing(_ traceback: String, beside message: String) -> Bool {
        traceback.split(separator: "\n").count > 2
            || !message.contains(where: { $0 == ":" })
    }

    private func difference(_ problem: ScenarioProblem) -> [String] {
        guard let wanted = problem.expected else {
            return problem.actual.map { labelled("actual:", $0) } ?? []
        }
        guard let found = problem.actual else { return labelled("expected:", wanted) }
        let (expected, actual) = Self.withLines(wanted, found)
        if !expected.contains("\n"), !actual.contains("\n") {
            return ["  expected: " + style.green(expected), "  actual:   " + style.red(actual)]
        }
        return ["  \(style.green("- expected"))  \(style.red("+ actual"))"]
            + LineDifference.shortened(LineDifference.lines(from: expected, to: actual)).map { line in
                switch line {
                case .left(let count): style.faint("    … \(count) more equal lines")
                case .same(let text): "    \(text)"
                case .removed(let text): "  \(style.green("- \(text)"))"
                case .added(let text): "  \(style.red("+ \(text)"))"
                }
            }
    }

    /// Two texts of Lua values, with each of their lines on a line of its own, if both have several lines.
    private static func withLines(_ expected: String, _ actual: String) -> (String, String) {
        func isText(_ value: String) -> Bool {
            value.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"") && !value.contains("\n")
        }
        guard isText(expected), isText(actual), expected.contains("\\n"), actual.contains("\\n") else {
            return (expected, actual)
        }
        return (lines(of: expected), lines(of: actual))
    }

    private static func lines(of text: String) -> String {
        var result = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                result += character == "n" ? "\\n\n" : "\\\(character)"
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
            }
        }
        return result
    }

    private func labelled(_ label: String, _ text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.count == 1 { return ["  \(label) \(text)"] }
        return ["  \(label)"] + lines.map { "    \($0)" }
    }
}

extension String {
    fileprivate var replacingTabs: String {
        self.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "  ")
    }
}
