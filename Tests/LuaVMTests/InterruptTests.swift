import Synchronization
import Testing

@testable import LuaVM

#if canImport(Glibc)
import Glibc
#endif

@Suite struct InterruptTests {
    private func interruptible() -> TestHost {
        let host = TestHost()
        host.define("interrupt") { raw in
            LuaState(raw).vm.interrupt()
            return 0
        }
        return host
    }

    @Test(arguments: [
        "interrupt() while true do end",
        "interrupt() while true do pcall(function() while true do end end) end",
        "interrupt() while true do xpcall(error, function() while true do end end) end",
        "interrupt() while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
        "coroutine.wrap(function() wait() interrupt() while true do end end)()",
        "pcall(interrupt) local n = 0 while true do n = n + #tostring(n) end",
        "setmetatable({}, { __index = function() interrupt() while true do end end }).x = 1 "
            + "local y = setmetatable({}, { __index = function() interrupt() while true do end end }).x",
        "table.sort({ 1, 2, 3 }, function() interrupt() while true do end end)",
        "('a'):gsub('a', function() interrupt() while true do end end)",
        "local x <close> = setmetatable({}, { __close = function() while true do end end }) interrupt() "
            + "while true do end",
        "interrupt() goto there ::there:: goto there",
        "local function f() return f() end interrupt() f()",
        "interrupt() while true do load('return 1') end",
    ])
    func `an endless script is stopped and the machine stays usable`(_ script: String) throws {
        let host = interruptible()
        let error = try host.failure(script)
        #expect(error.message.contains("interrupted: it ran too long without a wait"))
        #expect(!error.frames.isEmpty)
        #expect(try host.results("return pcall(error, wait('caught'))") == ["false", "caught"])
    }

    @Test func `an honest close variable runs when its script is interrupted`() throws {
        let host = interruptible()
        _ = try host.failure(
            """
            local x <close> = setmetatable({}, { __close = function() for i = 1, 1000 do end note("closed") end })
            interrupt()
            while true do end
            """
        )
        #expect(host.notes == ["closed"])
    }

    @Test func `interrupting without running code has no effect`() throws {
        let host = TestHost()
        #expect(!host.vm.interrupt())
        #expect(try host.results("for i = 1, 1000 do end return 1") == ["1"])
    }

    @Test func `a signal stops the script on its thread`() throws {
        let host = TestHost()
        host.define("ready") { _ in
            sem_post(signalGate)
            return 0
        }
        interruptedHandle.store(UInt(bitPattern: host.vm.interruptionHandle), ordering: .releasing)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            guard
                let handle = UnsafeMutableRawPointer(bitPattern: interruptedHandle.load(ordering: .acquiring))
            else { return }
            LuaVM.interrupt(handle, 2)
        }
        action.sa_flags = SA_RESTART
        sigaction(SIGUSR2, &action, nil)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGUSR2)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        scriptThread.store(UInt(pthread_self()), ordering: .releasing)
        var thread = pthread_t()
        #expect(
            pthread_create(
                &thread,
                nil,
                { _ in
                    sem_wait(signalGate)
                    pthread_kill(pthread_t(scriptThread.load(ordering: .acquiring)), SIGUSR2)
                    return nil
                },
                nil
            ) == 0
        )
        let error = try host.failure("ready() while true do pcall(function() while true do end end) end")
        pthread_join(thread, nil)
        interruptedHandle.store(0, ordering: .releasing)
        #expect(error.message.contains("interrupted"))
    }

    @Test(arguments: [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "while true do coroutine.wrap(function() end)() end",
        "for i = 1, math.huge do local t = { i } end",
        "for i = 1, 50 do coroutine.wrap(function() for j = 1, 2000 do end end)() end",
    ])
    func `a limit of instructions ends a slice`(_ script: String) throws {
        let host = TestHost()
        host.vm.setInstructionLimit(50_000)
        let error = try host.failure(script)
        #expect(error.message.contains("limit of 50000 instructions without a wait reached"))
        #expect(try host.results("for i = 1, 1000 do end return 1") == ["1"])
    }

    @Test func `instructions are counted anew after each wait`() throws {
        let host = TestHost()
        host.vm.setInstructionLimit(50_000)
        #expect(
            try host.results("for i = 1, 50 do for j = 1, 5000 do end wait() end return 'done'") == ["done"]
        )
    }
}

/// The memory that the signal handler of the test above reads.
private let interruptedHandle = Atomic<UInt>(0)
private let scriptThread = Atomic<UInt>(0)
nonisolated(unsafe) private let signalGate: UnsafeMutablePointer<sem_t> = {
    // @unchecked because the semaphore is made once and only used by its own calls.
    let gate = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    sem_init(gate, 0, 0)
    return gate
}()
