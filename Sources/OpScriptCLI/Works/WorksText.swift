internal import OpScript

/// The texts of `opscript works`.
enum WorksText {
    /// One line for each work.
    static func list(_ works: [WorkDescription]) -> String {
        let column = (works.map(\.name.count).max() ?? 0) + 2
        return works.map { work in
            let line = work.name + String(repeating: " ", count: column - work.name.count) + work.summary
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }

    /// The call of a work, its description and its parameters.
    static func details(_ work: WorkDescription) -> String {
        var text = "work.\(work.name)(\(parameters(work)))\n"
        if !work.summary.isEmpty { text += "\n\(work.summary)\n" }
        if !work.parameters.isEmpty {
            text += "\nPARAMETERS:\n"
            let column = (work.parameters.map(\.name.count).max() ?? 0) + 2
            for parameter in work.parameters {
                let gap = String(repeating: " ", count: column - parameter.name.count)
                text +=
                    "  \(parameter.name)\(gap)\(parameter.type)\(parameter.isOptional ? ", optional" : "")\n"
            }
        }
        return text
    }

    /// `path [, options]`
    private static func parameters(_ work: WorkDescription) -> String {
        var text = ""
        for parameter in work.parameters {
            let separator = text.isEmpty ? "" : ", "
            text +=
                parameter.isOptional
                ? (text.isEmpty ? "[\(parameter.name)]" : " [\(separator)\(parameter.name)]")
                : separator + parameter.name
        }
        if work.isVariadic { text += text.isEmpty ? "…" : ", …" }
        return text
    }
}
