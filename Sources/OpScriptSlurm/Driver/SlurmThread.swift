internal import Glibc
internal import OpScript
internal import OpScriptWorks

/// The thread that performs what the rules want: it starts Slurm's programs, reads them, and writes files.
///
/// Everything in it belongs to that one thread. It never waits for one program alone, so a controller that does not
/// answer holds no pilot up.
final class SlurmThread {
    private let settings: SlurmSettings
    private let slurmRun: SlurmRun
    private let inbox: SlurmInbox
    private var folder: SharedFolder { slurmRun.folder }
    private var machine: SlurmMachine
    /// The calls that have not ended.
    private var calls: [UInt64: RemoteCall] = [:]
    private var programs: [SlurmProgram] = []
    /// Where the calls are that were submitted as jobs.
    private var places: [UInt64: BatchPlace] = [:]
    private var isClosing = false
    private var isDetached = false
    private var hasEndedLeftJobs = false
    private var hasPilots = false
    private var keepsFiles = false
    /// When pilots hear next that the driver is there.
    private var nextPing = 0.0
    private var hasFolder = false
    /// Whether a person knows that Slurm takes no jobs now, or does not list them.
    private var hasWarnedOfRefusal = false
    private var hasWarnedOfSilence = false
    private var scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init(_ run: SlurmRun, _ inbox: SlurmInbox) {
        slurmRun = run
        settings = run.settings
        self.inbox = inbox
        machine = SlurmMachine(settings.rules)
        machine.lastBatch = run.held.lastBatch
    }

    deinit { scratch.deallocate() }

    private var now: Double {
        var value = timespec()
        clock_gettime(CLOCK_MONOTONIC, &value)
        return Double(value.tv_sec) + Double(value.tv_nsec) / 1e9
    }

    /// Runs until the run is closed and nothing is left on the cluster.
    func run() {
        while true {
            takeWishes()
            machine.passed(to: now)
            perform()
            if isClosing, calls.isEmpty, programs.isEmpty {
                if endsLeftJobs() { continue }
                if !keepsFiles { folder.remove() }
                if inbox.ends() { return }
            }
            wait()
        }
    }

    /// At the end of a run, ends the jobs that have its name, once: those of the run before it that it has not asked
    /// for, one that Slurm's list did not have, and the allocation of a pilot whose `srun` was killed.
    private func endsLeftJobs() -> Bool {
        guard !isDetached, !hasEndedLeftJobs, hasFolder || hasPilots else { return false }
        hasEndedLeftJobs = true
        start(.ending([]), ["scancel", "--quiet", "--name=\(slurmRun.name)"], input: [], seconds: 30)
        return true
    }

    private func takeWishes() {
        for wish in inbox.take() {
            switch wish {
            case .call(let call):
                guard prepare(call) else { continue }
                calls[call.number] = call
                take(call)
            case .cancel(let number): machine.cancelled(number, at: now)
            case .detach:
                isDetached = true
                machine.detached(at: now)
            case .close(let keepsFiles):
                isClosing = true
                self.keepsFiles = keepsFiles
                machine.closed(at: now)
                // Submissions and questions that are under way are of no use any more.
                for program in programs {
                    switch program.purpose {
                    case .pilot, .ending: continue
                    case .submission where isDetached: continue
                    case .submission, .question: break
                    }
                    program.deadline = min(program.deadline ?? .infinity, now + 5)
                }
            }
        }
    }

    private func take(_ call: RemoteCall) {
        let facts = SlurmMachine.Call(
            number: call.number,
            name: call.name,
            options: call.options,
            priority: call.priority,
            timeLimit: call.timeLimit,
            mayRepeat: call.mayRepeat
        )
        if let held = call.key.flatMap({ slurmRun.held.take($0) }), call.mayAwaitEarlierBody {
            places[call.number] = held.place
            machine.found(facts, at: held.place, of: held.count, now)
        } else {
            machine.called(facts, at: now)
        }
    }

    /// Makes the folder before the first job.
    private func prepare(_ call: RemoteCall) -> Bool {
        if hasFolder || call.options.pilots != nil { return true }
        do throws(ScriptError) {
            try folder.make()
            hasFolder = true
            return true
        } catch {
            call.end(.failure(error))
            return false
        }
    }

