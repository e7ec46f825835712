/// Events that subscribers receive together; all subscribers share the batch without copying it.
@usableFromInline
final class EventBatch: Sendable {
    private let records: [EventRecord]
    private let names: [String]

    init(_ records: [EventRecord], _ names: [String]) {
        self.records = records
        self.names = names
    }

    /// A batch of one event, which reports how many events were dropped.
    convenience init(lost count: Int, at moment: Int64) {
        self.init([EventRecord(kind: .lost, name: 0, identity: UInt64(count), moment: moment)], [""])
    }

    @usableFromInline var count: Int { records.count }

    var firstMoment: Int64 { records.first?.moment ?? 0 }

    @usableFromInline
    func event(at place: Int) -> ScriptEvent {
        let record = records[place]
        return ScriptEvent(
            record.kind.shown(record.identity),
            name: names[Int(record.name)],
            identity: record.kind == .lost ? 0 : record.identity,
            time: Double(record.moment) / 1e9
        )
    }
}
