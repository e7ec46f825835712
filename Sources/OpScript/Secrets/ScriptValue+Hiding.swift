extension ScriptValue {
    /// The same value without secrets in its texts; for values that are shown.
    func hiding(_ secrets: Secrets) -> ScriptValue {
        if secrets.isEmpty { return self }
        switch self {
        case .string(let bytes): return .string(secrets.hidden(in: bytes))
        case .array(let values): return .array(values.map { $0.hiding(secrets) })
        case .table(var table):
            for index in table.entries.indices {
                table.entries[index].value = table.entries[index].value.hiding(secrets)
            }
            return .table(table)
        default: return self
        }
    }
}
