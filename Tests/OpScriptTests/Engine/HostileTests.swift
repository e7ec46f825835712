import Foundation
import OpScript
import OpScriptWorks
import Testing

/// The contract's scripts once more, with a full collection wherever Lua allows one: values that are not
/// anchored are gone at once.
struct HostileTests {
    /// Scripts that succeed on their own and take no options.
    static let scripts: [String] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Scripts")
        guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            preconditionFailure("the contract's scripts are not in \(folder.path)")
        }
        var result: [String] = []
        for case let url as URL in files {
            let path = url.path
            guard url.pathExtension == "lua", !path.dropFirst(folder.path.count + 1).contains("/modules/"),
                let text = try? String(contentsOf: url, encoding: .utf8)
            else { continue }
            let head = text.split(separator: "\n").prefix { $0.hasPrefix("--") }
            let isPlain = !head.contains {
                ["expect-status", "arguments:", "process: own", "collector: own"].contains(where: $0.contains)
            }
            if isPlain, !text.contains("os.exit"), !text.contains("io.read") { result.append(path) }
        }
        // A part of them, as `OPSCRIPT_HOSTILE_ONLY=source/`.
        let only = ProcessInfo.processInfo.environment["OPSCRIPT_HOSTILE_ONLY"]
        return result.filter { path in only.map { path.contains("/Scripts/\($0)") } ?? true }.sorted()
    }()

    /// Takes minutes: `make hostile`.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["OPSCRIPT_HOSTILE"] == "1"),
        .timeLimit(.minutes(60)),
        arguments: scripts
    )
    func `a script keeps the contract while everything unreachable is collected at once`(_ path: String)
        async throws
    {
        var configuration = ScriptEngine.Configuration()
        configuration.libraries = .all
        configuration.capabilities = .all
        configuration.isHostile = true
        configuration.standardOutput = { _ in }
        configuration.standardError = { _ in }
        let engine = ScriptEngine(configuration)
        engine.registerStandardWorks()
        let report = try await engine.run(file: path)
        #expect(report.exitCode == 0, "\(report.failures.map(\.message)) \(report.stuck)")
    }
}
