import OpScript
@testable import OpScriptSlurm
import Testing

/// The rules, with a cluster in memory.
@Suite struct SlurmMachineTests {
    // MARK: Submission

    @Test func operationsThatAreReadyTogetherAreOneArray() {
        let slurm = SimulatedRun(seed: 1, nodes: 10)
        for number in 1...25 as ClosedRange<UInt64> { slurm.start(testCall(number)) }
        slurm.run()
        #expect(slurm.submissions == 1)
        #expect(slurm.ends.count == 25)
        #expect(slurm.ends.values.allSatisfy { $0 == .result })
    }

    @Test func differentOptionsAreDifferentArraysAtTheRate() {
        var machine = SlurmMachine()
        for number in 1...3 as ClosedRange<UInt64> {
            machine.called(testCall(number) { $0.options.cpus = Int(number) }, at: 0)
        }
        machine.passed(to: 0.1)
        #expect(submitted(machine.takeActions()) == [[1]])
        machine.batchTaken(1, job: "7", at: 0.2)
        // Two requests a second: the next one is due half a second after the first.
        #expect(submitted(machine.takeActions()) == [])
        machine.passed(to: 0.59)
        #expect(submitted(machine.takeActions()) == [])
        machine.passed(to: 0.61)
        #expect(submitted(machine.takeActions()) == [[2]])
    }

    private func submitted(_ actions: [SlurmMachine.Action]) -> [[UInt64]] {
        actions.compactMap { if case .submit(_, let numbers, _) = $0 { numbers } else { nil } }
    }

    @Test func theMostUrgentIsSubmittedFirst() {
        var machine = SlurmMachine()
        machine.called(testCall(1) { $0.priority = -8 }, at: 0)
        machine.called(testCall(2) { $0.priority = 8 }, at: 0)
        machine.passed(to: 0.1)
        let actions = machine.takeActions()
        #expect(submitted(actions) == [[2]])
        guard case .submit(_, _, let words) = actions[0] else { return }
        #expect(words.contains("--nice=0"))
    }

    @Test func anArrayHasAtMostAThousandElements() {
        let slurm = SimulatedRun(seed: 1, nodes: 4_000)
        for number in 1...2_500 as ClosedRange<UInt64> { slurm.start(testCall(number)) }
        slurm.run()
        #expect(slurm.submissions == 3)
        #expect(slurm.ends.count == 2_500)
    }

