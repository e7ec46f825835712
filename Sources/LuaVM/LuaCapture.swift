/// A Lua function with everything that it captured, copied out of its universe; it can be recreated in any
/// other universe.
///
/// Functions keep their upvalues, shared ones stay shared, tables keep their identity, their metatables and their
/// cycles. Globals and the functions of Lua's libraries are those of the other universe.
public final class LuaCapture: Sendable {
    /// One captured value.
    enum Value: Sendable {
        case `nil`
        case boolean(Bool)
        case integer(Int)
        case number(Double)
        case string([UInt8])
        /// By their number in the capture.
        case table(Int)
        case function(Int)
        case globals
        /// A library or its function by name.
        case library(String)
        /// A value that the host carries.
        case foreign(any Sendable)
    }

    struct Table: Sendable {
        var entries: [(key: Value, value: Value)] = []
        var metatable: Value?
    }

    struct Function: Sendable {
        let code: [UInt8]
        /// By number in `cells`.
        var upvalues: [Int] = []
    }

    let tables: [Table]
    /// The first is the captured one.
    let functions: [Function]
    /// The contents of the upvalues; functions that share an upvalue have the same number.
    let cells: [Value]
    /// Whether captured objects have finalizers.
    let hasFinalizers: Bool
    /// The place where the function begins: `job.lua:12`.
    public let place: String

    init(tables: [Table], functions: [Function], cells: [Value], hasFinalizers: Bool, place: String) {
        self.tables = tables
        self.functions = functions
        self.cells = cells
        self.hasFinalizers = hasFinalizers
        self.place = place
    }

    // MARK: in the other universe

    /// Pushes the function as a new copy, in a universe with fresh globals. [-0, +1, -]
    ///
    /// - Parameter pushForeign: Pushes a value that the host carried.
    public func push(
        _ vm: LuaVM,
        pushForeign: @escaping (any Sendable, LuaState) -> Void
    ) throws(LuaError) {
        let state = vm.main
        let base = state.top
        _ = state.ensureSpace(12)
        state.pushGlobals()
        // Most functions capture nothing but their globals.
        state.newTable(array: tables.count)
        for number in tables.indices {
            state.newTable(fields: tables[number].entries.count)
            state.rawSet(base + 2, number + 1)
        }
        state.newTable(array: functions.count)
        for number in functions.indices {
            do throws(LuaError) {
                try state.undump(functions[number].code)
            } catch {
                state.setTop(base)
                throw error
            }
            state.rawSet(base + 3, number + 1)
        }
        let maker = Maker(vm: vm, state: state, base: base, pushForeign: pushForeign)
        if hasFinalizers { vm.isTainted = true }
        maker.fill(tables)
        maker.connect(functions, cells)
        _ = state.rawGet(base + 3, 1)
        state.replace(base + 1)
        state.setTop(base + 1)
    }

    /// Connects the new objects: globals, tables and functions are above `base`.
    private struct Maker {
        let vm: LuaVM
        let state: LuaState
        let base: Int32
        let pushForeign: (any Sendable, LuaState) -> Void

        func push(_ value: Value) {
            switch value {
            case .nil: state.pushNil()
            case .boolean(let flag): state.push(flag)
            case .integer(let number): state.push(number)
            case .number(let number): state.push(number)
            case .string(let bytes): state.push(bytes: bytes)
            case .table(let number): _ = state.rawGet(base + 2, number + 1)
            case .function(let number): _ = state.rawGet(base + 3, number + 1)
            case .globals: state.pushValue(base + 1)
            case .library(let name): vm.pushLibraryValue(name)
            case .foreign(let object): pushForeign(object, state)
            }
        }

        func fill(_ tables: [Table]) {
            for number in tables.indices where !tables[number].entries.isEmpty {
                _ = state.rawGet(base + 2, number + 1)
                for entry in tables[number].entries {
                    push(entry.key)
                    push(entry.value)
                    // A library value that does not exist is nil; an entry with such a key is refused and dropped.
                    do throws(LuaError) { try state.rawSet(-3) } catch { continue }
                }
                state.pop()
            }
            for number in tables.indices {
                guard let metatable = tables[number].metatable else { continue }
                _ = state.rawGet(base + 2, number + 1)
                push(metatable)
                state.setMetatable(-2)
                state.pop()
            }
        }

        func connect(_ functions: [Function], _ cells: [Value]) {
            var holders: [(function: Int, upvalue: Int32)?] = Array(repeating: nil, count: cells.count)
            for number in functions.indices {
                _ = state.rawGet(base + 3, number + 1)
                for (offset, cell) in functions[number].upvalues.enumerated() {
                    let upvalue = Int32(offset) + 1
                    if let holder = holders[cell] {
                        _ = state.rawGet(base + 3, holder.function + 1)
                        state.joinUpvalue(of: -2, upvalue, to: -1, holder.upvalue)
                        state.pop()
                    } else {
                        holders[cell] = (number, upvalue)
                        push(cells[cell])
                        state.setUpvalue(of: -2, upvalue)
                    }
                }
                state.pop()
            }
        }
    }
}

/// The reason why a function cannot be copied.
public struct LuaCaptureError: Error {
    /// The variable, with the path to the value: `upvalue 'options.queue'`.
    public let place: String
    /// The kind of the value: `an OperationQueue`.
    public let kind: String
}
