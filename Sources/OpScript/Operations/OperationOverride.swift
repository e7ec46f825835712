/// The members that a subclass of `Operation` can define, and those that it cannot redefine.
///
/// The engine keeps the state of an operation, and it cancels, ends and waits for operations without the
/// script. Therefore a method that replaces a built-in one would be called in some cases and not in others.
enum OperationOverride {
    /// The methods that the engine calls.
    static let hooks = ["init", "main", "start", "cancelled"]

    /// The replacement for an override that the guide describes.
    private static let remedies: [String: String] = [
        "cancel":
            "the engine cancels operations too, and would not call it; define the hook 'cancelled', or observe "
            + "'isCancelled'",
        "isReady":
            "nothing would recheck it; add a dependency on a Gate, and call its finish() when the operation is ready",
        "isExecuting": "the engine keeps it; define 'start', and call self:finish(...) at the end",
        "isFinished": "the engine keeps it; define 'start', and call self:finish(...) at the end",
        "isCancelled": "the engine keeps it; call self:cancel()",
        "isAsynchronous": "a class is asynchronous if it defines 'start'",
        "isConcurrent": "a class is asynchronous if it defines 'start'",
        "waitUntilFinished":
            "the engine wakes the waiters; to do something at the end, set 'completionBlock'",
    ]

    /// The reason why a class cannot define a member of this name; nil if it can.
    static func refusal(of name: String) -> String? {
        guard !hooks.contains(name), OperationBinding.type.readableNames.contains(name) else { return nil }
        if let remedy = remedies[name] { return remedy }
        return OperationBinding.type.settableNames.contains(name)
            ? "each operation has its own; set it in 'init', on self"
            : "every operation has its own, and that of the class would never be called"
    }
}
