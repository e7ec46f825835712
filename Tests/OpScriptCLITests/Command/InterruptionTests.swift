import Testing

/// Ctrl-C, and the remains of a killed command's work.
@Suite struct InterruptionTests {
    @Test func `the first signal cancels, and completion blocks run`() async throws {
        let script = """
            local op = work.sleep(1000)
            op.completionBlock = function(op) print("completed", op.outcome) end
            op:observe("isExecuting", function(change)
                if change.new then io.popen("kill -INT $PPID"):close() end
            end)
            OperationQueue():addOperation(op)
            """
        let run = try await CommandRun.script(script)
        #expect(run.status == 130)
        #expect(run.text == "completed\tcancelled\n")
        #expect(run.errors.contains("interrupted"))
    }

    @Test func `the second signal ends the command at once`() async throws {
        // Shielded, it continues after the first one; two within a moment count as one, so the signal is sent
        // again and again.
        let script = """
            print("before")
            io.stdout:flush()
            shield(function()
                while true do
                    io.popen("kill -INT $PPID"):close()
                    sleep(0.1)
                end
            end)
            """
        let run = try await CommandRun.script(script)
        #expect(run.status == 130)
        #expect(run.text == "before\n")
        #expect(run.errors.contains("ended at once"))
    }

    @Test(arguments: [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        // Each cancelled wait ends at once, so nothing is waited for here either.
        "async(function() while true do pcall(sleep, 10) end end) while true do pcall(sleep, 10) end",
        "async(function() sleep(0) end).completionBlock = function() while true do end end sleep(100)",
    ])
    func `one signal ends a script that never waits`(_ loop: String) async throws {
        let run = try await CommandRun.script("io.popen('kill -TERM $PPID'):close() \(loop)")
        #expect(run.status == 143)
        #expect(run.errors.contains("interrupted: cancelling the run"))
        // The loop of waits is ended by an error that cannot be caught any more.
        let isInterrupted = run.errors.contains(
            "1: interrupted, because the run was cancelled and this code did"
        )
        #expect(isInterrupted == loop.contains("while true do end"))
        #expect(!run.errors.contains("ended at once"))
    }

    @Test func `the time limit ends a script that never waits`() async throws {
        let run = try await CommandRun.command("--timeout", "0.1", "-e", "while true do end")
        #expect(run.status == 124)
        #expect(!run.errors.contains("ended at once"))
    }

    @Test func `clean-up that waits is not ended by one signal`() async throws {
        let script = """
            shield(function()
                io.popen("kill -TERM $PPID"):close()
                for i = 1, 30 do sleep(0.1) end
            end)
            print("clean")
            """
        let run = try await CommandRun.script(script)
        #expect(run.status == 143)
        #expect(run.text == "clean\n")
    }

    @Test func `a killed command leaves no half-written file behind`() async throws {
        let scratch = try Scratch()
        // Killed as soon as it is seen that some of the bytes have been written.
        let script = """
            local op = work.file.write("big", ("x"):rep(1 << 28))
            OperationQueue():addOperation(op)
            while op.progress.completedUnitCount == 0 do sleep(0) end
            io.popen("kill -KILL $PPID"):close()
            """
        let run = try await CommandRun.program(
            CommandRun.commandPath,
            ["-"],
            input: script,
            folder: scratch.path
        )
        #expect(run.end == .signalled(9))
        // On a machine so busy that the script came late, the file exists and is complete.
        let sizes = try await CommandRun.shell("stat -c '%n %s' *", folder: scratch.path)
        #expect(["", "big \(1 << 28)\n"].contains(sizes.text), "\(sizes.text)")
        #expect(try scratch.names().allSatisfy { $0 == "big" })
    }
}