    // MARK: Actions

    private func perform() {
        while true {
            let actions = machine.takeActions()
            if actions.isEmpty { return }
            for action in actions { perform(action) }
        }
    }

    private func perform(_ action: SlurmMachine.Action) {
        switch action {
        case .submit(let batch, let numbers, let words): submit(batch, numbers, words)
        case .askForStates: ask()
        case .lookForResults:
            let start = now
            machine.resultsSeen(folder.results())
            // A folder that is slow to read is read less often.
            machine.looked(taking: now - start, at: now)
        case .endJobs(let jobs):
            start(.ending(jobs), ["scancel"] + jobs, input: [], seconds: 30)
        case .readResult(let number, let name): readResult(number, name)
        case .startPilot(let pilot, let options): startPilot(pilot, options)
        case .give(let number, let pilot):
            if let call = calls[number] { give(call, to: pilot) }
        case .stop(let number, let pilot): send(.stop(number), to: pilot)
        case .closePilot(let pilot):
            send(.finish, to: pilot)
            program(of: pilot)?.closeInput()
        case .endPilot(let pilot): program(of: pilot)?.process.send(signal: SIGTERM)
        case .report(let number, let place):
            guard let call = calls[number] else { return }
            call.report(place: place)
            slurmRun.places.set(place, of: number)
        case .end(let number, let ending): end(number, ending)
        case .warn(let text): settings.warn(text)
        }
    }

    private func end(_ number: UInt64, _ ending: SlurmMachine.Ending) {
        let place = places.removeValue(forKey: number)
        slurmRun.places.set(nil, of: number)
        guard let call = calls.removeValue(forKey: number) else { return }
        if settings.lasts, let place, ending != .left {
            folder.markFailed(batch: place.batch, index: place.index)
        }
        var output = ""
        if case .withoutResult = ending, let place {
            output = folder.outputEnd(batch: place.batch, index: place.index)
        }
        call.end(.failure(ending.error(output: output)))
    }

    private func readResult(_ number: UInt64, _ name: ResultName) {
        let report = folder.result(name)
        places[number] = nil
        slurmRun.places.set(nil, of: number)
        if case .succeeded = report?.end, settings.lasts {
            // It stays until the run has ended well: the journal may not have it yet.
        } else {
            if settings.lasts { folder.markFailed(batch: name.batch, index: name.index) }
            folder.remove(name)
        }
        if let call = calls.removeValue(forKey: number) {
            if let report {
                report.deliver(to: call)
            } else {
                let text =
                    "'\(call.name)': the result of its job is damaged: \(folder.path)/results/\(name.text)"
                call.end(.failure(ScriptError(.host, text)))
            }
        }
        machine.resultRead(number)
    }

    // MARK: Programs

    private func submit(_ batch: Int, _ numbers: [UInt64], _ words: [String]) {
        do throws(ScriptError) {
            try folder.write(batch: batch, numbers.compactMap { calls[$0] }.map(TaskMessage.init))
        } catch {
            return machine.batchRefused(batch, SlurmRefusal(.final, error.message), at: now)
        }
        for (index, number) in numbers.enumerated() {
            places[number] = BatchPlace(batch: batch, index: index)
        }
        let worker = (settings.worker + ["--task", folder.path, "\(batch)"]).map(quoted).joined(
            separator: " "
        )
        let script = "#!/bin/sh\nexec \(worker) \"$SLURM_ARRAY_TASK_ID\"\n"
        let line =
            ["sbatch", "--parsable", "--job-name=\(slurmRun.name)", "--comment=\(batch)"]
            + ["--array=0-\(numbers.count - 1)", "--output=\(escaped(folder.path))/output/\(batch).%a.txt"]
            + ["--open-mode=append"] + words
        start(.submission(batch: batch), line, input: Array(script.utf8), seconds: 60)
    }

    private func ask() {
        let line = [
            "squeue", "--noheader", "--states=all", "--name=\(slurmRun.name)",
            "--Format=\(JobListing.format)",
        ]
        start(.question, line, input: [], seconds: 30)
    }

