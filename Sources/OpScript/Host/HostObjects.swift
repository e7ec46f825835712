internal import Scheduling

/// The host's objects in scripts: instances of exposed types, native queues and operations.
///
/// Owns the exposed types and the views of native queues. Called by the bindings of host objects, and through the link
/// by the host.
final class HostObjects: RuntimePart {
    /// Types of the host, in the order in which they were exposed.
    var exposures: [Exposure] = []
    /// The same, by the types of instances seen so far; nil for a type of which nothing is exposed.
    var exposuresByType: [ObjectIdentifier: Exposure?] = [:]
    /// Functions of the host that scripts call, in the order in which they were registered.
    var functions: [RegisteredFunction] = []
    /// Views of the host's queues, by name.
    var adopted: [String: ScriptQueue] = [:]
    /// Operations of other schedulers that are ended there.
    var foreigners: Set<OperationID> = []
}
