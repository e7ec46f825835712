/// Five fields that determine the minutes at which a timer is due: minute, hour, day of the month, month, day
/// of the week.
///
/// As in crontab(5): numbers, `*`, lists, ranges, steps, three-letter names of months and days. If both the day of the
/// month and the day of the week are restricted, one match is enough. Times are local.
struct CronSchedule {
    /// The fault in the text.
    struct Mismatch: Error {
        let sentence: String
    }

    /// The five fields as the script gave them, with one blank between two.
    let text: String
    /// Whether neither the minute nor the hour has a `*`. Such a job runs once even if its moment is missing or comes
    /// twice because the clock is put forward or back; all others follow the clock.
    let isFixed: Bool
    let minutes: UInt64
    let hours: UInt64
    private let days: UInt64
    private let months: UInt64
    private let weekdays: UInt64
    private let anyDay: Bool
    private let anyWeekday: Bool

    init(_ text: String) throws(Mismatch) {
        let fields = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard fields.count == 5 else {
            throw Mismatch(
                sentence: "five fields expected, as in \"*/5 * * * *\", got \(fields.count) in '\(text)'"
            )
        }
        self.text = fields.joined(separator: " ")
        let monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        let dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        minutes = try Self.set(fields[0], "minute", 0...59)
        hours = try Self.set(fields[1], "hour", 0...23)
        days = try Self.set(fields[2], "day of the month", 1...31)
        months = try Self.set(fields[3], "month", 1...12, names: monthNames, firstName: 1)
        var weekdays = try Self.set(fields[4], "day of the week", 0...7, names: dayNames, firstName: 0)
        if weekdays & 1 << 7 != 0 { weekdays |= 1 }
        self.weekdays = weekdays & 0x7f
        isFixed = !fields[0].contains("*") && !fields[1].contains("*")
        anyDay = fields[2].hasPrefix("*")
        anyWeekday = fields[4].hasPrefix("*")
        guard canOccur else {
            throw Mismatch(sentence: "this date never occurs: no month of '\(self.text)' has such a day")
        }
    }

    /// Whether a month has one of the days. In the course of the years, each date falls on each day of the week.
    private var canOccur: Bool {
        // Then the day of the week is sufficient.
        if !anyDay, !anyWeekday { return true }
        let lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return lengths.enumerated().contains { place, length in
            months & 1 << UInt64(place + 1) != 0 && days & (1 << UInt64(length + 1) - 1) != 0
        }
    }

    private static func set(
        _ field: Substring,
        _ what: String,
        _ range: ClosedRange<Int>,
        names: [String] = [],
        firstName: Int = 0
    ) throws(Mismatch) -> UInt64 {
        func number(_ text: Substring) throws(Mismatch) -> Int {
            if let place = names.firstIndex(of: text.lowercased()) { return place + firstName }
            guard let value = Int(text), range.contains(value) else {
                throw Mismatch(
                    sentence:
                        "\(what) from \(range.lowerBound) to \(range.upperBound) expected, got '\(text)'"
                )
            }
            return value
        }
        var result: UInt64 = 0
        for item in field.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            var step = 1
            if parts.count == 2 {
                guard let value = Int(parts[1]), value > 0 else {
                    throw Mismatch(sentence: "a step above 0 expected for the \(what), got '\(parts[1])'")
                }
                step = value
            }
            var bounds = range
            if parts[0] != "*" {
                let ends = parts[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
                let low = try number(ends[0])
                let high = ends.count == 2 ? try number(ends[1]) : parts.count == 2 ? range.upperBound : low
                guard low <= high else {
                    throw Mismatch(
                        sentence: "a range that goes up expected for the \(what), got '\(parts[0])'"
                    )
                }
                bounds = low...high
            }
            for value in stride(from: bounds.lowerBound, through: bounds.upperBound, by: step) {
                result |= 1 << UInt64(value)
            }
        }
        return result
    }

    /// Whether a day, by its number, is one of the days.
    func matchesDay(_ number: Int64) -> Bool {
        let civil = CivilDay(number: number)
        guard months & 1 << UInt64(civil.month) != 0 else { return false }
        let day = days & 1 << UInt64(civil.day) != 0
        // The 1st of January 1970 was a Thursday.
        let weekday = weekdays & 1 << UInt64((number + 4) - (number + 4).floorDivided(by: 7) * 7) != 0
        // A field that begins with `*` may have a step, so it restricts, too; but then both have to match.
        return anyDay || anyWeekday ? day && weekday : day || weekday
    }
}
