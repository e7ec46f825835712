import Foundation
import Testing

@testable import OpScript

/// The names of the guides that messages explain, and the manual's table of them.
@Suite struct GuideNamesTests {
    /// The rows of the page: the names in backticks on the left, and the text on the right.
    private static func rows() throws -> [(names: [String], here: String)] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = try String(contentsOf: root.appending(path: "docs/manual/apple-guide.md"), encoding: .utf8)
        return page.split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { line in
                let cells = line.dropFirst(2).split(separator: " | ")
                let names = cells[0].split(separator: "`", omittingEmptySubsequences: false).enumerated()
                    .filter { $0.offset % 2 == 1 }.map {
                        String($0.element.prefix { $0 != ":" && $0 != "…" })
                    }
                return (names, cells.dropFirst().joined(separator: " | ").replacing("`", with: ""))
            }
    }

    @Test func `explanations in messages are those of the manual's table`() throws {
        let rows = try Self.rows()
        #expect(rows.count > 60)
        for (names, remedy) in GuideNames.table {
            for name in names.split(separator: " ").map(String.init) {
                // `_enter` in the table means the name above it with this ending.
                let row = rows.first { row in
                    row.names.contains { $0 == name || $0.hasPrefix("_") && name.hasSuffix($0) }
                        && row.here.contains(remedy)
                }
                #expect(row != nil, "the manual does not say '\(name)': '\(remedy)'")
            }
        }
    }

    @Test func `names of functions in the table are explained by messages`() throws {
        let functions = try Self.rows().flatMap(\.names).filter {
            $0.hasPrefix("dispatch_") && !$0.hasSuffix("_")
        }
        #expect(functions.count > 40)
        for name in functions
        where !["dispatch_io_set_low_water", "dispatch_io_barrier", "dispatch_io_close"].contains(name) {
            #expect(GuideNames.remedy(for: name) != nil, "\(name)")
        }
    }
}
