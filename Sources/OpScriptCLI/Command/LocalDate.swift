internal import Glibc

/// A date of the calendar as a user writes it: `2026-03-28`, `2026-03-28T23:00`, `2026-03-28T23:00:30`.
struct LocalDate: Equatable {
    /// As the user wrote it.
    let text: String
    /// Year, month, day, hour, minute, second.
    private let numbers: [Int32]

    init?(_ text: String) {
        let halves = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard let day = Self.numbers(halves[0], "-", [4, 2, 2]) else { return nil }
        var time: [Int32] = [0, 0, 0]
        if halves.count == 2 {
            guard
                let given = Self.numbers(halves[1], ":", [2, 2, 2]) ?? Self.numbers(halves[1], ":", [2, 2])
            else { return nil }
            time = given + (given.count == 2 ? [0] : [])
        }
        guard time[0] < 24, time[1] < 60, time[2] < 60 else { return nil }
        self.text = text
        numbers = day + time
        // The C library would make the 1st of March of the 30th of February.
        var parts = parts
        guard timegm(&parts) != -1, parts.tm_mday == numbers[2], parts.tm_mon + 1 == numbers[1] else {
            return nil
        }
    }

    /// Numbers with fixed counts of digits.
    private static func numbers(_ text: Substring, _ separator: Character, _ digits: [Int]) -> [Int32]? {
        let words = text.split(separator: separator, omittingEmptySubsequences: false)
        guard words.map(\.utf8.count) == digits else { return nil }
        let numbers = words.compactMap { $0.utf8.allSatisfy { 48...57 ~= $0 } ? Int32($0) : nil }
        return numbers.count == digits.count ? numbers : nil
    }

    private var parts: tm {
        var parts = tm()
        parts.tm_year = numbers[0] - 1900
        parts.tm_mon = numbers[1] - 1
        (parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec) = (
            numbers[2], numbers[3], numbers[4], numbers[5]
        )
        parts.tm_isdst = -1
        return parts
    }

    /// The moment in the time zone of this process.
    var secondsSince1970: Double {
        var parts = parts
        return Double(mktime(&parts))
    }

    /// Whether the C library knows a time zone; it takes an unknown one for UTC.
    static func isTimeZone(_ name: String) -> Bool {
        if name.isEmpty || name.utf8.contains(0) { return false }
        // A rule: a name of letters, or in angle brackets, then the distance from UTC.
        if name.wholeMatch(of: #/(?:[A-Za-z]{3,}|<[-+0-9A-Za-z]{3,}>)[-+]?[0-9].*/#) != nil { return true }
        guard !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else { return false }
        let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
        var status = stat()
        return name == "UTC" || stat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
