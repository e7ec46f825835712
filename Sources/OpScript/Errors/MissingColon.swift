/// The hint for a method that was called with a dot: `queue.addOperation(op)` passes `op` as the queue.
enum MissingColon {
    /// The text to add to a message about argument #1; empty if the function is not a method, or the argument is not
    /// its object.
    static func hint(for message: String) -> String {
        guard let start = message.firstRange(of: "bad argument #1 to '"),
            let end = message[start.upperBound...].firstRange(of: "' ("),
            let verb = message[end.upperBound...].firstRange(of: " expected, got ")
        else { return "" }
        let name = message[start.upperBound..<end.lowerBound]
        guard let object = objects[String(message[end.upperBound..<verb.lowerBound])],
            ScriptType.all.contains(where: { type in type.methods.contains { $0.name.description == name } })
        else { return "" }
        return "; a method is called with a colon, as in \(object):\(name)(…)"
    }

    /// The words for the object of a method in messages, each with an example of a variable.
    private static let objects = [
        "operation": "op", "queue": "queue", "dispatch queue": "queue", "work item": "item",
        "group": "group", "semaphore": "semaphore", "source": "source", "timer": "timer",
        "thread": "thread", "progress": "progress",
    ]
}
