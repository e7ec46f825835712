import Foundation
import OpScriptScenarios
import Testing

/// The library tests itself: the files in `Scenarios` are like a user's, and all of them pass.
@Suite struct SelfTests {
    @Test(arguments: try files()) func `all scenarios of a file pass`(_ file: ScenarioFile) async {
        let runner = Scenarios.runner()
        let listing = await runner.list(file)
        #expect(listing.problems == [])
        #expect(!listing.scenarios.isEmpty)
        for scenario in listing.scenarios {
            let result = await runner.run(scenario, in: file)
            #expect(result.outcome == .passed, "\(scenario.name): \(result.problems) \(result.leaks)")
        }
    }

    @Test func `there are files`() throws {
        #expect(try Self.files().count >= 5)
    }

    private static func files() throws -> [ScenarioFile] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try ScenarioFinder.find([folder.appendingPathComponent("Scenarios").path])
    }
}

extension ScenarioFile: CustomTestStringConvertible {
    /// Its name.
    public var testDescription: String { path.split(separator: "/").last.map(String.init) ?? path }
}
