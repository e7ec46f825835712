internal import Synchronization

/// Name and number of a thread: the script sets the name until the start, and the isolate on the thread sees both.
final class ThreadIdentity: Sendable {
    /// 1 for the script thread; other threads are numbered in the order in which they were made.
    let number: Int
    private let storedName: Mutex<String>

    init(name: String, number: Int) {
        self.number = number
        storedName = Mutex(name)
    }

    var name: String {
        get { storedName.withLock { $0 } }
        set { storedName.withLock { $0 = newValue } }
    }
}
