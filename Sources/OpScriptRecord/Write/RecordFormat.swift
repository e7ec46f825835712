/// A form in which a record can be written.
public enum RecordFormat: String, Sendable, CaseIterable {
    /// A line of JSON for the run and one for each operation.
    case jsonLines = "jsonl"
    /// The graph of operations, for Graphviz.
    case dot
    /// The graph of operations, for Mermaid.
    case mermaid = "mmd"
    /// The native format of Perfetto: <https://ui.perfetto.dev>.
    case perfetto = "pftrace"
    /// A page that needs nothing else.
    case html

    /// The format for a file name's ending; nil for an unknown one.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: "."), fileName[dot...].count > 1 else { return nil }
        self.init(rawValue: fileName[fileName.index(after: dot)...].lowercased())
    }
}

extension RunRecord {
    /// Writes the record.
    ///
    /// The same record produces the same bytes.
    /// - Parameters:
    ///   - format: The form.
    ///   - receive: Receives the bytes, about a quarter of a megabyte at a time.
    /// - Throws: The error of `receive`.
    public func write(_ format: RecordFormat, to receive: @escaping ([UInt8]) throws -> Void) throws {
        let output = ByteOutput(receive)
        switch format {
        case .jsonLines: try JSONLinesWriter(self, output).write()
        case .dot: try GraphWriter(self, output).writeDot()
        case .mermaid: try GraphWriter(self, output).writeMermaid()
        case .perfetto: try PerfettoWriter(self, output).write()
        case .html: try PageWriter(self, output).write()
        }
        try output.flush()
    }

    /// Writes the graph for Graphviz to draw: a large one with the operations of one name as one node.
    package func writeDotToDraw(to receive: @escaping ([UInt8]) throws -> Void) throws {
        let output = ByteOutput(receive)
        let writer = GraphWriter(self, output)
        if operations.count > GraphWriter.foldingLimit {
            try writer.writeFoldedDot()
        } else {
            try writer.writeDot()
        }
        try output.flush()
    }
}
