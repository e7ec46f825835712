/// Writes the graph of operations, with outcomes and times, for programs that draw graphs.
struct GraphWriter {
    /// More operations than this are drawn by name, since a graph of single operations would be unreadable.
    static let foldingLimit = 1000

    private let record: RunRecord
    private let output: ByteOutput
    private let path: CriticalPath

    init(_ record: RunRecord, _ output: ByteOutput) {
        self.record = record
        self.output = output
        path = record.criticalPath()
    }

    // MARK: Graphviz

    func writeDot() throws {
        beginDot()
        let marked = Set(path.operations)
        for operation in record.operations {
            output.append(text: "  o\(operation.number) [label=\"\(Self.dot(operation.name))")
            if operation.started != nil { output.append(text: "\\n\(PlainSeconds.text(operation.duration))") }
            output.append(text: "\", \(Self.look(operation.outcome))")
            if marked.contains(operation.number) { output.append(", penwidth=3") }
            output.append("];\n")
            try output.flushIfLarge()
        }
        for operation in record.operations {
            for dependency in operation.dependencies {
                output.append(text: "  o\(dependency.operation) -> o\(operation.number)")
                if dependency.condition != .notFailed {
                    output.append(text: " [label=\"\(dependency.condition.text)\", style=dashed]")
                }
                output.append(";\n")
            }
            try output.flushIfLarge()
        }
        output.append("}\n")
    }

    func writeFoldedDot() throws {
        let graph = FoldedGraph(record, path)
        beginDot()
        for (place, node) in graph.nodes.enumerated() {
            let count = node.count == 1 ? "" : " × \(node.count)"
            output.append(text: "  n\(place) [label=\"\(Self.dot(node.name))\(count)\\n")
            output.append(text: "\(PlainSeconds.text(node.total))\", ")
            output.append(text: Self.look(node.failed > 0 ? .failed : node.other > 0 ? .skipped : .succeeded))
            if node.isOnPath { output.append(", penwidth=3") }
            output.append("];\n")
            try output.flushIfLarge()
        }
        for (edge, count) in graph.edges {
            output.append(text: "  n\(edge.from) -> n\(edge.to)")
            if count > 1 { output.append(text: " [label=\"\(count)\"]") }
            output.append(";\n")
        }
        output.append("}\n")
    }

    private func beginDot() {
        output.append(
            "digraph run {\n  rankdir=LR;\n  node [shape=box, style=filled, fontname=\"sans-serif\"];\n"
        )
        output.append(text: "  label=\"\(Self.dot(record.name)): \(Self.dot(record.end.text)), ")
        output.append(text: "\(PlainSeconds.text(record.duration))\";\n")
    }

    private static func look(_ outcome: RecordedOutcome?) -> String {
        switch outcome {
        case .succeeded: "fillcolor=\"#dcecdc\", color=\"#2e6b34\""
        case .failed: "fillcolor=\"#f6d5d5\", color=\"#a11616\""
        case .cancelled, .skipped: "fillcolor=\"#e8e8e8\", color=\"#666666\""
        case nil: "fillcolor=\"#ffffff\", color=\"#666666\", style=\"filled,dashed\""
        }
    }

    /// The text inside of a quoted string of Graphviz.
    private static func dot(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            // Graphviz reads entities in labels.
            case "&": result += "&amp;"
            default: result.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7f ? " " : scalar)
            }
        }
        return result
    }

    // MARK: Mermaid

    func writeMermaid() throws {
        output.append("flowchart LR\n")
        for operation in record.operations {
            output.append(text: "  o\(operation.number)[\"\(Self.mermaid(operation.name))")
            if operation.started != nil {
                output.append(text: "<br/>\(PlainSeconds.text(operation.duration))")
            }
            output.append(text: "\"]:::\(operation.outcome?.text ?? "unfinished")\n")
            try output.flushIfLarge()
        }
        for operation in record.operations {
            for dependency in operation.dependencies {
                let arrow = dependency.condition == .notFailed ? "-->" : "-. \(dependency.condition.text) .->"
                output.append(text: "  o\(dependency.operation) \(arrow) o\(operation.number)\n")
            }
            try output.flushIfLarge()
        }
        output.append("  classDef succeeded fill:#dcecdc,stroke:#2e6b34,color:#000\n")
        output.append("  classDef failed fill:#f6d5d5,stroke:#a11616,color:#000\n")
        output.append("  classDef cancelled fill:#e8e8e8,stroke:#666,color:#000\n")
        output.append("  classDef skipped fill:#e8e8e8,stroke:#666,color:#000\n")
        output.append("  classDef unfinished fill:#fff,stroke:#666,color:#000,stroke-dasharray:4\n")
    }

    /// The text inside of a quoted label of Mermaid: characters with a meaning there are written as entities.
    private static func mermaid(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "<br/>"
            case "\"", "#", "&", "<", ">", "`", "\\", ";", "*", "_", "[", "]": result += "#\(scalar.value);"
            default: result.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7f ? " " : scalar)
            }
        }
        return result
    }
}