    private func startPilot(_ pilot: Int, _ options: ClusterOptions) {
        hasPilots = true
        var line = [
            "srun", "--quiet", "--nodes=1", "--ntasks=1", "--job-name=\(slurmRun.name)",
            "--comment=pilot\(pilot)",
        ]
        // Inside an allocation it is a step of it, and must not take all of it.
        if getenv("SLURM_JOB_ID") != nil { line.append("--exact") }
        line += options.words(minutes: options.minutes) + settings.worker + ["--pilot", folder.path]
        start(.pilot(pilot), line, input: nil, seconds: nil)
    }

    private func start(_ purpose: SlurmProgram.Purpose, _ words: [String], input: [UInt8]?, seconds: Double?)
    {
        // The command waits for 15 s when it closes.
        let seconds = isClosing ? seconds.map { min($0, 5) } : seconds
        do throws(ScriptError) {
            let program = try SlurmProgram(purpose, words, input: input, deadline: seconds.map { now + $0 })
            programs.append(program)
        } catch {
            ended(purpose, "", SlurmRefusal(.final, error.message))
        }
    }

    private func program(of pilot: Int) -> SlurmProgram? {
        programs.first { if case .pilot(pilot) = $0.purpose { true } else { false } }
    }

    private func send(_ order: PilotOrder, to pilot: Int) {
        program(of: pilot)?.write(MessageFrames.frame(order.bytes))
    }

    private func give(_ call: RemoteCall, to pilot: Int) {
        let task = TaskMessage(call)
        let bytes = task.bytes
        guard bytes.count > SharedFolder.mostMessageBytes else { return send(.run(task), to: pilot) }
        do throws(ScriptError) {
            send(.runStored(call.number, try folder.store(bytes)), to: pilot)
        } catch {
            // The folder takes no large values: the body ends, and the pilot has not got it.
            ended(call.number, on: pilot, .failure(error))
        }
    }

    // MARK: Waiting

    private func wait() {
        var descriptors = [pollfd(fd: inbox.bell, events: Int16(POLLIN), revents: 0)]
        var deadlines: [Double] = machine.nextMoment.map { [$0] } ?? []
        let answered = programs.filter { program in
            if case .pilot(let pilot) = program.purpose { machine.pilots[pilot]?.node != nil } else { false }
        }
        if !answered.isEmpty { deadlines.append(nextPing) }
        for program in programs {
            descriptors.append(pollfd(fd: program.process.output, events: Int16(POLLIN), revents: 0))
            descriptors.append(pollfd(fd: program.process.errorOutput, events: Int16(POLLIN), revents: 0))
            descriptors.append(pollfd(fd: program.process.process, events: Int16(POLLIN), revents: 0))
            descriptors.append(
                pollfd(
                    fd: program.hasPending ? program.process.input : -1,
                    events: Int16(POLLOUT),
                    revents: 0
                )
            )
            if let deadline = program.deadline { deadlines.append(deadline) }
        }
        let pause = deadlines.min().map { min(60, max(0, $0 - now)) } ?? 60
        poll(&descriptors, nfds_t(descriptors.count), Int32((pause * 1000).rounded(.up)))
        if !answered.isEmpty, now >= nextPing {
            nextPing = now + SlurmWorker.pause
            for program in answered {
                program.write(MessageFrames.frame(PilotOrder.ping.bytes))
            }
        }
        var left: [SlurmProgram] = []
        var finished: [SlurmProgram] = []
        for (place, program) in programs.enumerated() {
            let events = descriptors[(1 + 4 * place)...].prefix(4).map(\.revents)
            if events[3] != 0 { program.feed() }
            if events[0] != 0 || events[1] != 0 || events[2] != 0 { program.read(scratch) }
            if case .pilot(let pilot) = program.purpose { takeReports(program, pilot) }
            if let deadline = program.deadline, now >= deadline { program.process.send(signal: SIGKILL) }
            if events[2] == 0 {
                left.append(program)
            } else {
                finished.append(program)
            }
        }
        programs = left
        for program in finished { ended(program) }
    }

