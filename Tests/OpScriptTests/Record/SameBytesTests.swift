import OpScript
import OpScriptRecord
import Synchronization
import Testing

/// Two runs with the same seed on virtual time produce the same bytes in every format.
@Suite struct SameBytesTests {
    private let script = """
        local queue, slow = OperationQueue { name = "q", maxConcurrentOperationCount = 3 }, OperationQueue()
        local before
        for place = 1, 60 do
            local op = place % 4 == 0 and work.sleep(math.random()) or Operation {
                name = "op" .. place, allowsFailure = true,
                retry = { attempts = 3, delay = 0.1, jitter = 1 },
                main = function()
                    sleep(math.random())
                    if math.random() < 0.3 then error("chance") end
                end,
            }
            if before and math.random() < 0.5 then op:addDependency(before, "finished") end
            before = op;
            (place % 2 == 0 and queue or slow):addOperation(op)
        end
        Timer.scheduledTimer(0.5, false, function() slow:addOperation(function() sleep(1) end) end)
        """

    private func record(seed: UInt64) async throws -> RunRecord {
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        configuration.seed = seed
        configuration.recordsRuns = true
        let report = try await ScriptEngine(configuration).run(code: script, named: "=job")
        return try #require(report.record)
    }

    private func bytes(_ record: RunRecord, _ format: RecordFormat) throws -> [UInt8] {
        let sum = Mutex<[UInt8]>([])
        try record.write(format) { bytes in sum.withLock { $0 += bytes } }
        return sum.withLock { $0 }
    }

    @Test func `one seed produces the same bytes in every format`() async throws {
        let (first, second) = (try await record(seed: 5), try await record(seed: 5))
        let other = try await record(seed: 6)
        for format in RecordFormat.allCases {
            let expected = try bytes(first, format)
            #expect(try bytes(second, format) == expected, "\(format)")
            #expect(try bytes(other, format) != expected, "\(format)")
        }
    }
}
