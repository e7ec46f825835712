internal import Foundation

/// The queue of operations that only observe others.
enum OperationWatch {
    /// It has no width: its operations wait only for the operations that they observe.
    static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "opscript.watch"
        return queue
    }()
}

/// Internal state of Foundation that a script needs, since adding or starting an operation twice ends the
/// process.
enum OperationInsides {
    /// The place of the state among an operation's stored properties; nil if this Foundation has no property
    /// of that name.
    private static let place: Int? = {
        guard let mirror = mirror(of: Operation()) else { return nil }
        return mirror.children.enumerated().first { $0.element.label == "__state" }?.offset
    }()

    /// Whether an operation is in no queue and was never started; nil if this is unknown.
    static func isNew(_ operation: Operation) -> Bool? {
        guard let place, let mirror = mirror(of: operation) else { return nil }
        // Reads only this child. Reading the others would not be safe, since native code may be changing
        // them.
        let children = mirror.children
        let child = children[children.index(children.startIndex, offsetBy: place)]
        return String(describing: child.value) == "initialized"
    }

    private static func mirror(of operation: Operation) -> Mirror? {
        var mirror: Mirror? = Mirror(reflecting: operation)
        while let next = mirror, next.subjectType != Operation.self { mirror = next.superclassMirror }
        return mirror
    }
}
