internal import Glibc
internal import OpScript
internal import OpScriptWorks

/// Files with the whole output of programs that failed, for output that is too long for the report.
///
/// They are in the user's state folder, as the XDG Base Directory Specification says, and are removed after a week.
enum OutputArchive {
    /// Seconds that a file is kept.
    private static let lifetime = 7 * 24 * 3600

    /// The new file with the whole output of a failed program; nil if the report shows all of it, or if it cannot be
    /// written.
    static func file(for failure: ScriptReport.Failure) -> String? {
        guard let process = failure.error.underlying as? ProcessFailure, process.isOutputCut,
            let folder = StateFolder.make("output")
        else { return nil }
        removeOldFiles(in: folder)
        let name = process.commandLine.prefix(20).prefix { $0.isLetter || $0.isNumber || $0 == "-" }
        for number in 1...10_000 {
            let path = "\(folder)/\(name.isEmpty ? "output" : name)-\(getpid())-\(number).txt"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            if DescriptorWriting.writeAll(process.wholeOutput, to: descriptor) == nil { return path }
            unlink(path)
            return nil
        }
        return nil
    }

    private static func removeOldFiles(in folder: String) {
        guard let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        let oldest = time(nil) - lifetime
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasSuffix(".txt") else { continue }
            var status = stat()
            if lstat("\(folder)/\(name)", &status) == 0, status.st_mtim.tv_sec < oldest {
                unlink("\(folder)/\(name)")
            }
        }
    }
}
