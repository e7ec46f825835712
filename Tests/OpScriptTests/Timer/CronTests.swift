import OpScript
import Testing

/// Timers that follow a schedule of minutes and hours.
@Suite struct CronTests {
    /// Two clocks are read one after the other to find the deadline, so one `fireDate` in ten was some nanoseconds
    /// before its minute.
    @Test func `the date of the next fire is a whole minute, at each read`() async throws {
        let script = """
            for _ = 1, 1000 do
                local timer = Timer.cron("*/5 * * * *", function() end)
                assert(timer.fireDate % 300 == 0, timer.fireDate)
                timer:invalidate()
            end
            """
        _ = try await ScriptEngine().run(code: script)
    }

    @Test func `a date that the script sets goes before the calendar`() async throws {
        let script = """
            local timer = Timer.cron("*/5 * * * *", function() end)
            timer.fireDate = clock.date() + 7
            assert(math.abs(timer.fireDate - clock.date() - 7) < 3)
            timer:invalidate()
            """
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        _ = try await ScriptEngine(configuration).run(code: script)
    }

    @Test func `each minute of the schedule fires once`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        let script = """
            local fires = 0
            for start = 1, 200 do
                sleep(1 + start / 7)                 -- begins between two minutes, each time elsewhere
                local last
                Timer.cron("* * * * *", function(timer)
                    local minute = math.floor(clock.date() / 60 + 0.5)
                    if last and minute ~= last + 1 then error("minute " .. minute .. " after " .. last) end
                    last = minute
                    fires = fires + 1
                    if timer.fireCount == 10 then timer:invalidate() end
                end)
            end
            while fires < 2000 do sleep(60) end
            """
        let report = try await ScriptEngine(configuration).run(code: script)
        #expect(report.duration > 10 * 60)
    }
}
