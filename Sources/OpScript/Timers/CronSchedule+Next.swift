/// When a schedule is due, as in Debian's cron(8), "Notes".
///
/// If the clock is put forward by up to three hours, a fixed job whose moment is missing is due at once after that. If
/// it is put back by up to three hours, a fixed job is not due again in the time that is repeated. All other jobs, and
/// all jobs after a greater change, follow the clock.
extension CronSchedule {
    /// Greater changes of the clock are corrections.
    private static let greatestChange: Int64 = 3 * 3600
    /// For so long before a moment, changes of the clock matter to it.
    private static let memory: Int64 = 12 * 3600
    /// A date on a day of the week, such as Sunday the 29th of February, occurs within 40 years.
    private static let horizon: Int64 = 44 * 366 * LocalTime.day
    /// Between missing moments, which are all due at once.
    private static let pause = 0.001

    /// The next moment after `now`, in seconds since 1970; nil if there is none.
    func next(after now: Double, _ zone: LocalTime) -> Double? {
        guard abs(now) < 1e15 else { return nil }
        let second = Int64(now.rounded(.down))
        var place = second - Self.memory
        let end = place + Self.horizon
        /// A fixed job has been due at all local moments before this one.
        var done: Int64?
        while place < end {
            guard let offset = zone.offset(at: place) else { return nil }
            let today = (place + offset).floorDivided(by: LocalTime.day)
            guard let day = nextDay(from: today, count: 44 * 366) else { return nil }
            if day > today + 5 {
                place = (day - 3) * LocalTime.day
                done = nil
                continue
            }
            let number = place.floorDivided(by: LocalTime.day)
            let following = (number + 1) * LocalTime.day
            guard let stretches = zone.stretches(ofDay: number) else { return nil }
            for (index, stretch) in stretches.enumerated() {
                let until = index + 1 < stretches.count ? stretches[index + 1].start : following
                guard until > place else { continue }
                let local = max(place, stretch.start) + stretch.offset
                var first = local
                if isFixed {
                    first = done ?? local
                    if abs(first - local) > Self.greatestChange { first = local }
                    if first < local, let due = missing(from: first, upTo: local, stretch.offset, now) {
                        return due
                    }
                    first = max(first, local)
                    done = max(first, until + stretch.offset)
                }
                first = max(first, second + 1 + stretch.offset)
                if let due = moment(from: first, before: until + stretch.offset) {
                    return Double(due - stretch.offset)
                }
            }
            place = following
        }
        return nil
    }

    /// The first one after `now` of the moments that are missing before a local moment, and of that moment itself: all
    /// of them are due then.
    private func missing(from first: Int64, upTo local: Int64, _ offset: Int64, _ now: Double) -> Double? {
        var due = Double(local - offset)
        var next = moment(from: first, before: local + 1)
        while let moment = next {
            if due > now { return due }
            due += Self.pause
            next = self.moment(from: moment + 60, before: local + 1)
        }
        return nil
    }

    /// The number of the next day that matches.
    private func nextDay(from first: Int64, count: Int64) -> Int64? {
        var day = first
        while day < first + count {
            if matchesDay(day) { return day }
            day += 1
        }
        return nil
    }

    /// The first local moment in an interval, in seconds; nil if there is none.
    private func moment(from first: Int64, before end: Int64) -> Int64? {
        var moment = (first + 59).floorDivided(by: 60) * 60
        while moment < end {
            let day = moment.floorDivided(by: LocalTime.day)
            let minute = (moment - day * LocalTime.day) / 60
            let laterHours = matchesDay(day) ? hours >> UInt64(minute / 60) : 0
            if laterHours == 0 {
                moment = (day + 1) * LocalTime.day
            } else if laterHours & 1 == 0 {
                moment = day * LocalTime.day + (minute / 60 + Int64(laterHours.trailingZeroBitCount)) * 3600
            } else {
                let later = minutes >> UInt64(minute % 60)
                guard later == 0 else {
                    moment += Int64(later.trailingZeroBitCount) * 60
                    return moment < end ? moment : nil
                }
                moment += (60 - minute % 60) * 60
            }
        }
        return nil
    }
}
