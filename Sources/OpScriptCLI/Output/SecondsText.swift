/// Writes durations in a readable form.
enum SecondsText {
    /// `0.12 s`, `1.2 s`, `31 s`, `2 min 5 s`, `3 h 20 min`.
    static func short(_ seconds: Double) -> String {
        // It accepts NaN, too.
        guard seconds > 0 else { return "0 s" }
        guard seconds < 1e12 else { return "ever" }
        if seconds < 0.995 { return "\(decimal(seconds, digits: 2)) s" }
        if seconds < 9.95 { return "\(decimal(seconds, digits: 1)) s" }
        let whole = Int(seconds.rounded())
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }

    /// The same for nanoseconds, with smaller units for short times: `340 µs`, `12 ms`.
    static func fine(_ nanoseconds: Int64) -> String {
        switch nanoseconds {
        case ..<0: "0 s"
        case ..<10_000: "\(nanoseconds) ns"
        case ..<10_000_000: "\(nanoseconds / 1000) µs"
        case ..<995_000_000: "\(nanoseconds / 1_000_000) ms"
        default: short(Double(nanoseconds) / 1e9)
        }
    }

    private static func decimal(_ value: Double, digits: Int) -> String {
        let scale = digits == 2 ? 100 : 10
        let units = Int((value * Double(scale)).rounded())
        let fraction = String(units % scale)
        var text = "\(units / scale).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
