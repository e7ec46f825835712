internal import LuaVM
internal import Scheduling

/// The properties and functions of one kind of source, in addition to those of all sources.
///
/// A kind is one file in `Kinds/`: the functions that create its sources, wait for its events, and provide
/// the arguments of its handlers. A new kind is such a file, and one line in `SourceBinding.makers`. All
/// functions are called on the script thread.
protocol SourceKind: AnyObject {
    /// Its name in scripts, after `DispatchSource.`.
    var typeName: String { get }
    /// How events are merged until a handler has served them.
    var merge: SourceMachine.Merge { get }
    /// The watched object, as `tostring` shows it after the type's name.
    var subject: String? { get }
    /// Its name in messages.
    var description: String { get }
    /// Whether handlers may be called because of events that no script causes.
    var comesFromOutside: Bool { get }
    /// Whether a check shows that no more events will come, although nothing has reported this.
    var isClosed: Bool { get }

    /// Makes the system wait, if this is needed from the activation on.
    func beginWaiting(
        _ monitor: () throws(SystemFailure) -> EventMonitor,
        _ handler: @escaping EventMonitor.Handler
    ) throws(SystemFailure) -> EventMonitor.Token?
    /// Whether an event is certain to come.
    var isSureToHappen: Bool { get }
    /// Watches for the next event, if each event has to be requested.
    func arm(_ source: EventSource, _ sources: EventSources)
    /// Stops watching.
    func disarm(_ sources: EventSources)
    /// Called when the time that it has requested has come.
    func becameDue()
    /// Called if the system has reported an event.
    func happened(_ event: EventMonitor.Event, _ source: EventSource, _ sources: EventSources)
    /// Sets the value of `data` during a call; false if nothing is left of the event.
    func takeData(_ number: Int, _ source: EventSource, _ sources: EventSources) -> Bool

    /// Pushes the value of `data`, `mask` or `handle`. [-0, +1, m]
    func pushData(of source: EventSource, _ state: LuaState)
    func pushMask(_ state: LuaState)
    func pushHandle(_ state: LuaState)
}

extension SourceKind {
    var subject: String? { nil }
    var comesFromOutside: Bool { true }
    var isClosed: Bool { false }

    var isSureToHappen: Bool { false }

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
