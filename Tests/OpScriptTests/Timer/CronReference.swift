/// A slow cron: it looks at each minute, one after the other, as cron(8) describes it.
struct CronReference {
    private let sets: [Set<Int>]
    private let isFixed: Bool
    private let hasBothDays: Bool

    /// - Parameter text: Five fields of numbers, with `*`, lists, ranges and steps.
    init(_ text: String) {
        let fields = text.split(separator: " ").map(String.init)
        let ranges = [0...59, 0...23, 1...31, 1...12, 0...7]
        sets = zip(fields, ranges).map { field, range in
            Set(field.split(separator: ",").flatMap { Self.numbers(String($0), range) })
        }
        isFixed = !(fields[0] + fields[1]).contains("*")
        hasBothDays = !fields[2].hasPrefix("*") && !fields[4].hasPrefix("*")
    }

    private static func numbers(_ item: String, _ range: ClosedRange<Int>) -> [Int] {
        let parts = item.split(separator: "/")
        let ends =
            parts[0] == "*"
            ? [range.lowerBound, range.upperBound] : parts[0].split(separator: "-").compactMap { Int($0) }
        let last = ends.count == 2 ? ends[1] : parts.count == 2 ? range.upperBound : ends[0]
        return Array(stride(from: ends[0], through: last, by: parts.count == 2 ? Int(parts[1]) ?? 1 : 1))
    }

    /// Whether a local minute, counted from 1970, is one of the schedule.
    private func matches(_ minute: Int) -> Bool {
        let day = minute >= 0 ? minute / 1440 : -((-minute + 1439) / 1440)
        guard sets[0].contains(minute - day * 1440 - (minute - day * 1440) / 60 * 60),
            sets[1].contains((minute - day * 1440) / 60)
        else { return false }
        let (month, dayOfMonth) = Self.date(day)
        let weekday = ((day + 4) % 7 + 7) % 7
        guard sets[3].contains(month) else { return false }
        let byDay = sets[2].contains(dayOfMonth)
        let byWeekday = sets[4].contains(weekday) || weekday == 0 && sets[4].contains(7)
        return hasBothDays ? byDay || byWeekday : byDay && byWeekday
    }

    /// Month and day of a day since 1970, counted year by year.
    private static func date(_ day: Int) -> (Int, Int) {
        var (year, rest) = (1970, day)
        func isLeap(_ year: Int) -> Bool { year % 4 == 0 && year % 100 != 0 || year % 400 == 0 }
        while rest >= (isLeap(year) ? 366 : 365) {
            rest -= isLeap(year) ? 366 : 365
            year += 1
        }
        let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        for (month, length) in lengths.enumerated() {
            if rest < length { return (month + 1, rest + 1) }
            rest -= length
        }
        preconditionFailure("the days of a year are its months")
    }

    /// All moments in an interval of minutes since 1970. One that is due twice is there twice.
    func moments(_ interval: Range<Int>, _ offset: (Int64) -> Int64?) -> [Int] {
        var due: [Int] = []
        var last: Int?
        for minute in interval {
            let local = minute + Int(offset(Int64(minute) * 60) ?? 0) / 60
            var done = last ?? local - 1
            if !isFixed || abs(local - done - 1) > 180 { done = local - 1 }
            if done < local {
                for moment in (done + 1)...local where matches(moment) { due.append(minute) }
                done = local
            }
            last = done
        }
        return due
    }
}
