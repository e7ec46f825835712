internal import OpScript

/// The coverage of a file.
package struct CoveredFile: Sendable, Equatable {
    /// Its path.
    package var path: String
    /// The lines that can be executed, in order, and how often each was.
    package var lines: [(line: Int, count: UInt32)]

    /// Compares the executed lines with the executable ones; without the text, only the executed lines are
    /// known.
    init(path: String, counts: [UInt32], source: [UInt8]?) {
        self.path = path
        let active =
            source.flatMap { ScriptCoverage.activeLines(of: $0) } ?? counts.indices.filter { counts[$0] > 0 }
        lines = active.map { ($0, $0 < counts.count ? counts[$0] : 0) }
    }

    package static func == (left: CoveredFile, right: CoveredFile) -> Bool {
        left.path == right.path && left.lines.elementsEqual(right.lines, by: ==)
    }

    /// How many lines were executed.
    package var hits: Int { lines.count { $0.count > 0 } }

    /// The lines that were not executed, as `3, 7-9`.
    package var missed: String {
        var parts: [String] = []
        var first: Int?
        var last = 0
        func end() {
            guard let begin = first else { return }
            parts.append(begin == last ? "\(begin)" : "\(begin)-\(last)")
            first = nil
        }
        for (line, count) in lines {
            if count > 0 {
                end()
            } else {
                if first == nil { first = line }
                last = line
            }
        }
        end()
        return parts.joined(separator: ", ")
    }
}

/// The coverage of the files under test.
package struct CoverageReport: Sendable, Equatable {
    /// The files, by path.
    package var files: [CoveredFile] = []

    /// Readable lines: each file with its share of executed lines, and the missed lines.
    package var text: String {
        let known = files.filter { !$0.lines.isEmpty }
        guard !known.isEmpty else { return "coverage: no file under test was loaded\n" }
        let width = known.map(\.path.count).max() ?? 0
        var text = "coverage:\n"
        for file in known {
            let blanks = String(repeating: " ", count: width - file.path.count)
            text += "  \(file.path)\(blanks)  \(Self.part(file.hits, file.lines.count))"
            text += file.missed.isEmpty ? "\n" : "  missed: \(file.missed)\n"
        }
        if known.count > 1 {
            let blanks = String(repeating: " ", count: max(0, width - 5))
            let (hits, lines) = known.reduce((0, 0)) { ($0.0 + $1.hits, $0.1 + $1.lines.count) }
            text += "  total\(blanks)  \(Self.part(hits, lines))\n"
        }
        return text
    }

    /// The same for tools, in the format of lcov.
    package func lcov(from folder: String?) -> String {
        var text = ""
        for file in files where !file.lines.isEmpty {
            let isFull = file.path.hasPrefix("/") || folder == nil
            text += "TN:\nSF:\(isFull ? "" : (folder ?? "") + "/")\(file.path)\n"
            for (line, count) in file.lines { text += "DA:\(line),\(count)\n" }
            text += "LF:\(file.lines.count)\nLH:\(file.hits)\nend_of_record\n"
        }
        return text
    }

    /// ` 92.3 % (12 of 13 lines)`; rounded down, so that 100 means all.
    private static func part(_ hits: Int, _ lines: Int) -> String {
        let tenths = lines == 0 ? 1000 : hits * 1000 / lines
        let number = "\(tenths / 10).\(tenths % 10)"
        return String(repeating: " ", count: 5 - number.count) + "\(number) % (\(hits) of \(lines) lines)"
    }
}
