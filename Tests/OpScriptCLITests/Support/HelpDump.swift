import Foundation

/// A command line as its parser describes it: `opscript --experimental-dump-help`.
struct HelpDump: Decodable {
    struct Command: Decodable {
        var commandName: String
        var abstract: String?
        var discussion: String?
        var arguments: [Argument]?
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String

            var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
        }

        var kind: String
        var shouldDisplay: Bool
        var isOptional: Bool
        var isRepeating: Bool
        var sectionTitle: String?
        var names: [Name]?
        var valueName: String?
        var abstract: String?
    }

    var command: Command

    /// Reads the description of `opscript`, `opscript test` or `opscript works`.
    static func read(_ subcommand: String...) async throws -> Command {
        let run = try await CommandRun.shell(
            "\"$opscript\" \(subcommand.joined(separator: " ")) --experimental-dump-help"
        )
        return try JSONDecoder().decode(HelpDump.self, from: Data(run.text.utf8)).command
    }
}
