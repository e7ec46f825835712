internal import Synchronization

/// Which files of modules each file of scenarios has loaded. From any thread.
package final class LoadedModules: Sendable {
    private let modules = Mutex<[String: Set<String>]>([:])

    /// Makes one of nothing.
    package init() {}

    /// The modules of a file of scenarios, as it was run last.
    package func modules(of file: String) -> Set<String> { modules.withLock { $0[file] ?? [] } }

    func note(_ paths: [String], of file: String) { modules.withLock { $0[file] = Set(paths) } }
}