    @Test func aFinalRefusalFailsTheOperationInSlurmsWords() {
        var machine = SlurmMachine()
        machine.called(testCall(1), at: 0)
        machine.passed(to: 0.1)
        _ = machine.takeActions()
        let text = "sbatch: error: Batch job submission failed: Invalid account"
        machine.batchRefused(1, SlurmRefusal(command: "sbatch", status: 1, errorOutput: text), at: 0.2)
        #expect(
            machine.takeActions() == [
                .end(
                    1,
                    .failed(
                        .failed,
                        "Slurm does not take 'step1': Batch job submission failed: Invalid account"
                    )
                )
            ]
        )
    }

    @Test func aBusyControllerIsAskedLaterAndLessOften() {
        var machine = SlurmMachine()
        machine.called(testCall(1), at: 0)
        var moments: [Double] = []
        var now = 0.0
        for _ in 0..<6 {
            now = machine.nextMoment ?? 0
            machine.passed(to: now)
            for case .submit(let batch, _, _) in machine.takeActions() {
                moments.append(now)
                machine.batchRefused(batch, SlurmRefusal(.busy, "slow down"), at: now)
            }
        }
        #expect(zip(moments, moments.dropFirst()).map { ($1 - $0).rounded() } == [1, 2, 4, 8, 16])
    }

    @Test func aDoubtfulSubmissionIsFoundInTheListAndNotRepeated() {
        var machine = SlurmMachine()
        machine.called(testCall(1), at: 0)
        machine.passed(to: 0.1)
        machine.batchRefused(1, SlurmRefusal(.doubtful, "socket timed out"), at: 5)
        let listing = JobListing(line: "12_0|RUNNING|0|n2|1|None|")
        #expect(listing != nil)
        machine.statesCame([listing].compactMap { $0 }, at: 6)
        machine.passed(to: 20)
        #expect(submitted(machine.takeActions()) == [[1]])
        #expect(machine.batches[1]?.job == "12")
    }

    // MARK: Ends of jobs

    /// A machine with one job that runs.
    private func running(_ change: (inout SlurmMachine.Call) -> Void = { _ in }) -> SlurmMachine {
        var machine = SlurmMachine()
        machine.called(testCall(1, change), at: 0)
        machine.passed(to: 0.1)
        machine.batchTaken(1, job: "7", at: 0.2)
        machine.statesCame(JobListing.read("7_0|RUNNING|0|n1|1|None|"), at: 1)
        _ = machine.takeActions()
        return machine
    }

    private func state(_ name: String, _ machine: inout SlurmMachine, at now: Double) -> [SlurmMachine.Action]
    {
        machine.statesCame(JobListing.read("7_0|\(name)|0|n1|1|None|"), at: now)
        return machine.takeActions()
    }

    @Test(arguments: [
        ("TIMEOUT", ScriptError.Code.timeout, "'step1': the job 7_0 was ended by Slurm at its time limit"),
        ("OUT_OF_MEMORY", .limit, "'step1': the job 7_0 used more memory than it had asked for"),
    ])
    func endsBySlurmAreErrors(_ state: String, _ code: ScriptError.Code, _ text: String) {
        var machine = running()
        #expect(self.state(state, &machine, at: 2) == [.end(1, .failed(code, text))])
    }

    @Test func aCancellationFromOutsideIsAnError() {
        var machine = running()
        #expect(state("CANCELLED", &machine, at: 2).isEmpty)
        let text = "'step1': the job 7_0 was cancelled, and not by this run"
        #expect(state("CANCELLED", &machine, at: 5) == [.end(1, .failed(.failed, text))])
    }

    @Test func aResultMayBecomeVisibleLate() {
        var machine = running()
        #expect(state("COMPLETED", &machine, at: 2).isEmpty)
        #expect(state("COMPLETED", &machine, at: 31).isEmpty)
        machine.resultsSeen([ResultName(batch: 1, index: 0, restarts: 0)])
        #expect(machine.takeActions() == [.readResult(1, ResultName(batch: 1, index: 0, restarts: 0))])
        machine.resultRead(1)
        #expect(machine.calls.isEmpty)
        #expect(machine.batches.isEmpty)
    }

    @Test func aResultThatNeverComesIsAnError() {
        var machine = running()
        _ = state("COMPLETED", &machine, at: 2)
        let text =
            "'step1': the job 7_0: its result has not become visible in the shared folder within 30 s"
        #expect(state("COMPLETED", &machine, at: 33) == [.end(1, .withoutResult(text))])
    }

    @Test func aLostNodeBeginsTheBodyAgainAndAnEffectIsNotRepeated() {
        var machine = running()
        _ = state("NODE_FAIL", &machine, at: 2)
        machine.passed(to: 9)
        #expect(submitted(machine.takeActions()) == [[1]])

        machine = running { $0.mayRepeat = false }
        let text =
            "'step1' may have had its effect: the node of the job 7_0 was lost; it is not repeated by itself"
        #expect(state("NODE_FAIL", &machine, at: 2) == [.end(1, .failed(.unknown, text))])
    }

    @Test func aBodyThatIsAlwaysLostFails() {
        var machine = running()
        var now = 2.0
        var last: [SlurmMachine.Action] = []
        for batch in 1...4 {
            machine.statesCame(JobListing.read("7_0|NODE_FAIL|0|n1|\(batch)|None|"), at: now)
            last = machine.takeActions()
            now += 10
            machine.passed(to: now)
            machine.batchTaken(batch + 1, job: "7", at: now)
        }
        #expect(
            last.last
                == .end(1, .withoutResult("'step1' was lost 4 times: the node of the job 7_0 was lost"))
        )
    }

    @Test func theResultOfAnAttemptThatSlurmHasGivenUpDoesNotCount() {
        var machine = running()
        machine.statesCame(JobListing.read("7_0|PENDING|1||1|BeginTime|"), at: 2)
        _ = machine.takeActions()
        machine.resultsSeen([ResultName(batch: 1, index: 0, restarts: 0)])
        #expect(machine.takeActions().isEmpty)
        machine.resultsSeen([ResultName(batch: 1, index: 0, restarts: 1)])
        #expect(machine.takeActions().count == 1)
    }

    @Test func aJobThatSlurmHasForgottenIsSubmittedAgain() {
        var machine = running()
        for now in [4.0, 5, 6] { machine.statesCame([], at: now) }
        machine.passed(to: 9)
        #expect(submitted(machine.takeActions()) == [[1]])
    }

    @Test func aListThatDoesNotComeMeansNothing() {
        var machine = running()
        for now in 4...100 { machine.statesCame(nil, at: Double(now)) }
        #expect(machine.calls.count == 1)
        machine.passed(to: 101)
        #expect(submitted(machine.takeActions()) == [])
    }

    /// Slurm has launched it, has failed to, and holds it: it never begins again by itself.
    @Test func theResultOfAJobThatSlurmHoldsCounts() {
        var machine = running()
        machine.statesCame(JobListing.read("7_0|PENDING|1||1|launch failed requeued held|"), at: 2)
        let actions = machine.takeActions()
        #expect(
            actions.contains(
                .warn(
                    "Slurm holds the job 7_0 of 'step1' (launch failed requeued held), and perhaps others: "
                        + "'scontrol release 7_0' lets it begin again"
                )
            )
        )
        let name = ResultName(batch: 1, index: 0, restarts: 0)
        machine.resultsSeen([name])
        machine.passed(to: 2.1)
        let later = machine.takeActions()
        #expect(later.contains(.readResult(1, name)))
        #expect(later.contains(.endJobs(["7_0"])))
    }

    @Test func slurmIsAskedLessOftenWhileItDoesNotAnswer() {
        var machine = running()
        var pauses: [Double] = []
        for _ in 1...8 {
            let now = machine.nextQuestion
            machine.passed(to: now)
            machine.statesCame(nil, at: now)
            pauses.append(machine.nextQuestion - now)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60])
        let now = machine.nextQuestion
        machine.passed(to: now)
        machine.statesCame([], at: now)
        #expect(machine.nextQuestion - now <= 1)
    }

    /// A run that is cancelled must end, even if nothing is heard of its jobs.
    @Test func aCancelledBodyEndsThoughSlurmDoesNotAnswer() {
        var machine = running()
        machine.statesCame(nil, at: 2)
        machine.cancelled(1, at: 3)
        #expect(machine.nextQuestion == 3)
        machine.passed(to: 12.9)
        #expect(!machine.takeActions().contains(.end(1, .cancelled)))
        machine.passed(to: 13)
        #expect(machine.takeActions().contains(.end(1, .cancelled)))
        #expect(machine.leaving.isEmpty)
    }

    /// As long as Slurm answers, the end of the job decides.
    @Test func aCancelledBodyWaitsForItsJobWhileSlurmAnswers() {
        var machine = running()
        machine.cancelled(1, at: 3)
        for now in 4...30 {
            machine.statesCame(JobListing.read("7_0|RUNNING|0|n1|1|None|"), at: Double(now))
            machine.passed(to: Double(now))
        }
        #expect(!machine.takeActions().contains(.end(1, .cancelled)))
        #expect(state("CANCELLED", &machine, at: 31).contains(.end(1, .cancelled)))
    }

    @Test func aSizeThatNoNodeHasIsAnError() {
        var machine = running()
        for now in [2.0, 3] {
            machine.statesCame(JobListing.read("7_0|PENDING|0||1|PartitionConfig|"), at: now)
        }
        let text = "'step1': Slurm can never start the job 7_0 as it is: PartitionConfig"
        #expect(machine.takeActions().contains(.end(1, .failed(.failed, text))))
        machine.passed(to: 4)
        #expect(machine.takeActions().contains(.endJobs(["7_0"])))
    }

    // MARK: Cancellation

    @Test func aBodyThatWaitsIsCancelledAtOnce() {
        var machine = SlurmMachine()
        machine.called(testCall(1), at: 0)
        machine.cancelled(1, at: 0.01)
        #expect(machine.takeActions() == [.end(1, .cancelled)])
        #expect(machine.nextMoment == nil)
    }

    @Test func aJobIsEndedAndAwaited() {
        var machine = running()
        machine.cancelled(1, at: 2)
        machine.passed(to: 2)
        #expect(machine.takeActions().contains(.endJobs(["7_0"])))
        #expect(state("CANCELLED", &machine, at: 2.5) == [.end(1, .cancelled)])
    }

    @Test func aJobWhoseNumberIsNotKnownYetIsEndedLater() {
        var machine = SlurmMachine()
        machine.called(testCall(1), at: 0)
        machine.passed(to: 0.1)
        machine.cancelled(1, at: 0.15)
        _ = machine.takeActions()
        machine.batchTaken(1, job: "9", at: 0.2)
        #expect(machine.takeActions().contains(.endJobs(["9_0"])))
    }

    // MARK: Runs that continue

    @Test func aBodyOfAnEarlierRunIsAwaited() {
        var machine = SlurmMachine()
        machine.found(testCall(1), at: BatchPlace(batch: 4, index: 2), of: 5, 0)
        machine.passed(to: 1)
        #expect(submitted(machine.takeActions()) == [])
        machine.resultsSeen([ResultName(batch: 4, index: 2, restarts: 0)])
        #expect(machine.takeActions() == [.readResult(1, ResultName(batch: 4, index: 2, restarts: 0))])
        machine.called(testCall(2), at: 2)
        machine.passed(to: 3)
        guard case .submit(let batch, _, _) = machine.takeActions().first else { return #expect(Bool(false)) }
        #expect(batch == 5)
    }

    @Test func aDetachedRunLeavesItsJobs() {
        var machine = running()
        machine.called(testCall(2), at: 1)
        machine.detached(at: 2)
        let actions = machine.takeActions()
        #expect(actions.contains(.end(1, .left)))
        #expect(actions.contains(.end(2, .cancelled)))
        machine.passed(to: 3)
        #expect(machine.takeActions().isEmpty)
    }

    @Test func theEffectOfAJobThatSlurmHasEndedIsNotKnown() {
        var machine = running { $0.mayRepeat = false }
        let text =
            "'step1': the job 7_0 was ended by Slurm at its time limit; whether it had its effect is not known"
        #expect(state("TIMEOUT", &machine, at: 2) == [.end(1, .failed(.unknown, text))])
        machine = running { $0.mayRepeat = false }
        for now in [4.0, 5, 6] { machine.statesCame([], at: now) }
        guard case .end(1, .failed(.unknown, _)) = machine.takeActions().last else {
            return #expect(Bool(false), "a job that is not listed may have begun")
        }
    }

    @Test(arguments: [
        ("7_[3-5,9]", [3, 4, 5, 9]), ("7_[0-20:5%4]", [0, 5, 10, 15, 20]), ("7_12", [12]), ("8", [0]),
        ("7_[1-]", [1]), ("7_[x]", []),
    ]) func elementsOfArraysAreRead(_ text: String, _ indices: [Int]) {
        #expect(JobListing(line: "\(text)|PENDING|0||1|None|")?.indices.all == indices)
    }
}
