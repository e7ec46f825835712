internal import LuaVM

/// Ends a listing of a script's declarations at the first call that would read from the terminal or change a file.
///
/// A listing runs the main chunk without the words that it was written for, so nothing outside the script may change.
enum ListingGuard {
    private static let functions: [(library: StaticString, names: [StaticString])] = [
        ("os", ["execute", "remove", "rename", "tmpname"]),
        ("io", ["popen", "tmpfile", "output", "read", "open"]),
    ]

    static func install(_ state: LuaState) {
        for (library, names) in functions {
            if state.getGlobal(library.description) == .table {
                for name in names where state.rawGet(-1, name) == .function {
                    state.push(name.description == "open" ? guardedOpen : guardedCall, upvalues: 1)
                    state.rawSet(-2, name)
                }
            }
            state.pop()
        }
    }
}

private func guardedCall(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, _ throws(LuaRaise) in throw runtime.arguments.endListing() }
}

/// `io.open(path [, mode])`: files may be read.
private func guardedOpen(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        if let mode = state.string(2), mode.contains(where: { "wa+".contains($0) }) {
            throw runtime.arguments.endListing()
        }
        return callStock(state)
    }
}
