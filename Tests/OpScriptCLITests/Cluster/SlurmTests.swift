import Foundation
import Testing

/// Queues on a real Slurm, with the command as users call it.
@Suite(
    .serialized,
    .enabled(
        if: SlurmCluster.isInstalled,
        "the packages slurmctld, slurmd and slurm-client are not installed"
    ),
    .withSlurm
)
struct SlurmTests {
    private var cluster: SlurmCluster {
        get throws { try #require(SlurmCluster.current) }
    }

    private func expectFine(_ run: CommandRun, _ text: String) async throws {
        #expect(run.text == text, "\(run.errors)")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try await cluster.jobs() == "")
    }

    // MARK: Both grains

    @Test(arguments: ["jobs", "pilots"]) func valuesTravel(_ way: String) async throws {
        let run = try await cluster.shell("$opscript -q $lua/values.lua \(way)", in: "values-\(way)")
        try await expectFine(run, "\(way)\tfine\n")
    }

    @Test(arguments: ["jobs", "pilots"]) func aQueueIsAQueueLikeAnyOther(_ way: String) async throws {
        let run = try await cluster.shell("$opscript -q $lua/queue.lua \(way)", in: "queue-\(way)")
        try await expectFine(run, "\(way)\tfine\n")
    }

    @Test(arguments: ["jobs", "pilots"]) func blocksAndGroupsAreOnNodes(_ way: String) async throws {
        let picture = "printf 'P2 1 1 255 7' > picture.ppm; "
        let line = "\(picture)$opscript -q $lua/inside.lua \(way)"
        let run = try await cluster.shell(line, in: "inside-\(way)")
        try await expectFine(run, "\(way)\tfine\n")
    }

    @Test func mistakesHaveErrors() async throws {
        let picture = "printf 'P2 1 1 255 7' > picture.ppm; "
        let run = try await cluster.shell("\(picture)$opscript -q $lua/refusals.lua", in: "refusals")
        try await expectFine(run, "fine\n")
    }

    /// Two graphs of five meet a fault: the driver is killed and continued, the controller restarted, or a node dies.
    @Test func theSameGraphGivesTheSameHereAndThere() async throws {
        let whole = ProcessInfo.processInfo.environment["OPSCRIPT_CLUSTER_GRAPHS"].flatMap { Int($0) } ?? 6
        for seed in 1...whole {
            let here = try await cluster.shell("$opscript -q $lua/graph.lua \(seed)", in: "graph\(seed)")
            let there = try await cluster.shell(GraphFault(seed: seed).line, in: "graph\(seed)")
            #expect(here.text == there.text, "seed \(seed): \(GraphFault(seed: seed).line)\n\(there.errors)")
            #expect(here.text.hasSuffix("late\t0\n"))
        }
        #expect(try await cluster.jobs() == "")
    }

    @Test func theExamplesOfThePageBehaveAsShown() async throws {
        let page = try MarkdownPage(reading: SlurmCluster.page)
        let examples = try DocumentedExample.all(in: page.text, of: page.path)
        #expect(examples.count >= 9)
        for var example in examples {
            for place in example.commands.indices {
                example.commands[place].line = try
                    "SLURM_CONF=\(cluster.folder)/slurm.conf \(example.commands[place].line)"
            }
            let complaints = try await example.complaints()
            #expect(complaints.isEmpty, "\(example.place): \(complaints.joined(separator: "\n"))")
        }
    }

    // MARK: Ends

    /// A line that waits until a file has something.
    private func untilThere(_ file: String) -> String { "until [ -e \(file) ]; do sleep 0.1; done" }

    @Test func anInterruptionEndsTheJobs() async throws {
        let line =
            "$opscript -q $lua/many.lua & job=$!; \(untilThere("there")); kill $job; wait $job; ls .opscript/share"
        let run = try await cluster.shell(line, in: "interrupt")
        #expect(run.text == "")
        #expect(try await cluster.jobs() == "")
    }

    @Test func aJobThatIsCancelledFromOutsideIsAnError() async throws {
        let run = try await cluster.shell("$opscript -q $lua/outside.lua", in: "outside")
        #expect(run.text.contains("was cancelled, and not by this run"), "\(run.text)")
        #expect(run.status == 0, "\(run.errors)")
    }

    // MARK: Runs that last

    /// The last step is submitted after the others. An effect that the journal has, and Slurm has not, is not known.
    private let untilTheEffectHasBegun = "until grep -qs 'start 8' log; do sleep 0.1; done"

    private func log(_ run: CommandRun) -> [Substring: Int] {
        Dictionary(grouping: run.text.split(separator: "\n").filter { $0 != "all" }) { $0 }.mapValues(\.count)
    }

    private var once: [Substring: Int] {
        Dictionary(
            uniqueKeysWithValues: (1...8).flatMap {
                [("start \($0)", 1), ("end \($0)", 1)] as [(Substring, Int)]
            }
        )
    }

    @Test func aDriverThatWasKilledFindsItsJobs() async throws {
        let line =
            "$opscript -q --resume $lua/steps.lua & job=$!; \(untilTheEffectHasBegun); kill -9 $job; wait $job; "
            + "$opscript -q --resume $lua/steps.lua && cat log; ls .opscript/share"
        let run = try await cluster.shell(line, in: "killed")
        #expect(run.text.hasPrefix("all\n"), "\(run.errors)")
        #expect(log(run) == once, "\(run.errors)")
    }

    @Test func aDetachedRunIsContinued() async throws {
        let line =
            "$opscript --detach --resume $lua/steps.lua & job=$!; \(untilTheEffectHasBegun); kill $job; wait $job; "
            + "$opscript -q --resume $lua/steps.lua && cat log; ls .opscript/share"
        let run = try await cluster.shell(line, in: "detached")
        #expect(
            run.errors.contains(
                "the jobs stay on the cluster; the same command with --resume continues the run"
            )
        )
        #expect(run.text.hasPrefix("all\n"), "\(run.errors)")
        #expect(log(run) == once, "\(run.errors)")
    }

