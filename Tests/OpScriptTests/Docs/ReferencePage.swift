import Foundation
import OpScriptWorks

@testable import OpScript

/// Writes the generated cells of docs/manual/reference.md.
///
/// A comment in the page, `<!-- table: calls of Timer -->`, says which table follows. The rows and their first cells
/// come from the descriptors of the types. The cells on the right are written by hand; they are kept, by the name in
/// the first cell.
enum ReferencePage {
    /// A comment that names no table.
    struct UnknownTable: Error { let name: String }

    /// A table whose rows and first cells are generated.
    struct Table {
        /// All column heads. The last ones, which the rows do not fill, are written by hand.
        let heads: [String]
        var rows: [[String]]
        /// The columns of cells that a person writes.
        var ownColumns: Int { heads.count - (rows.first?.count ?? heads.count) }
    }

    /// The page again: each table generated, and its handwritten cells kept.
    static func regenerated(_ page: String) throws -> String {
        var result: [String] = []
        var lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
        while let line = lines.popFirst() {
            result.append(line)
            guard let name = tableName(line) else { continue }
            guard let table = table(named: name) else { throw UnknownTable(name: name) }
            let old = lines.prefix { $0.hasPrefix("|") }
            lines = lines.dropFirst(old.count)
            result += text(of: table, keeping: old.dropFirst(2).map(cells))
        }
        return result.joined(separator: "\n")
    }

    /// The names of the tables that a page has.
    static func tableNames(in page: String) -> [String] {
        page.split(separator: "\n").compactMap { tableName(String($0)) }
    }

    /// The handwritten cells of a page that must say something and do not, by their rows.
    static func emptyRows(in page: String) -> [String] {
        var empty: [String] = []
        var lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
        while let line = lines.popFirst() {
            guard let table = tableName(line).flatMap(table(named:)), table.ownColumns > 0 else { continue }
            let first = table.heads.count - table.ownColumns
            for row in lines.prefix(while: { $0.hasPrefix("|") }).dropFirst(2).map(cells)
            where row.count <= first || row[first].isEmpty {
                empty.append(row[0])
            }
        }
        return empty
    }

    private static func tableName(_ line: String) -> String? {
        guard line.hasPrefix("<!-- table: "), line.hasSuffix(" -->") else { return nil }
        return String(line.dropFirst(12).dropLast(4))
    }

    private static func text(of table: Table, keeping old: [[String]]) -> [String] {
        let own = Dictionary(old.map { (key(of: $0), $0.suffix(table.ownColumns)) }) { first, _ in first }
        let empty = Array(repeating: "", count: table.ownColumns)
        let rows = table.rows.map { $0 + (own[key(of: $0)].map(Array.init) ?? empty) }
        let rule = "|" + table.heads.map { _ in "---" }.joined(separator: "|") + "|"
        return [line(table.heads), rule] + rows.map(line)
    }

    private static func line(_ cells: [String]) -> String {
        "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
    }

    /// The cells of a row. `\|` is no border.
    static func cells(of line: String) -> [String] {
        line.replacing("\\|", with: "\u{1}").split(separator: "|", omittingEmptySubsequences: false)
            .dropFirst().dropLast()
            .map { $0.replacing("\u{1}", with: "\\|").trimmingCharacters(in: .whitespaces) }
    }

    /// The key of a row: its first cell without the parameters.
    private static func key(of row: [String]) -> Substring {
        (row.first ?? "").drop { $0 == "`" }.prefix { $0 != "(" && $0 != "`" }
    }

    // MARK: Tables

    private static func table(named name: String) -> Table? {
        if name == "works" { return works }
        if name.hasPrefix("functions ") {
            let words = Set(name.dropFirst(10).split(separator: " ").map(String.init))
            let calls = ScriptCall.all.filter { words.contains($0.path) }
            return calls.count == words.count ? Self.calls(calls.map { "`\($0.text)`" }) : nil
        }
        for type in ScriptType.all {
            if name == "calls of \(type.name)" { return calls(of: type) }
            if name == "properties of \(type.name)" { return properties(of: type) }
        }
        return nil
    }

    private static func calls(_ rows: [String]) -> Table {
        Table(heads: ["call", "result", "errors"], rows: rows.map { [$0] })
    }

    /// The name of an object of a type in the page.
    private static func variable(_ type: String) -> String {
        switch type {
        case "Operation": "op"
        case "DispatchQueue", "OperationQueue": "queue"
        case "DispatchWorkItem": "item"
        default: type.replacing("Dispatch", with: "").lowercased()
        }
    }

    private static func calls(of type: ScriptType) -> Table {
        let methods = "\(type.name):"
        let names = type.constructors.map(\.name.description)
        let calls = ScriptCall.all.filter { call in
            call.path.hasPrefix(methods)
                || names.contains { call.path == $0 || call.path.hasPrefix("\($0).") }
        }
        var rows = calls.map { call in
            call.path.hasPrefix(methods)
                ? "`\(variable(type.name)):\(call.name)(\(call.parameters))`" : "`\(call.text)`"
        }
        for constructor in type.constructors {
            let values = constructor.constants.map { $0.0 } + constructor.lookups.map { $0.0 }
            rows += values.map(\.description).filter { !$0.hasPrefix("\0") }
                .map { "`\(constructor.name).\($0)`" }
        }
        return Self.calls(rows)
    }

    private static func properties(of type: ScriptType) -> Table {
        let isObserved = type.members.contains(where: \.isObservable)
        let rows = type.members.map { member in
            let kind = ScriptContract.kind(ofProperty: member.name, of: type.name)?.sentence ?? ""
            let takes = member.set == nil ? "" : kind.replacing("](#", with: "](../contract.md#")
            let observed = member.isObservable ? "yes" : ""
            return ["`\(member.name)`", settable(member), takes] + (isObserved ? [observed] : [])
        }
        let heads = ["property", "can be set", "takes"] + (isObserved ? ["can be observed"] : [])
        return Table(heads: heads + ["meaning"], rows: rows)
    }

    private static func settable(_ member: ScriptType.Member) -> String {
        guard member.set != nil else { return "no" }
        return switch member.limit {
        case nil: "at any time"
        case .added: "until it is added or started"
        case .started: "until it starts"
        case .finished: "until it finishes"
        case .ended: "until it ends"
        }
    }

    /// All works of the command.
    static var standardWorks: [WorkDefinition] {
        let engine = ScriptEngine()
        engine.registerStandardWorks()
        return engine.catalogue.names.compactMap(engine.catalogue.index(of:)).map { engine.catalogue[$0] }
    }

    /// The works with what they say of themselves.
    private static var works: Table {
        let rows = standardWorks.map { work in
            let parameters = work.parameters.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
            return ["`work.\(work.name)(\(parameters))`", work.summary].map { $0.replacing("|", with: "\\|") }
        }
        return Table(heads: ["work", "description"], rows: rows)
    }
}
