import OpScript
import Synchronization
import Testing

/// The trace of a run on virtual time: its contents, and that it is the same each time.
@Suite struct TraceTests {
    /// The trace of one run in an engine of its own.
    private func trace(_ script: String, seed: UInt64? = nil, name: String = "=job") async throws -> [String]
    {
        let lines = Lines()
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        configuration.seed = seed
        configuration.standardOutput = { _ in }
        configuration.standardError = { _ in }
        configuration.trace = { lines.append($0) }
        _ = try await ScriptEngine(configuration).run(Array(script.utf8), named: name)
        return lines.all
    }

    @Test func `a trace has each event with its moment and its object`() async throws {
        let lines = try await trace(
            """
            local op = Operation { name = "two\\nlines", main = function() sleep(0.25) print("a\\\\b") end }
            local other = work.sleep(1)
            other:cancel()
            OperationQueue():addOperations({ op, other }, true)
            Timer.scheduledTimer(1e-9, false, function() end)
            clock.run()
            pawait(async(error, "no"))
            """,
            seed: 7
        )
        #expect(
            lines == [
                "# opscript trace 1, seed 7",
                "0 cancelled sleep#1",
                "0 added two\\nlines#2", "0 ready two\\nlines#2", "0 added sleep#1", "0 ready sleep#1",
                "0 finished sleep#1 cancelled", "0 started two\\nlines#2",
                "0.25 printed a\\\\b", "0.25 finished two\\nlines#2 succeeded",
                "0.250000001 fired timer#1",
                "0.250000001 added async#3", "0.250000001 ready async#3", "0.250000001 started async#3",
                "0.250000001 finished async#3 failed",
            ]
        )
    }

    /// Operations of all kinds, retries with jitter, timers, tables with objects as keys.
    private let mixture = """
        local queue, slow = OperationQueue { maxConcurrentOperationCount = 3 }, OperationQueue()
        local sets = {}
        for place = 1, 40 do
            local op = place % 4 == 0 and work.sleep(math.random()) or Operation {
                name = "op" .. place, allowsFailure = true,
                retry = { attempts = 3, delay = 0.1, jitter = 1 },
                main = function()
                    sleep(math.random())
                    if math.random() < 0.3 then error("chance") end
                end,
            }
            sets[op], sets[{}], sets[function() return place end], sets["name" .. place] = place, place, place, place
        end
        for key, place in pairs(sets) do
            if type(key) == "userdata" then
                key.queuePriority = math.random(-1, 1) * 4;
                (place % 2 == 0 and queue or slow):addOperation(key)
            else
                print(type(key), place)
            end
        end
        for place = 1, 5 do
            Timer.scheduledTimer { interval = math.random(), repeats = true, block = function(timer)
                slow:addOperation(function() print(place, timer.fireCount) end)
                if timer.fireCount == 10 then timer:invalidate() end
            end }
        end
        """

    @Test func `one seed is one trace, in every run`() async throws {
        let first = try await trace(mixture, seed: 11)
        #expect(first.count > 400)
        for _ in 1...100 {
            let next = try await trace(mixture, seed: 11)
            #expect(next == first)
        }
        let other = try await trace(mixture, seed: 12)
        #expect(other.dropFirst() != first.dropFirst())
    }

    @Test func `virtual time without a seed is the same each time too`() async throws {
        let first = try await trace(mixture)
        let second = try await trace(mixture, seed: 0)
        #expect(first == second)
    }

    @Test func `real works start in their order, however many there are`() async throws {
        let lines = Lines()
        for _ in 1...5 {
            let starts = Lines()
            var configuration = ScriptEngine.Configuration()
            configuration.clock = .virtual
            configuration.workers = 1
            let engine = ScriptEngine(configuration)
            engine.register("note") { (name: String) in starts.append(name) }
            _ = try await engine.run(
                code: """
                    local list = {}
                    for place = 1, 50 do
                        list[place] = work.note(tostring(place))
                        list[place].queuePriority = place % 3 == 0 and "high" or place % 3 == 1 and "low" or "normal"
                        OperationQueue.default:addOperation(list[place])
                    end
                    await.all(list)
                    assert(clock.now() == 0)
                    """
            )
            lines.append(starts.all.joined(separator: " "))
        }
        let expected = [0, 2, 1].flatMap { rest in (1...50).filter { $0 % 3 == rest } }.map(String.init)
        #expect(Set(lines.all) == [expected.joined(separator: " ")])
    }
}

/// Lines from any thread.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ line: String) { lines.withLock { $0.append(line) } }

    var all: [String] { lines.withLock { $0 } }
}
