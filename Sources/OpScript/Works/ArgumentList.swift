/// The arguments that a script gave to a work. Most works take one argument, which needs no array.
enum ArgumentList: Sendable {
    case none
    case one(ScriptValue)
    case many([ScriptValue])

    init(_ values: [ScriptValue]) {
        switch values.count {
        case 0: self = .none
        case 1: self = .one(values[0])
        default: self = .many(values)
        }
    }

    var count: Int {
        switch self {
        case .none: 0
        case .one: 1
        case .many(let values): values.count
        }
    }

    /// The value at a place, counted from 0; nil beyond the last one.
    subscript(place: Int) -> ScriptValue {
        switch self {
        case .one(let value) where place == 0: value
        case .many(let values) where place < values.count: values[place]
        default: .nil
        }
    }

    /// How many bytes the values take, about; see ``ScriptValue/byteCount``.
    var byteCount: Int {
        switch self {
        case .none: 0
        case .one(let value): value.byteCount
        case .many(let values): values.reduce(0) { $0 + $1.byteCount }
        }
    }

    /// All arguments.
    var values: [ScriptValue] { (0..<count).map { self[$0] } }
}
