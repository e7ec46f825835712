internal import CTexts

/// The parts of the contract that are written in Lua itself: functions that call back and may wait in between.
///
/// Each part is read when a script first uses one of its functions: reading all of them took a third of the start-up of
/// a process. A part receives a table as its environment (``ScriptRuntime/makePrelude(_:types:)``), and puts its
/// functions into the table `functions` of that environment.
enum Prelude: CaseIterable {
    case map, concurrentPerform, require, simulate, faults

    /// The place where scripts find the functions of a part.
    enum Place {
        /// Beside the types of the contract.
        case globals
        /// Among Lua's own functions.
        case lua
        /// In the table `DispatchQueue`.
        case dispatchQueue
        /// As methods of queues.
        case queues
    }

    var place: Place {
        switch self {
        case .map: .queues
        case .concurrentPerform: .dispatchQueue
        case .require: .lua
        case .simulate, .faults: .globals
        }
    }

    /// Its functions, as scripts call them.
    var calls: [ScriptCall] {
        switch self {
        case .map: [ScriptCall("OperationQueue:map", "list or iterator, fn [, { limit }]")]
        case .concurrentPerform: [ScriptCall("DispatchQueue.concurrentPerform", "n, body")]
        case .require: [ScriptCall("require", "name")]
        case .simulate: [ScriptCall("simulate", "pattern, { duration, result, error } or fn or mode")]
        case .faults:
            [
                ScriptCall("fail", "pattern [, { probability, error }]"),
                ScriptCall("delay", "pattern, seconds or { least, most }"),
                ScriptCall("hold", "pattern"),
                ScriptCall("release", "pattern"),
                ScriptCall("cancelAt", "step"),
            ]
        }
    }

    /// The names of its functions.
    var functions: [String] { Self.functions[self, default: []] }

    private static let functions = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, $0.calls.map(\.name)) }
    )
    private static let parts = Dictionary(
        uniqueKeysWithValues: functions.flatMap { part, names in names.map { ($0, part) } }
    )

    /// The function in `package.searchers` that finds files.
    static let searcher = "searchFile"

    static func part(of function: String) -> Prelude? { function == searcher ? .require : parts[function] }

    /// Makes the function that scripts have before its part is read. It forwards calls by a tail call, so that
    /// functions may wait inside and call each other as deeply as Lua functions may.
    static let stub = #"""
        local part, name = ...
        local own
        return function(...)
            own = own or part(name)
            return own(...)
        end
        """#

    /// The Lua source text, a file in the folder `Lua`.
    ///
    /// - Complexity: O(its length).
    var source: String {
        let text =
            switch self {
            case .map: text_prelude_map()
            case .concurrentPerform: text_prelude_concurrent_perform()
            case .require: text_prelude_require()
            case .simulate: text_prelude_simulate()
            case .faults: text_prelude_faults()
            }
        return String(cString: text)
    }
}
