import Foundation
import Testing

@testable import OpScript

/// Schedules in zones whose clocks are put forward and back, beside a slow reference.
@Suite struct CronClockChangeTests {
    static let expressions = [
        "* * * * *", "*/5 * * * *", "0 * * * *", "30 2 * * *", "0 2 * * *", "0 0 * * *", "0,30 0-3 * * *",
        "15 1 * * *",
        "59 23 * * *", "30 2 * * 0", "0 3 * 3,10 *", "* 2 * * *", "*/20 2-3 * * *", "0 */2 * * *",
        "45 1 1-31/2 * *",
        "0 0 1 * 1", "10 2,3 * * *", "32 22 * * *", "5 0 29 2 *", "0 12 * * 1-5",
    ]

    static let zones = [
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Antarctica/Troll", "America/Havana",
        "Asia/Beirut",
        "Africa/Casablanca", "Pacific/Apia", "America/Sao_Paulo", "Asia/Kathmandu", "America/St_Johns",
        "Asia/Pyongyang",
    ]

    @Test(arguments: zones)
    func `a zone of the database`(_ name: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        // Kept, since the reference asks at each minute for each expression.
        var known: [Int64: Int64] = [:]
        let offset = { (moment: Int64) -> Int64? in
            if let seconds = known[moment] { return seconds }
            let seconds = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment))))
            known[moment] = seconds
            return seconds
        }
        var change = Date(timeIntervalSince1970: 1_293_840_000)
        var windows: [Range<Int>] = [26_000_000..<26_003_000]
        while let next = zone.nextDaylightSavingTimeTransition(after: change), windows.count < 9 {
            let minute = Int(next.timeIntervalSince1970) / 60
            windows.append(minute - 1700..<minute + 1700)
            change = next
        }
        try compare(windows, offset)
    }

    /// Rules as in the variable TZ: offsets in minutes, and the moments at which they begin, in minutes since 1970.
    @Test(arguments: [
        // Back by two minutes, and forward at midnight.
        [(0, -60), (28_000_000, -58), (28_003_000, -60)],
        [(0, -240), (28_000_560, -180), (28_008_000, -240)],
        // Three hours are the greatest change that is not a correction.
        [(0, 60), (28_000_000, 240), (28_004_000, 60)], [(0, 60), (28_000_000, 241), (28_004_000, 60)],
        // A day is left out, and comes twice.
        [(0, -600), (28_000_000, 840), (28_005_000, -600)],
        // Changes that follow each other soon.
        [(0, 0), (28_000_000, 60), (28_000_030, 120), (28_000_090, 0), (28_000_120, 60)],
    ])
    func `a zone by its rules`(_ rules: [(Int, Int)]) throws {
        try compare([27_998_000..<28_012_000]) { moment in
            rules.last { Int64($0.0) * 60 <= moment }.map { Int64($0.1) * 60 }
        }
    }

    private func compare(_ windows: [Range<Int>], _ offset: @escaping (Int64) -> Int64?) throws {
        let time = LocalTime(offset: offset)
        for text in Self.expressions {
            let schedule = try CronSchedule(text)
            for window in windows {
                let expected = CronReference(text).moments(window, offset)
                // The changes before the beginning of the window are unknown to the reference.
                let start = window.lowerBound + 800
                var found: [Int] = []
                var now = Double(start * 60) - 0.5
                while let next = schedule.next(after: now, time), next < Double(window.upperBound * 60) {
                    try #require(next > now)
                    found.append(Int(next) / 60)
                    now = next
                }
                #expect(found == expected.filter { $0 >= start }, "\(text) in \(window)")
            }
        }
    }

    @Test func `the days of the calendar`() {
        for number in Int64(-800_000)...Int64(800_000) where number % 37 == 0 {
            #expect(CivilDay(number: number).number == number)
        }
        #expect(CivilDay(number: 0) == CivilDay(year: 1970, month: 1, day: 1))
        #expect(CivilDay(number: 11_016) == CivilDay(year: 2000, month: 2, day: 29))
        #expect(CivilDay(number: -1) == CivilDay(year: 1969, month: 12, day: 31))
    }

    @Test func `a rare date`() throws {
        let time = LocalTime { _ in 0 }
        let sunday = try CronSchedule("0 0 29 2 */7").next(after: 1_709_251_200, time)
        // The 29th of February 2032.
        #expect(sunday == 1_961_625_600)
        #expect(try CronSchedule("0 0 29 2 *").next(after: 1_709_251_200, time) == 1_835_395_200)
    }
}
