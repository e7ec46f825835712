internal import LuaVM
internal import Scheduling

/// Changes of a file or folder.
final class FileSource: SourceKind {
    static let makers: [ScriptMethod] = [.init("fileSystem", "path, events [, queue]", makeFileSource)]

    private let path: [UInt8]
    private let changes: FileChange

    let typeName = "fileSystem"
    let merge = SourceMachine.Merge.or
    var subject: String? { String(decoding: path, as: UTF8.self) }
    var description: String { "source of '\(String(decoding: path, as: UTF8.self))'" }

    init(_ path: [UInt8], _ changes: FileChange) {
        self.path = path
        self.changes = changes
    }

    func beginWaiting(
        _ monitor: () throws(SystemFailure) -> EventMonitor,
        _ handler: @escaping EventMonitor.Handler
    ) throws(SystemFailure) -> EventMonitor.Token? {
        try monitor().add(file: path, changes, handler)
    }

    func happened(_ event: EventMonitor.Event, _ source: EventSource, _ sources: EventSources) {
        guard case .changed(let changes, let isGone) = event else { return }
        sources.happened(source, changes.rawValue)
        if isGone { sources.exhausted(source) }
    }

    func pushData(of source: EventSource, _ state: LuaState) {
        state.push(flags: Self.names(of: FileChange(rawValue: source.data)))
    }

    func pushMask(_ state: LuaState) { state.push(flags: Self.names(of: changes)) }

    func pushHandle(_ state: LuaState) { state.push(bytes: path) }

    private static func names(of changes: FileChange) -> [String] {
        FileChange.names.filter { changes.contains($0.change) }.map(\.name)
    }
}

/// `DispatchSource.fileSystem(path, { "write" })`
private func makeFileSource(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        try runtime.require(.files, for: "a source that watches files")
        guard let path = state.bytes(1) else {
            throw LuaRaise(argument: 1, "path expected, got \(runtime.operations.kindName(state, 1))")
        }
        let text = String(decoding: path, as: UTF8.self)
        guard !path.isEmpty, !path.contains(0) else {
            throw LuaRaise(argument: 1, "path expected, got '\(text)'")
        }
        let names = try runtime.sources.flags(state, 2, FileChange.names.map(\.name), foreignEvents)
        let changes = FileChange.names.filter { names.contains($0.name) }
            .reduce(into: FileChange()) { $0.insert($1.change) }
        let queue = try runtime.sources.sourceQueue(state, 3)
        do throws(SystemFailure) {
            try SystemProbe.checkFile(path)
        } catch {
            throw LuaRaise(
                .host,
                "cannot watch '\(text)': \(error.isMissing ? "no such file" : error.description)"
            )
        }
        runtime.sources.makeSource(FileSource(path, changes), queue, state)
        return 1
    }
}

/// File events that exist on Apple's systems but not on Linux.
private let foreignEvents = [
    "revoke": "Linux does not revoke open files; use \"delete\"",
    "funlock": "Linux does not report the release of a lock",
]
