import OpScript
@testable import OpScriptSlurm
import Testing

/// The rules for pilots, with a cluster in memory.
@Suite struct SlurmPilotTests {
    @Test func pilotsStartWithTheLoadAndEndWithoutIt() {
        let slurm = SimulatedRun(seed: 3, nodes: 10, seconds: 0.1...0.5)
        for number in 1...50 as ClosedRange<UInt64> {
            slurm.start(testCall(number) { $0.options = threePilots })
        }
        slurm.run(until: 1)
        #expect(slurm.machine.pilots.count == 3)
        slurm.run()
        #expect(slurm.ends.count == 50)
        #expect(slurm.machine.pilots.isEmpty)
        #expect(slurm.submissions == 0)
    }

    @Test func pilotsThatCannotStartFailTheirBodies() {
        var machine = SlurmMachine()
        machine.called(testCall(1) { $0.options = threePilots }, at: 0)
        machine.passed(to: 0)
        #expect(machine.takeActions().contains(.startPilot(1, threePilots)))
        machine.pilotEnded(1, SlurmRefusal(.final, "invalid partition specified: x"), at: 1)
        let text = "no pilot could be started for 'step1': invalid partition specified: x"
        #expect(machine.takeActions().contains(.end(1, .failed(.failed, text))))
    }

    @Test func theBodiesOfAPilotThatEndsRunElsewhereUnlessTheyAreEffects() {
        var machine = SlurmMachine()
        machine.called(
            testCall(1) {
                $0.options = threePilots; $0.mayRepeat = false
            },
            at: 0
        )
        machine.passed(to: 0)
        machine.pilotSaid(1, .ready(node: "n1"), at: 1)
        machine.pilotSaid(1, .began(1), at: 1)
        _ = machine.takeActions()
        machine.pilotEnded(1, SlurmRefusal(.busy, "killed"), at: 2)
        let text =
            "'step1' may have had its effect: its pilot on n1 has ended: killed; it is not repeated by itself"
        #expect(machine.takeActions().first == .end(1, .failed(.unknown, text)))
    }

    @Test func aPilotThatWaitsForANodeKeepsTheThreadAsleep() {
        var machine = SlurmMachine()
        machine.called(testCall(1) { $0.options = threePilots }, at: 0)
        machine.passed(to: 0)
        _ = machine.takeActions()
        // Only the question for the list is due, once a second.
        var now = 0.0
        for _ in 0..<20 {
            guard let next = machine.nextMoment else { break }
            #expect(next >= now)
            now = max(now, next)
            machine.passed(to: now)
            if machine.takeActions().contains(.askForStates) { machine.statesCame([], at: now) }
        }
        #expect(now > 5)
        machine.closed(at: now)
        #expect(machine.takeActions().contains(.endPilot(1)))
    }

    @Test func manyBodiesThatWaitForAPilotAreReportedOnceEach() {
        var machine = SlurmMachine()
        for number in 1...10_000 as ClosedRange<UInt64> {
            machine.called(testCall(number) { $0.options = threePilots }, at: 0)
        }
        machine.passed(to: 0)
        #expect(machine.takeActions().count < 10_100)
    }

    @Test func everyBodyThatAPilotHasMayHaveHadItsEffect() {
        var machine = SlurmMachine()
        for number in 1...20 as ClosedRange<UInt64> {
            machine.called(
                testCall(number) {
                    $0.options = threePilots; $0.mayRepeat = false
                },
                at: 0
            )
        }
        machine.passed(to: 0)
        machine.pilotSaid(1, .ready(node: "n1"), at: 1)
        let given = machine.takeActions().count { if case .give = $0 { true } else { false } }
        #expect(given == 2)
        machine.pilotEnded(1, SlurmRefusal(.busy, "killed"), at: 2)
        let unknown = machine.takeActions().count {
            if case .end(_, .failed(.unknown, _)) = $0 { true } else { false }
        }
        #expect(unknown == 2)
    }

    @Test func foreignBytesInTheStreamOfAPilotAreNoticed() {
        var frames = MessageFrames()
        frames.append(MessageFrames.frame([1, 2, 3]))
        #expect(frames.next() == [1, 2, 3])
        frames.append(Array("0: hello world\n".utf8))
        #expect(frames.next() == nil)
        #expect(frames.areForeign)
    }
}
