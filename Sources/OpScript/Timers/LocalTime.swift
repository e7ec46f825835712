#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The local time of the system's zone, as stretches in which the clock on the wall keeps its distance from UTC.
///
/// - Complexity: A day that is not known yet takes a hundred calls of the C library.
final class LocalTime {
    /// A stretch of time, up to the next one.
    struct Stretch: Equatable {
        /// In seconds since 1970.
        var start: Int64
        /// Seconds by which local time is ahead of UTC.
        var offset: Int64
    }

    static let day: Int64 = 86_400
    /// No zone changes its clock twice in this time.
    private static let step: Int64 = 900
    private static let capacity = 64

    /// By days of UTC since 1970.
    private var days: [Int64: [Stretch]] = [:]
    private let offsetOfZone: (Int64) -> Int64?

    /// - Parameter offset: Seconds by which local time is ahead of UTC at a moment; nil where the calendar ends.
    init(offset: @escaping (Int64) -> Int64? = LocalTime.systemOffset) { offsetOfZone = offset }

    /// Seconds by which local time is ahead of UTC; nil where the calendar ends.
    func offset(at moment: Int64) -> Int64? { offsetOfZone(moment) }

    /// That of the zone of this process.
    private static func systemOffset(at moment: Int64) -> Int64? {
        guard var time = time_t(exactly: moment) else { return nil }
        var parts = tm()
        guard localtime_r(&time, &parts) != nil else { return nil }
        let day = CivilDay(year: Int64(parts.tm_year) + 1900, month: parts.tm_mon + 1, day: parts.tm_mday)
        // Not the field of the C library, which ignores leap seconds in the zones that have them.
        let seconds = Int64(parts.tm_hour) * 3600 + Int64(parts.tm_min) * 60 + Int64(parts.tm_sec)
        return day.number * Self.day + seconds - moment
    }

    /// The stretches of a day of UTC, the first of which begins with the day; nil where the calendar ends.
    func stretches(ofDay day: Int64) -> [Stretch]? {
        let start = day * Self.day
        guard let first = offset(at: start) else { return nil }
        // The zone may have been changed meanwhile.
        if let known = days[day], known.first?.offset == first { return known }
        var result = [Stretch(start: start, offset: first)]
        for moment in stride(from: start, to: start + Self.day, by: Int(Self.step)) {
            guard let last = result.last?.offset, let next = offset(at: moment + Self.step) else {
                return nil
            }
            guard next != last else { continue }
            let change = change(between: moment, and: moment + Self.step, from: last)
            if change < start + Self.day { result.append(Stretch(start: change, offset: next)) }
        }
        if days.count >= Self.capacity { days.removeAll(keepingCapacity: true) }
        days[day] = result
        return result
    }

    /// The first moment at which the offset is another one.
    private func change(between start: Int64, and end: Int64, from offset: Int64) -> Int64 {
        var (low, high) = (start, end)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if self.offset(at: middle) == offset { low = middle } else { high = middle }
        }
        return high
    }
}

/// A day of the calendar.
struct CivilDay: Equatable {
    var year: Int64
    /// From 1.
    var month: Int32
    /// From 1.
    var day: Int32

    init(year: Int64, month: Int32, day: Int32) {
        self.year = year
        self.month = month
        self.day = day
    }

    // Years begin in March here, so that the day of a leap year is the last one. 400 years always have as many days.

    /// The day with a number; 0 is the 1st of January 1970.
    init(number: Int64) {
        let shifted = number + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = Int32(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        month = Int32(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since the 1st of January 1970.
    var number: Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year.floorDivided(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * Int64(month > 2 ? month - 3 : month + 9) + 2) / 5 + Int64(day) - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    /// The quotient, rounded down.
    func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
