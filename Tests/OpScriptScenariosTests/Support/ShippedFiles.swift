import Foundation
import OpScriptScenarios

extension ScenarioFile {
    /// The scenarios in a folder of `scripts/scenarios`.
    static func shipped(_ folder: String) throws -> [ScenarioFile] {
        var place = URL(fileURLWithPath: #filePath)
        for _ in 1...4 { place.deleteLastPathComponent() }
        return try ScenarioFinder.find([place.appendingPathComponent("scripts/scenarios/\(folder)").path])
    }

    /// The last part of its path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
