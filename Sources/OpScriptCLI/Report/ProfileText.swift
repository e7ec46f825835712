internal import OpScript
internal import OpScriptRecord

/// The output of `--profile` about a run.
enum ProfileText {
    /// The most pieces of the critical path that are printed.
    private static let pieceLimit = 12

    static func lines(_ record: RunRecord, name: String) -> [String] {
        let profile = RunProfile(record)
        let path = record.criticalPath()
        var lines = ["\(name): profile of \(VisibleText.line(record.name)) (\(record.end.word))"]
        lines.append(
            line("wall time", seconds(record.duration) + (record.isVirtual ? " of virtual time" : ""))
        )
        for runner in profile.runners {
            let share = record.duration > 0 ? " (\(100 * runner.busy / record.duration) %)" : ""
            let count = runner.count == 1 ? "1 operation" : "\(runner.count) operations"
            // A body that waits does not use the thread.
            let use = runner.runner == .scriptThread ? "had bodies for" : "busy for"
            lines.append(line(runner.runner.text, "\(use) \(seconds(runner.busy))\(share), \(count)"))
        }
        if !profile.longest.isEmpty {
            let longest = zip(profile.longest, profile.longestTimes).prefix(5).map { number, time in
                shown(number, record) + " " + seconds(time)
            }
            lines.append(line("longest", longest.joined(separator: ", ")))
        }
        lines += programs(record)
        lines += bound(record)
        lines += realised(path, record)
        if let advice = profile.advice { lines.append(line("advice", VisibleText.line(advice))) }
        return lines
    }

    /// The time and the memory that programs took, if there were any.
    private static func programs(_ record: RunRecord) -> [String] {
        let usages = record.usages
        guard
            let (number, most) = usages.max(by: {
                ($0.value.peakMemory, $1.key) < ($1.value.peakMemory, $0.key)
            })
        else { return [] }
        let user = usages.values.reduce(0) { $0 + $1.user }
        let system = usages.values.reduce(0) { $0 + $1.system }
        let memory = (Double(most.peakMemory) / 1e5).rounded() / 10
        return [
            line(
                "programs",
                "\(usages.count) ran, user \(seconds(user)), system \(seconds(system)), at most \(memory) MB: "
                    + shown(number, record)
            )
        ]
    }

    private static func bound(_ record: RunRecord) -> [String] {
        let bound = record.boundPath()
        guard !bound.operations.isEmpty else { return [] }
        var chain = bound.operations.prefix(8).map { shown($0, record) }
        if bound.operations.count > 8 { chain.append("… (\(bound.operations.count) operations)") }
        return [line("bound", "\(seconds(bound.length)): \(chain.joined(separator: " → "))")]
    }

    private static func realised(_ path: CriticalPath, _ record: RunRecord) -> [String] {
        let waiting = path.waiting.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
            .map { "\($0.key.text) \(seconds($0.value))" }
        var text = "\(seconds(path.total)): running \(seconds(path.running))"
        if !waiting.isEmpty { text += ", waiting for \(waiting.joined(separator: ", "))" }
        var lines = [line("critical path", text)]
        let longest = path.pieces.indices.sorted { path.pieces[$0].duration > path.pieces[$1].duration }
            .prefix(pieceLimit).sorted()
        for place in longest {
            let piece = path.pieces[place]
            let what: String
            switch (piece.kind, piece.operation) {
            case (.running, let operation): what = operation.map { shown($0, record) } ?? "running"
            case (.waiting(let cause), let operation?):
                what = "waiting for \(cause.text): \(shown(operation, record))"
            case (.waiting(let cause), nil): what = "waiting for \(cause.text)"
            }
            lines.append("    \(padded(seconds(piece.duration), to: 9))  \(what)")
        }
        if path.pieces.count > longest.count {
            lines.append("    … and \(path.pieces.count - longest.count) shorter pieces")
        }
        return lines
    }

    private static func line(_ label: String, _ text: String) -> String {
        "  \(label)\(String(repeating: " ", count: max(1, 15 - label.count)))\(text)"
    }

    private static func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func shown(_ number: Int, _ record: RunRecord) -> String {
        "'\(VisibleText.line(record.operations[number].name))' #\(number)"
    }

    private static func duration(_ number: Int, _ record: RunRecord) -> Int64 {
        record.operations[number].duration
    }

    private static func seconds(_ nanoseconds: Int64) -> String { SecondsText.fine(nanoseconds) }
}
