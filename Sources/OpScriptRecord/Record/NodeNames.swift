internal import Synchronization

/// The names of nodes by numbers, which rows of records have instead. They hold for the whole process. From any thread.
enum NodeNames {
    private struct State {
        var names: [String] = []
        var numbers: [String: Int] = [:]
    }

    private static let state = Mutex(State())

    static func number(of name: String) -> Int {
        state.withLock { state in
            if let number = state.numbers[name] { return number }
            state.numbers[name] = state.names.count
            state.names.append(name)
            return state.names.count - 1
        }
    }

    /// `?` for a number that no name has.
    static func name(of number: Int) -> String {
        state.withLock { $0.names.indices.contains(number) ? $0.names[number] : "?" }
    }
}
