internal import Scheduling
internal import Synchronization

/// The one thread on which a runtime lives: made, used and closed there.
final class ScriptThread: Sendable {
    private let configuration: ScriptEngine.Configuration
    private let catalogue: WorkCatalogue
    private let link: ScriptLink
    private let inbox = Inbox()
    private let isStarted = Atomic<Bool>(false)

    /// Jobs for the thread; shared with it, so that the thread does not keep the engine alive.
    private final class Inbox: Sendable {
        let parker = Parker()
        let jobs = Mutex<[@Sendable (ScriptRuntime) -> Void]>([])
        let isStopped = Atomic<Bool>(false)
    }

    init(_ configuration: ScriptEngine.Configuration, _ catalogue: WorkCatalogue, _ link: ScriptLink) {
        self.configuration = configuration
        self.catalogue = catalogue
        self.link = link
    }

    /// Has `job` done on the thread, after those that came before.
    func run(_ job: @escaping @Sendable (ScriptRuntime) -> Void) {
        inbox.jobs.withLock { $0.append(job) }
        if isStarted.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing)
            .exchanged
        {
            start()
        }
        inbox.parker.unpark()
    }

    /// Lets the thread end after its present job.
    func stop() {
        inbox.isStopped.store(true, ordering: .releasing)
        inbox.parker.unpark()
    }

    private func start() {
        let inbox = inbox
        let configuration = configuration
        let catalogue = catalogue
        let link = link
        // Lua nests up to 200 C calls deep, and Swift closures run on top of that.
        let started = SystemThread.start(name: "opscript-script", stackSize: 16 << 20) {
            let runtime = ScriptRuntime(configuration: configuration, catalogue: catalogue, link: link)
            link.attach(runtime.scheduler)
            while !inbox.isStopped.load(ordering: .acquiring) {
                let job = inbox.jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                if let job { job(runtime) } else { inbox.parker.park() }
            }
            runtime.close()
        }
        precondition(started, "the system has no thread to give for the script")
    }
}
