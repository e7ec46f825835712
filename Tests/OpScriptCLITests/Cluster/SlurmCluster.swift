import Foundation
import SystemPackage
import Testing

/// A Slurm of its own on the loopback, for the tests of one suite: three nodes of four cores.
///
/// Where Slurm is not installed there is none, and the suite is skipped.
struct SlurmCluster: Sendable {
    /// The folder with its configuration, and with a folder for files of the tests.
    let folder: String

    @TaskLocal static var current: SlurmCluster?

    static let isInstalled = ["slurmctld", "slurmd", "sbatch", "srun"].allSatisfy { name in
        ["/usr/sbin/", "/usr/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + name) }
    }

    static let script = FilePath(#filePath).removingLastComponent().appending("loopback.sh").string

    /// Starts it, on ports that no other cluster of this machine has.
    static func start() async throws -> SlurmCluster {
        let folder = FileManager.default.temporaryDirectory.path + "/opscript-slurm-\(getpid())"
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder + "/files", withIntermediateDirectories: true)
        let cluster = SlurmCluster(folder: folder)
        let run = try await cluster.control("start", "\(20_000 + getpid() % 2_000 * 10)")
        try #require(run.status == 0, "\(run.errors)")
        return cluster
    }

    /// `loopback.sh`, with the folder behind the first word.
    @discardableResult
    func control(_ words: String...) async throws -> CommandRun {
        try await CommandRun.program("/bin/bash", [Self.script, words[0], folder] + words.dropFirst())
    }

    func stop() async throws {
        try await control("stop")
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A line of a shell in a folder of its own; Slurm's programs and `$opscript` find this cluster.
    func shell(_ line: String, in name: String) async throws -> CommandRun {
        let path = "\(folder)/files/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let line =
            "export SLURM_CONF=\(folder)/slurm.conf PATH=$PATH:/usr/sbin; lua='\(Self.scripts)'; \(line)"
        return try await CommandRun.shell(line, folder: FilePath(path))
    }

    /// The jobs of the user that have not ended; an empty text if there are none.
    func jobs() async throws -> String {
        try await shell("squeue --noheader --states=pending,running", in: "jobs").text
    }

    /// The page of the manual whose examples need a cluster.
    static let page = "docs/manual/cluster.md"

    private static let scripts = FilePath(#filePath).removingLastComponent().appending("Lua").string
}

/// Runs a suite with a cluster.
struct WithSlurm: SuiteTrait, TestScoping {
    var isRecursive: Bool { false }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let cluster = try await SlurmCluster.start()
        do {
            try await SlurmCluster.$current.withValue(cluster) { try await function() }
        } catch {
            try await cluster.stop()
            throw error
        }
        try await cluster.stop()
    }
}

extension Trait where Self == WithSlurm {
    /// The suite has a cluster.
    static var withSlurm: WithSlurm { WithSlurm() }
}
