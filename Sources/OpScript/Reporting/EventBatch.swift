/// Events that subscribers of the host receive together.
@usableFromInline
final class EventBatch: Batch, Sendable {
    private let records: [EventRecord]
    private let names: [String]

    init(_ records: [EventRecord], _ names: [String]) {
        self.records = records
        self.names = names
    }

    /// A batch of one event, which reports how many events were dropped.
    convenience init(lost count: Int, at moment: Int64) {
        self.init([EventRecord(kind: .lost(count), name: 0, identity: 0, moment: moment)], [""])
    }

    @usableFromInline var count: Int { records.count }

    var firstMoment: Int64 { records.first?.moment ?? 0 }

    @usableFromInline
    func event(at place: Int) -> ScriptEvent {
        let record = records[place]
        return ScriptEvent(
            record.kind,
            name: names[Int(record.name)],
            identity: record.identity,
            time: Double(record.moment) / 1e9
        )
    }
}
