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