    // MARK: Faults of the cluster

    @Test func aRestartOfTheControllerIsSurvived() async throws {
        let line =
            "$opscript -q $lua/slow.lua & job=$!; \(untilThere("where")); "
            + "kill $(cat ${SLURM_CONF%/*}/run/slurmctld.pid); sleep 1; "
            + "bash \(SlurmCluster.script) controller ${SLURM_CONF%/*}; wait $job"
        let run = try await cluster.shell(line, in: "controller")
        #expect(run.text == "ok\n", "\(run.errors)")
    }

    @Test func aCancelledRunEndsThoughTheControllerIsGone() async throws {
        let line =
            "$opscript $lua/many.lua & job=$!; \(untilThere("there")); "
            + "kill -9 $(cat ${SLURM_CONF%/*}/run/slurmctld.pid); kill $job; wait $job; echo ended; "
            + "bash \(SlurmCluster.script) controller ${SLURM_CONF%/*}; scancel --user=$(id -un)"
        let run = try await cluster.shell(line, in: "gone")
        #expect(run.text == "ended\n", "\(run.errors)")
        #expect(run.errors.contains("jobs of this run may be left on the cluster"), "\(run.errors)")
    }

    @Test func aBodyWhoseNodeDiesRunsElsewhere() async throws {
        // The daemon of the node and the body are killed, as by the end of the machine. The brackets keep the pattern
        // from matching the shell itself.
        let line =
            "$opscript -q $lua/slow.lua & job=$!; until [ -s where ]; do sleep 0.1; done; "
            + "node=$(cut -d' ' -f1 where); kill -9 $(cat ${SLURM_CONF%/*}/run/slurmd.$node.pid); "
            + "pkill -9 -f '[w]orker --task .*/opscript-slurm-\(getpid())/files/node/'; wait $job; wc -l < where; "
            + "bash \(SlurmCluster.script) node ${SLURM_CONF%/*} $node"
        let run = try await cluster.shell(line, in: "node")
        #expect(run.text == "ok\n2\n", "\(run.errors)")
    }

    // MARK: Texts for people

    @Test(arguments: ["jobs", "pilots"]) func outputOfNodesIsShown(_ way: String) async throws {
        let line =
            "$opscript -q --output prefix --report r.jsonl $lua/output.lua \(way); "
            + "grep -c '\"runner\":\"node n' r.jsonl"
        let run = try await cluster.shell(line, in: "output-\(way)")
        #expect(run.text == "step | out\nprinted by an isolate\n2\n", "\(run.errors)")
        #expect(run.errors.contains("step | err"), "\(run.errors)")
    }

    @Test func theJobsOfARunAreListed() async throws {
        let line = "$opscript -q $lua/slow.lua & \(untilThere("where")); $opscript jobs; wait"
        let run = try await cluster.shell(line, in: "list")
        let lines = run.text.split(separator: "\n")
        #expect(lines.first?.hasPrefix("RUN") == true, "\(run.errors)")
        #expect(lines.contains { $0.contains("opscript-") && $0.contains("RUNNING") }, "\(run.text)")
    }

    @Test func withoutSlurmTheErrorNamesTheProgram() async throws {
        let run = try await cluster.shell("PATH=/nowhere $opscript -q $lua/absent.lua", in: "absent")
        #expect(run.text.contains("cannot run 'sbatch': no such program"), "\(run.text)\(run.errors)")
    }
}

/// The run of a graph by chance on the cluster, and the fault that it meets.
struct GraphFault {
    let seed: Int

    /// The line of a shell.
    var line: String {
        // A driver that was killed leaves its pilots for some minutes, until they notice.
        let killsDriver = seed % 5 == 2 && seed % 2 == 0
        let way = seed % 4 == 0 || killsDriver ? "jobs" : "pilots"
        let moment = "0.\(3 + seed * 7 % 6)"
        let folder = "${SLURM_CONF%/*}"
        let script = "bash \(SlurmCluster.script)"
        let run = "$opscript -q --on slurm --resume $lua/graph.lua \(seed) \(way)"
        switch seed % 5 {
        case 2 where killsDriver:
            return "\(run) >/dev/null & sleep \(moment); kill -9 $!; wait $! 2>/dev/null; \(run)"
        case 2:
            return "\(run) & job=$!; sleep \(moment); kill $(cat \(folder)/run/slurmctld.pid); sleep 1; "
                + "\(script) controller \(folder); wait $job"
        case 3:
            return "\(run) & job=$!; sleep \(moment); kill -9 $(cat \(folder)/run/slurmd.n1.pid); "
                + "pkill -9 -f '[w]orker --.*/opscript-slurm-\(getpid())/files/graph\(seed)/'; sleep 1; "
                + "\(script) node \(folder) n1; wait $job"
        default: return run
        }
    }
}
