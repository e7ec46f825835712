internal import Synchronization

/// The files of modules that each file of scenarios has loaded. From any thread.
package final class LoadedModules: Sendable {
    private let modules = Mutex<[String: Set<String>]>([:])

    /// Creates an empty list.
    package init() {}

    /// The modules that a file of scenarios loaded in its last run.
    package func modules(of file: String) -> Set<String> { modules.withLock { $0[file] ?? [] } }

    func note(_ paths: [String], of file: String) { modules.withLock { $0[file] = Set(paths) } }
}
