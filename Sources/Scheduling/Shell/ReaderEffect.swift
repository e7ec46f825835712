/// An effect of an input of the reader, which the reader shows at once.
package struct ReaderEffect {
    package var event: SchedulerEvent
    /// The fact of the event, if the run is recorded.
    package var fact: EventFact?
}
