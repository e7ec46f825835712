import Foundation
import Testing

@testable import OpScript

/// The tables of docs/manual/reference.md say what the descriptors of the types say: all names, no others, their
/// parameters, what properties take, and until when they can be set.
@Suite("The manual's reference") struct ManualTablesTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/manual/reference.md")

    private static func text() throws -> String { try String(contentsOf: page, encoding: .utf8) }

    // Without the trait, 'http.get' has other types of arguments.
    #if HTTP
    @Test func `the generated cells are those of the descriptors`() throws {
        let text = try Self.text()
        let expected = try ReferencePage.regenerated(text)
        if ProcessInfo.processInfo.environment["OPSCRIPT_WRITE_CONTRACT"] != nil {
            try expected.write(to: Self.page, atomically: true, encoding: .utf8)
        }
        #expect(
            try Self.text() == expected,
            "OPSCRIPT_WRITE_CONTRACT=1 writes the generated cells again; write the other cells by hand"
        )
    }
    #endif

    @Test func `every row has a description`() throws {
        let rows = ReferencePage.emptyRows(in: try Self.text())
        #expect(rows.isEmpty, "these rows of docs/manual/reference.md have no description")
    }

    @Test func `every type and every function is in the page`() throws {
        let names = ReferencePage.tableNames(in: try Self.text())
        for type in ScriptType.all {
            #expect(names.contains("calls of \(type.name)"), "there is no table of the calls of \(type.name)")
            #expect(type.members.isEmpty || names.contains("properties of \(type.name)"), "\(type.name)")
        }
        let functions = Set(names.flatMap { $0.split(separator: " ").map(String.init) })
        let constructors = ScriptType.all.flatMap(\.constructors).map(\.name.description)
        let types = Set(ScriptType.all.map(\.name) + constructors)
        for call in ScriptCall.all where !types.contains(String(call.path.prefix { $0 != ":" && $0 != "." }))
        {
            #expect(functions.contains(call.path), "\(call.path) is in no table")
        }
        #expect(names.contains("works"))
    }

    @Test func `the chapter about works describes each of them`() throws {
        let chapter = Self.page.deletingLastPathComponent().appending(path: "standard-works.md")
        let text = try String(contentsOf: chapter, encoding: .utf8)
        for work in ReferencePage.standardWorks {
            let last = work.name.split(separator: ".").last.map(String.init) ?? work.name
            #expect(text.contains("work.\(work.name)") || text.contains("`.\(last)"), "work.\(work.name)")
        }
    }

    // MARK: The test's test

    @Test func `generated cells are corrected, and handwritten cells are kept`() throws {
        let page = """
            Words.
            <!-- table: functions sleep shield -->
            | call |
            |---|
            | `sleep(hours)` | nothing, later | `misuse` |
            | `nap()` | nothing | |
            Words.
            """
        let written = """
            Words.
            <!-- table: functions sleep shield -->
            | call | result | errors |
            |---|---|---|
            | `sleep(seconds)` | nothing, later | `misuse` |
            | `shield(fn, args…)` | | |
            Words.
            """
        #expect(try ReferencePage.regenerated(page) == written)
        #expect(try ReferencePage.regenerated(written) == written)
        #expect(ReferencePage.emptyRows(in: written) == ["`shield(fn, args…)`"])
        #expect(throws: ReferencePage.UnknownTable.self) {
            try ReferencePage.regenerated("<!-- table: functions nap -->")
        }
    }
}
