import Foundation
import OpScriptScenarios
import Testing

@Suite struct FinderTests {
    @Test func `folders are searched for matching names, files are taken with any name`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "find-\(UUID().uuidString)"
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let names = [
            "b_spec.lua", "a_scenario.lua", "other.lua", "deep/er/c_spec.lua", ".hidden/d_spec.lua",
            "deep/spec.lua",
        ]
        for name in names {
            let url = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(name.utf8).write(to: url)
        }
        let path = folder.path
        let found = try ScenarioFinder.find([path, "\(path)/b_spec.lua", "\(path)/other.lua"])
        #expect(
            found.map { String($0.path.dropFirst(path.count + 1)) }
                == ["a_scenario.lua", "b_spec.lua", "deep/er/c_spec.lua", "other.lua"]
        )
        #expect(found.last.map { String(decoding: $0.source, as: UTF8.self) } == "other.lua")
    }

    @Test func `a path that does not exist is named`() throws {
        #expect(throws: ScenarioFinder.Unusable(message: "cannot read '/no/such': no such file or directory"))
        {
            try ScenarioFinder.find(["/no/such"])
        }
    }
}
