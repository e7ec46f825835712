internal import Foundation

/// Where operations run that only watch others.
enum OperationWatch {
    /// Without a width: what is in it never waits for anything but what it watches.
    static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "opscript.watch"
        return queue
    }()
}

/// What Foundation keeps to itself, and a script has to know: to add or start an operation twice ends the process.
enum OperationInsides {
    /// The place of the state among an operation's stored properties; nil where this Foundation has none of that name.
    private static let place: Int? = {
        guard let mirror = mirror(of: Operation()) else { return nil }
        return mirror.children.enumerated().first { $0.element.label == "__state" }?.offset
    }()

    /// Whether an operation is in no queue and was never started; nil where nobody can know.
    static func isNew(_ operation: Operation) -> Bool? {
        guard let place, let mirror = mirror(of: operation) else { return nil }
        // Only this child: to read the others, which native code may be changing, would not be safe.
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
