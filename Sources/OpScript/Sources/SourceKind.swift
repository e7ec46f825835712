internal import LuaVM
internal import Scheduling

/// What one kind of source adds to what all have in common.
///
/// A kind is one file in `Kinds/`: the functions that make its sources, what it waits for, and what it gives a handler.
/// A new kind is such a file, and one line in `SourceBinding.makers`. All functions are called on the script thread.
protocol SourceKind: AnyObject {
    /// What scripts call it, after `DispatchSource.`.
    var typeName: String { get }
    /// How events become one that nobody has served yet.
    var merge: SourceMachine.Merge { get }
    /// What it watches, as `tostring` shows it after the type's name.
    var subject: String? { get }
    /// How messages name it.
    var description: String { get }
    /// Whether handlers may be called because of something that no script does.
    var comesFromOutside: Bool { get }
    /// Whether it can be seen that no event will come any more, though nobody says so.
    var isClosed: Bool { get }

    /// Has the system wait, where that is needed from the activation on.
    func beginWaiting(
        _ monitor: () throws(SystemFailure) -> EventMonitor,
        _ handler: @escaping EventMonitor.Handler
    ) throws(SystemFailure) -> EventMonitor.Token?
    /// Looks for the next event, where each one has to be asked for.
    func arm(_ source: EventSource, _ sources: EventSources)
    /// Looks no more.
    func disarm(_ sources: EventSources)
    /// The time that it has asked for has come.
    func becameDue()
    /// Something came from the system.
    func happened(_ event: EventMonitor.Event, _ source: EventSource, _ sources: EventSources)
    /// Sets what `data` gives during a call; false where nothing is left of the event.
    func takeData(_ number: Int, _ source: EventSource, _ sources: EventSources) -> Bool

    /// Pushes what `data`, `mask` and `handle` give. [-0, +1, m]
    func pushData(of source: EventSource, _ state: LuaState)
    func pushMask(_ state: LuaState)
    func pushHandle(_ state: LuaState)
}

extension SourceKind {
    var subject: String? { nil }
    var comesFromOutside: Bool { true }
    var isClosed: Bool { false }

    func beginWaiting(
        _ monitor: () throws(SystemFailure) -> EventMonitor,
        _ handler: @escaping EventMonitor.Handler
    ) throws(SystemFailure) -> EventMonitor.Token? { nil }

    func arm(_ source: EventSource, _ sources: EventSources) {}

    func disarm(_ sources: EventSources) {}

    func becameDue() {}

    func happened(_ event: EventMonitor.Event, _ source: EventSource, _ sources: EventSources) {
        sources.happened(source, 1)
    }

    func takeData(_ number: Int, _ source: EventSource, _ sources: EventSources) -> Bool {
        source.data = number
        return true
    }

    func pushData(of source: EventSource, _ state: LuaState) { state.push(source.data) }

    func pushMask(_ state: LuaState) { state.pushNil() }

    func pushHandle(_ state: LuaState) { state.pushNil() }
}