    private func takeReports(_ program: SlurmProgram, _ pilot: Int) {
        while let bytes = program.frames.next() {
            switch PilotReport(bytes) {
            case .ready(let node): machine.pilotSaid(pilot, .ready(node: node), at: now)
            case .began(let number): machine.pilotSaid(pilot, .began(number), at: now)
            case .progress(let number, let completed, let total, let text):
                calls[number]?.report(completed: completed, of: total, text: text)
            case .ended(let number, let end): ended(number, on: pilot, end)
            case .endedStored(let number, let name):
                let end = folder.stored(name)
                folder.removeStored(name)
                ended(number, on: pilot, end ?? [])
            case nil: program.process.send(signal: SIGTERM)
            }
        }
        if program.frames.areForeign {
            program.note("the output of srun is not that of a worker of this command")
            program.process.send(signal: SIGTERM)
        }
    }

    /// A body of a pilot has ended.
    private func ended(_ number: UInt64, on pilot: Int, _ end: [UInt8]) {
        if let report = TaskReport(end) {
            if let call = calls[number] { report.deliver(to: call) }
            return ended(number, on: pilot, .success(()))
        }
        let name = calls[number]?.name ?? "operation"
        ended(number, on: pilot, .failure(ScriptError(.host, "the result of '\(name)' has arrived damaged")))
    }

    /// - Parameter delivery: The reason why the call has not got its end yet, if it has not.
    private func ended(_ number: UInt64, on pilot: Int, _ delivery: Result<Void, ScriptError>) {
        slurmRun.places.set(nil, of: number)
        let call = calls.removeValue(forKey: number)
        if case .failure(let error) = delivery { call?.end(.failure(error)) }
        machine.pilotSaid(pilot, .ended(number), at: now)
    }

    /// A program has ended.
    private func ended(_ program: SlurmProgram) {
        let status = program.process.takeEnd()
        let output = String(decoding: program.output, as: UTF8.self)
        if case .pilot = program.purpose {
            return ended(program.purpose, output, program.refusal(status: status))
        }
        ended(program.purpose, output, status == 0 ? nil : program.refusal(status: status))
    }

    private func ended(_ purpose: SlurmProgram.Purpose, _ output: String, _ refusal: SlurmRefusal?) {
        switch purpose {
        case .submission(let batch):
            let job = output.split(separator: "\n").first?.split(separator: ";").first.map(String.init)
            if let refusal {
                if refusal.kind != .final, !hasWarnedOfRefusal, !isClosing {
                    hasWarnedOfRefusal = true
                    settings.warn("Slurm takes no jobs now, and is asked again: \(refusal.text)")
                }
                machine.batchRefused(batch, refusal, at: now)
            } else if let job, Int(job) != nil {
                hasWarnedOfRefusal = false
                machine.batchTaken(batch, job: job, at: now)
            } else {
                machine.batchRefused(
                    batch,
                    SlurmRefusal(.doubtful, "sbatch gave no number of a job"),
                    at: now
                )
            }
        case .question:
            machine.statesCame(refusal == nil ? JobListing.read(output) : nil, at: now)
            if let refusal {
                if machine.silences > 1, !hasWarnedOfSilence, !isClosing {
                    hasWarnedOfSilence = true
                    settings.warn("Slurm does not list its jobs now, and is asked again: \(refusal.text)")
                }
            } else {
                hasWarnedOfSilence = false
            }
        case .ending(let jobs):
            if let refusal, refusal.kind != .final, !isClosing { machine.endingFailed(jobs, at: now) }
            if let refusal, refusal.kind != .final, jobs.isEmpty {
                settings.warn(
                    "jobs of this run may be left on the cluster: \(refusal.text); 'scancel --name=\(slurmRun.name)' "
                        + "ends them"
                )
            }
        case .pilot(let pilot):
            machine.pilotEnded(pilot, refusal ?? SlurmRefusal(.busy, "it has ended"), at: now)
        }
    }

    /// A path in which Slurm replaces nothing.
    private func escaped(_ path: String) -> String {
        path.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
    }

    /// A word in the form that a shell takes as one word.
    private func quoted(_ word: String) -> String {
        "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
