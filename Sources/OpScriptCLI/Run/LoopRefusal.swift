internal import OpScript
internal import Synchronization

/// Notes that the code of a script does not stop although the run was cancelled and the code was interrupted.
final class LoopRefusal: Sendable {
    private let flag = Atomic<Bool>(false)

    var isThere: Bool { flag.load(ordering: .acquiring) }

    /// How an engine of the command interrupts code that does not wait.
    var interruption: LoopInterruption {
        LoopInterruption(
            delay: .seconds(Interruption.patience),
            grace: .seconds(Interruption.grace - Interruption.patience)
        ) { [self] in
            flag.store(true, ordering: .releasing)
            WakePipe.call()
        }
    }
}
