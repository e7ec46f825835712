internal import Glibc
internal import OpScript
internal import OpScriptSlurm

/// Opens the cluster of a run.
enum ClusterOpening {
    /// The cluster for queues of a run; it does nothing before the first operation is on it.
    ///
    /// - Parameter warn: Takes what a person has to know while the run continues.
    static func open(
        _ wishes: ClusterWishes,
        command: String,
        _ journal: (any RunJournal)?,
        warn: @escaping @Sendable (String) -> Void = { _ in }
    ) -> SlurmExecutor {
        var settings = SlurmSettings(
            share: absolute(wishes.share),
            worker: [ownProgram, "worker"],
            lasts: journal != nil
        ) { [weak journal] in
            "\(command)-\(journal?.runName ?? String(UInt64.random(in: 1 << 60...UInt64.max), radix: 16))"
        }
        settings.warn = warn
        return SlurmExecutor(settings)
    }

    /// The program of this process, as nodes find it too if it is on shared storage.
    private static var ownProgram: String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0 else { return "opscript" }
        return RawText.text(of: Array(bytes[..<count]))
    }

    /// A path as jobs find it. Without a current folder it stays as it is: then no job could start in it anyway.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }
}
