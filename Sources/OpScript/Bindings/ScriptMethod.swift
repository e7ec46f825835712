internal import LuaVM

/// A function that scripts call by its name: a method of a type, or a function in a table.
struct ScriptMethod: Sendable {
    let name: StaticString
    /// The parameters as the manual writes them: `other [, when]`. `…` represents any number of values.
    let parameters: String
    let function: LuaFunction
    /// How many arguments it takes at most, without the object; nil for any number.
    let most: Int?

    init(_ name: StaticString, _ parameters: String, _ function: LuaFunction) {
        self.name = name
        self.parameters = parameters
        self.function = function
        most = Self.most(parameters)
    }

    private static func most(_ parameters: String) -> Int? {
        var count = parameters.isEmpty ? 0 : 1
        // A table counts as one argument, no matter which names are in it.
        var depth = 0
        for character in parameters.unicodeScalars {
            switch character {
            case "{": depth += 1
            case "}": depth -= 1
            case "…" where depth == 0: return nil
            case "," where depth == 0: count += 1
            default: break
            }
        }
        return count
    }
}

extension LuaState {
    /// Puts functions into the table on top. They refuse arguments that they would ignore. [-0, +0, m]
    ///
    /// - Parameter areMethods: Whether the object that they are called on is their first argument.
    func setMethods(_ methods: [ScriptMethod], areMethods: Bool) {
        for method in methods {
            pushMethod(method, isMethod: areMethods)
            rawSet(-2, method.name)
        }
    }

    /// Pushes a function that refuses arguments that it would ignore. [-0, +1, m]
    func pushMethod(_ method: ScriptMethod, isMethod: Bool) {
        guard let most = method.most else { return push(method.function) }
        push(method.function, atMost: most + (isMethod ? 1 : 0), orElse: refuseArgument)
    }

    /// Pushes the function for `__call` of a table. The table is its first argument, which messages do not count.
    /// [-0, +1, m]
    func pushCall(_ method: ScriptMethod) {
        guard let most = method.most else { return push(method.function) }
        push(method.function, atMost: most + 1, orElse: refuseArgumentOfCall)
    }

    /// The error about the first argument that a function would ignore.
    ///
    /// - Parameter count: How many arguments the script does not count, such as the object of a method.
    fileprivate func tooMany(after count: Int32) -> LuaRaise {
        var place = Int32(clamping: (wholeNumber(LuaState.upvalue(1)) ?? 0) + 1)
        while place < top, type(place) == .nil { place += 1 }
        return LuaRaise(argument: place - count, "no value expected, got \(summary(place))")
    }
}

private func refuseArgument(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { _, state throws(LuaRaise) in throw state.tooMany(after: 0) }
}

private func refuseArgumentOfCall(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { _, state throws(LuaRaise) in throw state.tooMany(after: 1) }
}
