import Testing

@testable import OpScriptCLI

/// The output of programs in each mode of `--output`.
struct ProgramOutputTests {
    private static let script = #"""
        local queue = OperationQueue { maxConcurrentOperationCount = 1 }
        local function add(name, text)
            local op = work.process.shell(text)
            op.name = name
            return queue:addOperation(op)
        end
        add("a", "printf 'one\\ntwo'; sleep 0.05; echo problem >&2; sleep 0.05; echo ' more'")
        add(nil, "echo unnamed")
        add("silent", "true")
        local bad = add("bad", "echo half; exit 1")
        bad.allowsFailure = true
        local own = add("own", "echo own")
        own.output = "stream"
        queue:addOperation(work.process.run { "echo", "elsewhere", output = "/dev/null" })
        queue:waitUntilAllOperationsAreFinished()
        print("end")
        """#

    private func run(_ mode: String) async throws -> (text: String, errors: String) {
        let run = try await CommandRun.script(Self.script, options: ["--output", mode])
        #expect(run.status == 0)
        return (run.text, run.complaints)
    }

    @Test func `a group is one block below its name and its command line`() async throws {
        let (text, errors) = try await run("group")
        #expect(
            text == #"""
                a: printf 'one\ntwo'; sleep 0.05; echo problem >&2; sleep 0.05; echo ' more'
                one
                twoproblem
                 more
                echo unnamed
                unnamed
                bad: echo half; exit 1
                half
                own
                end

                """#
        )
        #expect(errors == "")
    }

    @Test func `whole lines come behind the name, each in its own stream`() async throws {
        let (text, errors) = try await run("prefix")
        #expect(text == "a | one\na | two more\necho | unnamed\nbad | half\nown\nend\n")
        #expect(errors == "a | problem\n")
    }

    @Test func `a step is shown by the name of the operation around it`() async throws {
        let script = """
            OperationQueue.default:addOperation(Operation { name = "file", main = function()
                await(work.process.shell "echo one")
                local own = work.process.shell "echo two"
                own.name = "own"
                await(own)
            end })
            OperationQueue.default:addOperation(function() await(work.process.shell "echo three") end)
            """
        let run = try await CommandRun.script(script, options: ["--output", "prefix"])
        #expect(Set(run.text.split(separator: "\n")) == ["file | one", "own | two", "echo | three"])
    }

    @Test func `a stream is passed on as it is`() async throws {
        let (text, errors) = try await run("stream")
        #expect(text == "one\ntwo more\nunnamed\nhalf\nown\nend\n")
        #expect(errors == "problem\n")
    }

    @Test func `otherwise nothing is shown, except for an operation with a mode of its own`() async throws {
        let (text, errors) = try await run("errors")
        #expect(text == "own\nend\n")
        #expect(errors == "")
    }

    @Test func `lines come while the program runs`() async throws {
        let scratch = try Scratch()
        // The program waits until its first line has come out of the command.
        let line = """
            mkfifo pipe; "$opscript" --output prefix -e \
            'await(work.process.shell("echo first; while [ ! -e seen ]; do sleep 0.01; done; echo last"))' > pipe & \
            while read -r text; do echo "$text"; touch seen; done < pipe; wait
            """
        let run = try await CommandRun.shell(line, folder: scratch.path)
        #expect(run.text == "echo | first\necho | last\n")
    }

    @Test func `by default, warnings of programs are shown whose results are not used`() async throws {
        let script = #"""
            local function add(text)
                return OperationQueue.default:addOperation(work.process.shell(text))
            end
            local noisy = work.process.shell("echo out; echo 'a warning' >&2")
            noisy.name = "noisy"
            OperationQueue.default:addOperation(noisy)
            add("echo read >&2").completionBlock = function(op) assert(op.result.errorOutput == "read\n") end
            await(add("echo awaited >&2"))
            await(work.process.shell("echo called >&2"))
            for line in add("echo line >&2"):lines("error") do end
            add("echo failed >&2; exit 1").allowsFailure = true
            add("echo cancelled >&2; sleep 1000"):cancel()
            local own = work.process.shell("echo own >&2")
            own.output = "errors"
            OperationQueue.default:addOperation(own)
            """#
        let run = try await CommandRun.script(script)
        #expect(run.status == 0 && run.text == "")
        #expect(run.complaints == "noisy: echo out; echo 'a warning' >&2\na warning\n")
    }

    @Test func `the only program of a script that has ended is passed on`() async throws {
        let scratch = try Scratch()
        // The program waits until its first line has come out of the command.
        let line = """
            mkfifo pipe; "$opscript" -e 'OperationQueue.default:addOperation(work.process.shell [[ \
            echo first; echo note >&2; while [ ! -e seen ]; do sleep 0.01; done; echo last]])' > pipe & \
            while read -r text; do echo "$text"; touch seen; done < pipe; wait
            """
        let run = try await CommandRun.shell(line, folder: scratch.path)
        #expect(run.text == "first\nlast\n")
        #expect(run.complaints == "note\n")
        let again = try await CommandRun.script(
            """
            local op = work.process.shell("cd \(scratch.path); [ -e begun ] && echo second; touch begun; test -e other")
            op.retry = { attempts = 2 }
            OperationQueue.default:addOperation(op)
            """
        )
        #expect(again.text == "second\n", "the next attempt is passed on, too")
    }

    @Test(arguments: [
        "op.completionBlock = function(op) assert(op.result) end",
        "op:observe('outcome', function(change) assert(change.new) end)",
        "op.output = 'errors'",
        "op.retry = { attempts = 2, when = function(error) return false end }",
        "queue:observe('operationCount', function() end)",
        "queue:addOperation(function() end)",
        "Timer.scheduledTimer(0.001, false, function() assert(op.state) end)",
        "async(function() assert(await(op)) end)",
        "queue.isSuspended = false; queue:waitUntilAllOperationsAreFinished()",
        "queue.progress:observe('fractionCompleted', function() end)",
    ])
    func `a program is not passed on if something of the script may look at it`(line: String) async throws {
        let run = try await CommandRun.script(
            """
            local queue = OperationQueue()
            local op = work.process.shell "echo output"
            queue.isSuspended = true
            queue:addOperation(op)
            \(line)
            queue.isSuspended = false
            """
        )
        #expect(run.status == 0 && run.text == "" && run.complaints == "", "\(run)")
    }

    @Test func `a wrong mode is refused`() async throws {
        let run = try await CommandRun.command("--output", "grop", "-e", "")
        #expect(run.status == 2 && run.errors.contains("must be auto, group, prefix, stream or errors"))
    }
}
