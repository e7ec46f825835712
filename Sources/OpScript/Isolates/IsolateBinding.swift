internal import LuaVM

/// `isolate(fn)`: a function that runs in a Lua state of its own.
enum IsolateBinding {
    static let function = ScriptMethod("isolate", "fn", makeIsolate)

    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        let state = vm.main
        state.newTable()
        state.setFunctions([("__call", callIsolate), ("__tostring", isolateToString)])
        state.newTable()
        state.pushIndex(getter: nil, fallback: isolateOther)
        state.rawSet(-2, "__index")
        return LuaMetatable(state, name: "isolate", isBox: true)
    }

    static func install(_ state: LuaState, into types: Int32) {
        state.pushMethod(function, isMethod: false)
        state.rawSet(types, "isolate")
    }
}

/// A function with the variables that it captured, ready to be copied into other states.
final class IsolateFunction: Sendable {
    let capture: LuaCapture

    init(_ capture: LuaCapture) { self.capture = capture }
}

extension Threads {
    func isolate(_ state: LuaState, _ index: Int32) -> IsolateFunction? {
        state.box(index, metatables.isolate, as: IsolateFunction.self)
    }

    /// Copies the function at an index with everything it captured.
    func readIsolate(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> IsolateFunction {
        guard state.isLuaFunction(index) else {
            if state.isFunction(index) {
                throw LuaRaise(argument: index, "a function written in Lua expected, got a native one")
            }
            throw LuaRaise(argument: index, "function expected, got \(operations.kindName(state, index))")
        }
        do throws(LuaCaptureError) {
            return IsolateFunction(try state.capture(index, self))
        } catch {
            let article = "aeiouAEIOU".contains(error.kind.first ?? "x") ? "an" : "a"
            throw LuaRaise(
                .argument,
                "isolate: \(error.place) is \(article) \(error.kind), which cannot leave the script thread"
            )
        }
    }

    /// The definition of the work that a call of an isolate performs.
    ///
    /// - Parameter thread: Name and number of its own thread, if it runs on one.
    func isolateDefinition(
        _ function: IsolateFunction,
        calledFrom frames: [LuaFrame],
        thread: ThreadIdentity? = nil
    ) -> WorkDefinition {
        let pool = isolates
        return WorkDefinition(
            name: "isolate",
            summary: "",
            parameters: [],
            takesContext: true,
            isVariadic: true,
            body: .sync { arguments in
                do {
                    let results = try pool.call(function.capture, arguments.values.values, thread) {
                        stopper in
                        arguments.context?.onCancel { stopper.stop() }
                    }
                    return results.count == 1 ? results[0] : .object(ResultList(results))
                } catch var failure as IsolateFailure {
                    failure.calledFrom = frames
                    throw failure
                }
            },
            meter: link.meter.countsMemory ? link.meter : nil,
            recording: .never,
            code: function.capture
        )
    }
}

extension Threads: LuaCaptureHost {
    func foreign(_ state: LuaState, _ index: Int32) -> (any Sendable)? {
        if let value = runtime.sharedValue(state, index) { return value }
        return globals.isNull(state, index) ? ScriptValue.null : nil
    }

    func capturedKind(_ state: LuaState, _ index: Int32) -> String {
        switch operations.kindName(state, index) {
        case "timer": "Timer"
        case let other: other
        }
    }

    func standsForGlobals(_ identity: UnsafeRawPointer) -> Bool {
        runtime.run.driver?.environment == identity
    }

    func libraryName(_ identity: UnsafeRawPointer) -> String? {
        if globals.libraryNames == nil { globals.libraryNames = findLibraryNames() }
        return globals.libraryNames?[identity]
    }

    /// The names of Lua's own libraries and their functions as they are now, by address.
    private func findLibraryNames() -> [UnsafeRawPointer: String] {
        var names: [UnsafeRawPointer: String] = [:]
        let state = vm.main
        let top = state.top
        defer { state.setTop(top) }
        _ = state.rawGet(LuaState.registry, "_LOADED")
        for library in ["string", "table", "math", "utf8", "os", "io", "debug", "coroutine", "package"] {
            if state.rawGet(top + 1, library) == .table {
                if let identity = state.identity(-1) { names[identity] = library }
                state.forEachPair(-1) {
                    guard state.isFunction(-1), !state.isLuaFunction(-1), let name = state.string(-2),
                        let identity = state.identity(-1)
                    else { return }
                    names[identity] = "\(library).\(name)"
                }
            }
            state.pop()
        }
        if state.rawGet(top + 1, "_G") == .table {
            for name in Self.baseFunctions {
                if state.rawGet(-1, name) == .function, let identity = state.identity(-1) {
                    names[identity] = name
                }
                state.pop()
            }
        }
        return names
    }

    private static let baseFunctions = [
        "assert", "collectgarbage", "dofile", "error", "getmetatable", "ipairs", "load", "loadfile", "next",
        "pairs", "pcall", "print", "rawequal", "rawget", "rawlen", "rawset", "require", "select",
        "setmetatable",
        "tonumber", "tostring", "type", "warn", "xpcall",
    ]
}

/// `isolate(fn)`
private func makeIsolate(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        if runtime.threads.isolate(state, 1) == nil {
            let function = try runtime.threads.readIsolate(state, 1)
            state.pushBox(function, runtime.metatables.isolate)
        } else {
            state.setTop(1)
        }
        return 1
    }
}

/// `isolate(fn)(...)`: returns an operation.
private func callIsolate(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard let function = runtime.threads.isolate(state, 1) else {
            throw LuaRaise(argument: 1, "isolate expected, got \(runtime.operations.kindName(state, 1))")
        }
        let frames = runtime.vm.currentFrames(state, level: 1)
        let definition = runtime.threads.isolateDefinition(function, calledFrom: frames)
        let view = try runtime.operations.makeWork(
            -1,
            doing: definition,
            state,
            first: 2,
            count: Int(state.top) - 1
        )
        runtime.operations.set(name: "isolate", of: view, at: state.top, state)
        return 1
    }
}

private func isolateToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.push(runtime(raw).threads.isolate(state, 1).map { "isolate '\($0.capture.place)'" } ?? "isolate")
    return 1
}

private func isolateOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        throw .misuse("an isolate has no properties: call it, as in isolate(fn)(…), which makes an operation")
    }
}
