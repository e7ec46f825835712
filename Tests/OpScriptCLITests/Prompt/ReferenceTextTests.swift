import Foundation
import SystemPackage
import Testing

@testable import OpScriptCLI

/// The texts of `help` are those of docs/manual/reference.md. `OPSCRIPT_WRITE_CONTRACT=1` writes them anew.
@Suite struct ReferenceTextTests {
    /// The parts, each a file, with the sections of the page.
    private static let parts: [(name: String, sections: [String])] = [
        ("Operations", ["Operation", "OperationQueue", "Timer"]),
        (
            "Dispatch",
            ["DispatchQueue", "DispatchGroup", "DispatchSemaphore", "DispatchWorkItem", "DispatchSource"]
        ),
        ("Functions", ["Thread", "Progress", "Observations", "Functions", "Data"]),
    ]

    /// The rows of the page: a section, then its calls (`C`) and properties (`P`).
    private static func rows(of sections: [String]) throws -> [String] {
        let path = SourceTree.root.appending("docs/manual/reference.md").string
        let page = try String(contentsOfFile: path, encoding: .utf8)
        var rows: [String] = []
        var section = ""
        var header: [String] = []
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("## ") {
                section = String(line.dropFirst(3))
                if sections.contains(section) { rows.append("# \(section)") }
            }
            guard line.hasPrefix("| "), sections.contains(section) else {
                if !line.hasPrefix("|") { header = [] }
                continue
            }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard !header.isEmpty else {
                header = cells
                continue
            }
            let isProperty = header[0] == "property"
            let kept = isProperty && header.count == 5 ? [cells[0], cells[1], cells[2], cells[4]] : cells
            rows.append(([isProperty ? "P" : "C"] + kept.map(plain)).joined(separator: " | "))
        }
        return rows
    }

    /// Without links and the marks of code.
    private static func plain(_ cell: String) -> String {
        cell.replacing(#/\[([^\]\[]*)\]\([^)]*\)/#) { $0.output.1 }
            .replacing("⏳", with: "waits:").replacing("`", with: "")
    }

    private static func source(_ name: String, _ rows: [String]) -> String {
        var lines = [
            "extension ReferenceText {",
            "    /// Rows of docs/manual/reference.md, which ReferenceTextTests writes.",
            "    static let \(name.lowercased()) = #\"\"\"",
        ]
        for row in rows {
            var line = "       "
            for word in row.split(separator: " ") {
                if line.unicodeScalars.count + word.unicodeScalars.count > 112 {
                    lines.append(line + " \\#")
                    line = "       "
                }
                line += " " + word
            }
            lines.append(line)
        }
        return (lines + ["        \"\"\"#", "}", ""]).joined(separator: "\n")
    }

    @Test func `help has the rows of the reference`() throws {
        let folder = SourceTree.root.appending("Sources/OpScriptCLI/Prompt")
        for (name, sections) in Self.parts {
            let text = Self.source(name, try Self.rows(of: sections))
            let path = folder.appending("ReferenceText+\(name).swift").string
            if ProcessInfo.processInfo.environment["OPSCRIPT_WRITE_CONTRACT"] != nil {
                try text.write(toFile: path, atomically: true, encoding: .utf8)
            }
            #expect(
                try String(contentsOfFile: path, encoding: .utf8) == text,
                "OPSCRIPT_WRITE_CONTRACT=1 with this test writes \(path)"
            )
        }
    }
}
