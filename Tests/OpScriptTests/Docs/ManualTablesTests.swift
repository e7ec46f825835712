import Foundation
import Testing

@testable import OpScript

/// The tables of docs/scripting.md say what the descriptors of the types say: all names, no others, and which
/// properties can be set.
@Suite("The manual's tables") struct ManualTablesTests {
    /// The heading below which a type stands.
    private static func heading(of number: ScriptTypeNumber) -> String {
        switch number {
        case .operation: "### Operation"
        case .queue: "## Queues"
        case .timer: "## Timers"
        case .source: "## Sources of events"
        case .progress: "## Progress"
        case .thread: "## Threads"
        case .dispatchQueue: "### DispatchQueue"
        case .dispatchGroup: "### DispatchGroup"
        case .dispatchSemaphore: "### DispatchSemaphore"
        case .dispatchWorkItem: "### DispatchWorkItem"
        }
    }

    /// Names that stand in another chapter.
    private static let elsewhere: [ScriptTypeNumber: Set<String>] = [
        .operation: [
            "BlockOperation", "InvocationOperation", "GroupOperation", "Gate", "subclass", "addOperation",
            "invocation", "context",
        ]
    ]

    /// The cells of the rows of the tables below a heading, up to the next one of its level, and the headings between.
    private func rows(below heading: String) throws -> [[String]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = try String(contentsOf: root.appending(path: "docs/scripting.md"), encoding: .utf8)
        let level = heading.prefix { $0 == "#" }
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == heading }, "there is no heading '\(heading)'")
        let section = lines[(start + 1)...].prefix { line in
            let hashes = line.prefix { $0 == "#" }
            return hashes.isEmpty || hashes.count > level.count
                || !line.dropFirst(hashes.count).hasPrefix(" ")
        }
        return section.filter { $0.hasPrefix("| ") || $0.hasPrefix("###") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// What stands in backticks.
    private func codes(in text: String) -> [Substring] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
    }

    @Test("each name of a type is in its tables", arguments: ScriptTypeNumber.allCases)
    func names(number: ScriptTypeNumber) throws {
        let rows = try rows(below: Self.heading(of: number))
        let words = Set(
            rows.flatMap { codes(in: $0[0]) }.flatMap { code in
                code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
            }
        )
        let type = number.type
        var names = type.members.map(\.name) + type.methods.map(\.name.description)
        for constructor in type.constructors {
            names.append(constructor.name.description)
            names += constructor.functions.map(\.name.description)
            names += (constructor.constants + constructor.lookups).map { $0.0.description }
        }
        let missing = Set(names).subtracting(words).subtracting(Self.elsewhere[number] ?? [])
            .filter { !$0.hasPrefix("\0") }
        #expect(missing.isEmpty, "\(type.name): \(missing.sorted()) are not in the manual")
    }

    @Test("each method has the parameters that its table says", arguments: ScriptTypeNumber.allCases)
    func parameters(number: ScriptTypeNumber) throws {
        let type = number.type
        let written = try rows(below: Self.heading(of: number)).flatMap { codes(in: $0[0]) }.map(String.init)
        for method in type.methods where Self.elsewhere[number]?.contains(method.name.description) != true {
            let calls = ["\(method.name)(\(method.parameters))", "\(method.name) \(method.parameters)"]
            #expect(
                written.contains { code in calls.contains { code.hasSuffix(":" + $0) } },
                "\(type.name): the manual has no \(calls[0])"
            )
        }
    }

    @Test(
        "a table of properties has those there are, and marks which can be set",
        arguments: ScriptTypeNumber.allCases
    )
    func properties(number: ScriptTypeNumber) throws {
        let type = number.type
        var isTableOfProperties = false
        for row in try rows(below: Self.heading(of: number)) {
            if row[0] == "property" || row[0] == "option and property" {
                isTableOfProperties = true; continue
            }
            if !row[0].hasPrefix("`") && !row[0].hasPrefix("--") { isTableOfProperties = false }
            guard isTableOfProperties else { continue }
            for name in codes(in: row[0]) {
                guard let member = type.member(named: String(name)) else {
                    Issue.record("the manual has a property '\(name)' of \(type.name), which has none")
                    continue
                }
                #expect((member.set != nil) == row[0].contains("✎"), "\(type.name).\(name)")
            }
        }
    }
}
