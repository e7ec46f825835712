internal import OpScript

extension ScriptTable {
    /// The text of a field; nil if there is none.
    func text(_ name: String) -> String? {
        guard case .string(let bytes) = self[name] else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    func flag(_ name: String) -> Bool {
        if case .boolean(true) = self[name] { true } else { false }
    }

    func integer(_ name: String) -> Int? {
        if case .integer(let number) = self[name] { Int(number) } else { nil }
    }

    func number(_ name: String) -> Double? {
        switch self[name] {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// The elements of a field that is an array.
    func list(_ name: String) -> [ScriptValue] {
        if case .array(let elements) = self[name] { elements } else { [] }
    }

    func integers(_ name: String) -> [Int] {
        list(name).compactMap { if case .integer(let number) = $0 { Int(number) } else { nil } }
    }

    func texts(_ name: String) -> [String] {
        list(name).map {
            if case .string(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { "?" }
        }
    }

    func tables(_ name: String) -> [ScriptTable] {
        list(name).compactMap { if case .table(let table) = $0 { table } else { nil } }
    }
}
