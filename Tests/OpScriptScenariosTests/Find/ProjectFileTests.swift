import Foundation
import OpScriptScenarios
import Testing

/// The file `.busted` of a project.
@Suite struct ProjectFileTests {
    private func settings(_ text: String, _ run: String? = nil) throws -> [String: [String]] {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(
            "busted-\(UUID().uuidString)"
        ).path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let settings = try ProjectFile.read(path).settings(of: run)
        return Dictionary(
            uniqueKeysWithValues: settings.map { ($0.key, $0.flag.map { ["\($0)"] } ?? $0.texts) }
        )
    }

    private let text = """
        local path = "lib/?.lua"
        return {
            _all = { lpath = path, verbose = true, tags = "a" },
            default = { tags = { "b", "c" }, ["repeat"] = 2 },
            quick = { lazy = false },
        }
        """

    @Test func `the section takes precedence over the settings for all`() throws {
        #expect(
            try settings(text)
                == ["lpath": ["lib/?.lua"], "verbose": ["true"], "tags": ["b", "c"], "repeat": ["2"]]
        )
        #expect(
            try settings(text, "quick")
                == ["lpath": ["lib/?.lua"], "verbose": ["true"], "tags": ["a"], "lazy": ["false"]]
        )
    }

    @Test func `a file may require modules from the disk, also those in C`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "busted-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try "return 'written'".write(
            to: folder.appendingPathComponent("tag.lua"),
            atomically: true,
            encoding: .utf8
        )
        #expect(
            try settings(
                """
                package.path = "\(folder.path)/?.lua"
                package.cpath = "\(folder.path)/?.so"
                local _, problem = pcall(require, "missing")
                local isSought = problem:find("\(folder.path)/missing.so", 1, true) ~= nil
                return { default = { tags = require "tag", verbose = isSought } }
                """
            ) == ["tags": ["written"], "verbose": ["true"]]
        )
    }

    @Test func `a file without a default section is valid`() throws {
        #expect(try settings("return { other = { lazy = true } }") == [:])
    }

    @Test(
        arguments: [
            ("return 5", nil, "returns a number, but it must return a table"),
            ("return {", nil, "cannot be used: "), ("error('no')", nil, "no"),
            ("return { a = {} }", "b", "has no section 'b'; it has a"),
        ] as [(String, String?, String)]
    ) func `faults are named`(_ text: String, _ run: String?, _ message: String) throws {
        let error = #expect(throws: ProjectFile.Unusable.self) { try settings(text, run) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
}
