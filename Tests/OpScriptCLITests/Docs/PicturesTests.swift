import Foundation
import SystemPackage
import Testing

/// The pictures of docs/pictures/ show what their scripts do.
@Suite struct PicturesTests {
    private static let folder = SourceTree.root.appending("docs/pictures")

    /// The content of a picture without its layout: a line for each operation and each dependency.
    struct Graph: Equatable, CustomStringConvertible {
        var operations: [String: String] = [:]
        var dependencies: [String: String] = [:]

        var description: String {
            (operations.map { "\($0): \($1)" } + dependencies.map { "\($0): \($1)" }).sorted()
                .joined(separator: "\n")
        }

        /// Reads the text that OpScript writes for Graphviz.
        init(dot: String, withTimes: Bool) {
            for line in dot.split(separator: "\n") {
                let label = line.firstMatch(of: #/label="((?:[^"\\]|\\.)*)"/#).map { String($0.1) } ?? ""
                if let edge = line.firstMatch(of: #/^ +(o\d+) -> (o\d+)/#) {
                    dependencies["\(edge.1)->\(edge.2)"] = label
                } else if let node = line.firstMatch(of: #/^ +(o\d+) \[.*fillcolor="([^"]+)"/#) {
                    let lines = label.split(separator: #"\n"#, maxSplits: 1).map(String.init)
                    operations[String(node.1)] = Self.operation(lines, String(node.2), withTimes)
                }
            }
        }

        /// Reads the picture that Graphviz made of such a text.
        init(svg: String, withTimes: Bool) {
            for group in svg.matches(of: #/<g id="(?:node|edge)\d+".*?<\/g>/#.dotMatchesNewlines()) {
                let text = String(group.output)
                let title = text.firstMatch(of: #/<title>([^<]*)<\/title>/#).map { Self.plain($0.1) } ?? "?"
                let lines = text.matches(of: #/<text[^>]*>([^<]*)<\/text>/#).map { Self.plain($0.1) }
                if title.contains("->") {
                    dependencies[title] = lines.joined(separator: " ")
                } else {
                    let fill = text.firstMatch(of: #/fill="([^"]+)"/#).map { String($0.1) } ?? "?"
                    operations[title] = Self.operation(lines, fill, withTimes)
                }
            }
        }

        private static func operation(_ lines: [String], _ colour: String, _ withTimes: Bool) -> String {
            "\(lines.prefix(withTimes ? 2 : 1).joined(separator: ", ")) (\(colour))"
        }

        private static func plain(_ text: Substring) -> String {
            String(text).replacing("&#45;", with: "-").replacing("&gt;", with: ">").replacing(
                "&amp;",
                with: "&"
            )
        }
    }

    private static func scripts() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.string)
            .filter { $0.hasSuffix(".lua") }.sorted()
    }

    private static func text(_ name: String) throws -> String {
        try String(contentsOfFile: folder.appending(name).string, encoding: .utf8)
    }

    private static func picture(of script: String) -> String {
        "\(script.dropLast(4)).\(script == "nightly.lua" ? "html" : "svg")"
    }

    /// Runs a script as its first line says, and gives the report of this form.
    private static func run(
        _ name: String,
        _ script: String,
        form: String = "dot"
    ) async throws -> (report: String, isVirtual: Bool) {
        let first = try #require(script.split(separator: "\n").first)
        let command = "--report docs/pictures/\(picture(of: name)) docs/pictures/\(name)"
        try #require(first == "-- opscript \(command)" || first == "-- opscript --virtual \(command)")
        let isVirtual = first.contains("--virtual")
        let scratch = try Scratch()
        try scratch.link("scripts", to: SourceTree.root.appending("scripts"))
        try scratch.file(name, script)
        let run = try await CommandRun.shell(
            "\"$opscript\" \(isVirtual ? "--virtual" : "") --report run.\(form) \(name)",
            folder: scratch.path
        )
        #expect(run.status == 0, "\(run.errors)")
        let report = scratch.path.appending("run.\(form)").string
        return (try String(contentsOfFile: report, encoding: .utf8), isVirtual)
    }

    /// The lines of a page of a run that say what ran when.
    private static func facts(of page: String) -> [Substring] {
        let keys = ["names", "outcome", "start", "length", "path", "edges"].map { "\"\($0)\":" }
        return page.split(separator: "\n").filter { line in keys.contains { line.hasPrefix($0) } }
    }

    @Test func `the page of a run shows what its script does`() async throws {
        let shown = Self.facts(of: try Self.text("nightly.html"))
        let script = try Self.text("nightly.lua")
        let now = Self.facts(of: try await Self.run("nightly.lua", script, form: "html").report)
        #expect(now == shown && now.count == 6, "make docs/pictures/nightly.html again: nightly.lua says how")
        let other = script.replacing("failures < 2", with: "failures < 1")
        #expect(try await Self.facts(of: Self.run("nightly.lua", other, form: "html").report) != shown)
    }

    @Test(arguments: try scripts().filter { $0 != "nightly.lua" })
    func `a picture shows what its script does`(_ name: String) async throws {
        let (dot, isVirtual) = try await Self.run(name, Self.text(name))
        let now = Graph(dot: dot, withTimes: isVirtual)
        let shown = Graph(svg: try Self.text("\(name.dropLast(4)).svg"), withTimes: isVirtual)
        #expect(now.operations.count > 1 && !now.dependencies.isEmpty)
        #expect(now == shown, "make docs/pictures/\(name.dropLast(4)).svg again: its first line says how")
    }

    @Test func `a script that does something else is found`() async throws {
        let script = try Self.text("slots.lua")
        let shown = Graph(svg: try Self.text("slots.svg"), withTimes: true)
        for (old, new) in [
            ("sleep(2)", "sleep(3)"), ("\"dog\"", "\"cow\""), ("resize:addDependency(fetch)", ""),
        ] {
            try #require(script.contains(old))
            let (dot, _) = try await Self.run("slots.lua", script.replacing(old, with: new))
            #expect(Graph(dot: dot, withTimes: true) != shown, "\(old)")
        }
    }

    @Test func `the pages show the scripts of their pictures`() throws {
        let index = try Self.text("README.md")
        let root = SourceTree.root
        for (script, page) in [
            ("first-job", "README.md"), ("slots", "docs/seeing-a-run.md"),
            ("failure", "docs/seeing-a-run.md"),
            ("nightly", "docs/coming-from/airflow-and-snakemake.md"),
        ] {
            let text = try String(contentsOfFile: root.appending(page).string, encoding: .utf8)
            let lines = try Self.text("\(script).lua").split(
                separator: "\n",
                omittingEmptySubsequences: false
            )
            #expect(text.contains(lines.dropFirst().joined(separator: "\n")), "\(page) shows another script")
            #expect(
                text.contains("pictures/\(Self.picture(of: script + ".lua"))"),
                "\(page) does not show the picture"
            )
            #expect(index.contains("(\(Self.picture(of: script + ".lua")))"))
        }
        #expect(try Self.scripts().count == 4)
    }
}
