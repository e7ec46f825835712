import Foundation
import SystemPackage
import Testing

/// A tutorial as it is followed: files to write and commands to run, in the order of its page.
struct Walkthrough: Sendable {
    enum Step: Equatable, Sendable {
        case file(name: String, text: String)
        /// A command of SwiftPM, and the lines that it prints; `…` stands for anything.
        case command(line: String, output: [String])
    }

    /// The package that the reader makes.
    let package: String
    var steps: [Step] = []

    /// A page in Markdown. A text line that ends with a name in backticks and a colon names the block below it; a block
    /// of the language `sh` is a transcript.
    init(package: String, markdown: String) {
        self.package = package
        let lines = markdown.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for block in MarkdownBlock.all(in: markdown) {
            if block.language == "sh" {
                steps += Self.commands(of: block.lines)
                continue
            }
            // The nearest line of text above the block.
            let above = lines[..<(block.line - 1)].last { line in
                !line.allSatisfy(\.isWhitespace) && !line.hasPrefix("<!--")
            }
            if let name = above?.firstMatch(of: #/`([^`]+)`:$/#) {
                steps.append(.file(name: String(name.1), text: block.text))
            }
        }
    }

    /// A tutorial of DocC, whose files are in the folder `Resources` of its catalogue.
    init(package: String, tutorial: String, resources: FilePath) throws {
        self.package = package
        for match in tutorial.matches(of: /@Code\(name: "([^"]+)", file: "([^"]+)"\)/) {
            let file = resources.appending(String(match.2)).string
            let text = try String(contentsOfFile: file, encoding: .utf8)
            if match.1 == "Terminal" {
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                steps += Self.commands(of: lines.last?.isEmpty == true ? lines.dropLast() : lines)
            } else {
                steps.append(.file(name: String(match.1), text: text))
            }
        }
    }

    /// The lines of a terminal: each `$ ` begins a command.
    private static func commands(of lines: [String]) -> [Step] {
        var steps: [Step] = []
        for line in lines {
            if line.hasPrefix("$ ") {
                steps.append(.command(line: String(line.dropFirst(2)), output: []))
            } else if case .command(let command, let output) = steps.last {
                steps[steps.count - 1] = .command(line: command, output: output + [line])
            }
        }
        return steps
    }

    /// Does every step in an empty folder beside a checkout, and complains of what is not as the page says.
    ///
    /// Returns the number of commands that it ran.
    func follow(on ground: PackageGround) async throws -> Int {
        let folder = try ground.emptyFolder(package)
        var count = 0
        for step in steps {
            switch step {
            case .file(let name, let text):
                let file = folder.appending(FilePath(name).components)
                try FileManager.default.createDirectory(
                    atPath: file.removingLastComponent().string,
                    withIntermediateDirectories: true
                )
                try Data(text.utf8).write(to: URL(fileURLWithPath: file.string))
            case .command(let line, let output):
                let words = line.split(separator: " ", maxSplits: 2).map(String.init)
                try #require(
                    words.count > 1 && words[0] == "swift" && ["run", "test"].contains(words[1]),
                    "\(line)"
                )
                let rest = words.dropFirst(2).joined(separator: " ")
                let run = try await CommandRun.shell(
                    "swift \(words[1]) --scratch-path '\(ground.scratch)' \(rest)",
                    folder: folder
                )
                var lines = run.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                if lines.last?.isEmpty == true { lines.removeLast() }
                #expect(run.status == 0, "\(line): \(run.errors)\n\(run.text)")
                #expect(LinePattern.match(lines, output), "\(line): \(run.text)\n\(run.errors)")
                count += 1
            }
        }
        return count
    }
}
