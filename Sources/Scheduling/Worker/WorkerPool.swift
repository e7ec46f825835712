internal import CLinux

/// The life of worker threads: claim, run, report, poll, sleep, exit.
///
/// ## Why nothing ready is left behind while a worker sleeps
///
/// A worker decides to sleep under the lock, after it found nothing there, and is on the idle list from then
/// on. Each thread that makes work startable does so under the same lock and checks the list afterwards.
/// Therefore either the worker sees the work, or that thread sees the worker. A wake-up in flight represents
/// a worker that will check under the lock; when it claims something and leaves more behind, it wakes the
/// next one.
enum WorkerPool {
    /// How long a worker without work polls before it sleeps, in nanoseconds.
    private static let pollingTime: Int64 = 40_000

    /// The life of a worker, on its thread.
    static func run(_ worker: Worker, _ scheduler: Scheduler) {
        var hasClaim = begin(worker, scheduler)
        while true {
            if hasClaim {
                hasClaim = perform(worker, scheduler)
            } else if worker.isSearching {
                poll(worker, scheduler)
                hasClaim = endSearch(worker, scheduler)
            } else {
                let isCalled = rest(worker, scheduler)
                // The closing thread wakes a worker without taking it from the idle list.
                if !isCalled || scheduler.isClosing, leaves(worker, scheduler) { return }
                if isCalled { hasClaim = awake(worker, scheduler) }
            }
        }
    }

    // MARK: Steps. Each is one critical section, or two with a notification of an end in between; each
    // returns whether the worker has a claim.

    /// A thread has begun.
    static func begin(_ worker: Worker, _ scheduler: Scheduler) -> Bool {
        let threadID = SystemThread.currentID
        return scheduler.visit { core in
            worker.threadID = threadID
            core.workerStarted(worker)
            return core.claimOrRest(worker, scheduler.signals)
        }
    }

    /// Runs the claim, reports the ends, and takes the next claim in the same critical section.
    static func perform(_ worker: Worker, _ scheduler: Scheduler) -> Bool {
        let start = SchedulerClock.systemNow
        var place = 0
        var failure: (any Error)?
        while true {
            do {
                try worker.claim.execute(place)
            } catch {
                failure = error
                break
            }
            if scheduler.recordsFacts { worker.claim.stamps[place + 1] = SchedulerClock.systemNow }
            guard let next = worker.claim.cursor.advance() else { break }
            // A reader that sleeps is woken once for the ends of some microseconds, and not for each. The
            // service thread takes the claim back if a body turns out to be long.
            if scheduler.readerSleeps, SchedulerClock.systemNow - start >= Claim.goal {
                scheduler.collect(worker)
            }
            place = next
        }
        return scheduler.exchange(failure, after: SchedulerClock.systemNow - start, on: worker)
    }

    /// A search is over: another thread signalled, there are additions, or it lasted long enough.
    static func endSearch(_ worker: Worker, _ scheduler: Scheduler) -> Bool {
        let lane = Int(worker.lane.rawValue)
        return scheduler.visit { core in
            core.shell.lanes[lane].isSearching = false
            worker.isSearching = false
            if !core.has(.searchEndsUnseen), core.claim(for: worker) { return true }
            core.shell.lanes[lane].idle.append(worker)
            return false
        }
    }

    /// Another thread has woken a sleeping worker.
    static func awake(_ worker: Worker, _ scheduler: Scheduler) -> Bool {
        scheduler.visit { core in
            core.shell.lanes[Int(worker.lane.rawValue)].isWakeInFlight = false
            return core.claimOrRest(worker, scheduler.signals)
        }
    }

    /// Whether a worker that was idle for a while is to exit. If it is no longer on the idle list, a wake-up is on its
    /// way.
    static func leaves(_ worker: Worker, _ scheduler: Scheduler) -> Bool {
        let lane = Int(worker.lane.rawValue)
        var closed: (@Sendable () -> Void)?
        let leaves = scheduler.visit { core in
            // The system has refused a thread for the clock. Each time this worker takes the lock, the scheduler tries
            // again, so the worker must not exit.
            if core.shell.serviceRefusedUntil != 0, !scheduler.isClosing { return false }
            if let place = core.shell.lanes[lane].idle.firstIndex(where: { $0 === worker }) {
                core.shell.lanes[lane].idle.remove(at: place)
            } else if !core.has(.calledWorkerLeaves) {
                return false
            }
            core.workerLeft(worker)
            closed = core.takeCloseHandler()
            return true
        }
        closed?()
        return leaves
    }

    // MARK: Without the lock

    /// Sleeps until the worker is called, or has to give its thread back; returns whether it was called.
    private static func rest(_ worker: Worker, _ scheduler: Scheduler) -> Bool {
        let idleTime = scheduler.idleTime(of: worker.lane)
        // A thread with a niceness of its own is of no use to other engines, so it does not count as one that stays.
        guard worker.lane.niceness == 0, !scheduler.lacksThreads else {
            return worker.parker.park(nanoseconds: idleTime)
        }
        guard SpareThreads.beginStay() else { return worker.parker.park(nanoseconds: 0) }
        defer { SpareThreads.endStay() }
        return worker.parker.park(nanoseconds: idleTime)
    }

    /// Polls for work briefly, so that a stream of short bodies needs no wake-ups.
    private static func poll(_ worker: Worker, _ scheduler: Scheduler) {
        let end = SchedulerClock.systemNow + pollingTime
        let watchesAdditions = worker.lane == .worker
        while !scheduler.signals.isRaised(worker.lane) {
            if watchesAdditions, scheduler.hasAdditions { break }
            if SchedulerClock.systemNow > end { break }
            // Polling without a pause would pull the flag's cache line away from the thread that sets it.
            for _ in 0..<16 { linux_pause() }
        }
    }
}

extension Scheduler {
    /// Reports the ends of a worker's claim and takes its next claim, in one critical section.
    ///
    /// If a completion block or other host code has to be called, the worker does that first and takes its
    /// next claim in another critical section: the host code may take long, and may even wait for the
    /// operations of that claim.
    ///
    /// - Parameters:
    ///   - failure: The error that the last body threw.
    ///   - nanoseconds: How long the claim lasted.
    fileprivate func exchange(_ failure: (any Error)?, after nanoseconds: Int64, on worker: Worker) -> Bool {
        var core = enterAside()
        core.claimEnded(worker, failure, after: nanoseconds)
        let callsHost = core.callsHostNext
        var hasClaim = false
        if callsHost {
            if core.mayHaveWork(worker.lane) { core.wake(worker.lane) }
        } else {
            hasClaim = core.claimOrRest(worker, signals)
        }
        leave()
        guard callsHost else { return hasClaim }
        core = enterAside()
        hasClaim = core.claimOrRest(worker, signals)
        leave()
        return hasClaim
    }

    /// Takes in the progress of a worker that continues.
    @inline(never)
    fileprivate func collect(_ worker: Worker) {
        let core = enterAside()
        core.collect(worker)
        leave()
    }
}
