/// Waits that have not ended, in the order in which they began.
///
/// - Complexity: O(1) for all but `all`.
final class WaitList {
    private var first: Unmanaged<Wait>?
    private var last: Unmanaged<Wait>?

    deinit { removeAll() }

    var isEmpty: Bool { first == nil }

    var all: [Wait] {
        var result: [Wait] = []
        var next = first
        while let wait = next {
            result.append(wait.takeUnretainedValue())
            next = wait._withUnsafeGuaranteedRef { $0.next }
        }
        return result
    }

    func append(_ wait: Wait) {
        let added = Unmanaged.passRetained(wait)
        wait.isListed = true
        wait.previous = last
        if let last { last._withUnsafeGuaranteedRef { $0.next = added } } else { first = added }
        last = added
    }

    /// Removes a wait; false if it is not in the list.
    func remove(_ wait: Wait) -> Bool {
        guard wait.isListed else { return false }
        wait.isListed = false
        let (previous, next) = (wait.previous, wait.next)
        if let previous { previous._withUnsafeGuaranteedRef { $0.next = next } } else { first = next }
        if let next { next._withUnsafeGuaranteedRef { $0.previous = previous } } else { last = previous }
        wait.previous = nil
        wait.next = nil
        Unmanaged.passUnretained(wait).release()
        return true
    }

    func removeAll() {
        while let wait = first?.takeUnretainedValue() { _ = remove(wait) }
    }
}
