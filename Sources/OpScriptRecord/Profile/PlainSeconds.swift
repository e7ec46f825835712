/// Writes durations in a readable form, without Foundation.
enum PlainSeconds {
    /// `3.1 s`, `12 ms`, `2 min 5 s`.
    static func text(_ nanoseconds: Int64) -> String {
        let value = max(0, nanoseconds)
        switch value {
        case ..<1_000: return "\(value) ns"
        case ..<1_000_000: return "\(tenths(value, 1_000)) µs"
        case ..<1_000_000_000: return "\(tenths(value, 1_000_000)) ms"
        case ..<60_000_000_000: return "\(tenths(value, 1_000_000_000)) s"
        default:
            let seconds = value / 1_000_000_000
            if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
            return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
        }
    }

    private static func tenths(_ value: Int64, _ unit: Int64) -> String {
        let tenths = value / (unit / 10)
        return tenths >= 1000 || tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
