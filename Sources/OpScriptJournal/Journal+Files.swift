#if Journal
internal import OpScript
internal import Synchronization

/// The files of operations: whether they are as they were.
extension Journal {
    /// The present content of a file, which is read only if its numbers are new.
    func content(_ path: String) -> FileContent {
        var isFolder = false
        guard let identity = FileIdentity(path, isFolder: &isFolder) else { return .missing }
        if let known = knownFile(path), known.holds(for: identity) { return .digest(known.digest) }
        let now = FileReading.now
        guard let digest = FileReading.content(path, isFolder: isFolder) else { return .missing }
        lock.withLock { _ in
            knownFiles[path] = KnownFile(identity: identity, readAt: now, digest: digest)
            changedFiles.insert(path)
        }
        return .digest(digest)
    }

    /// Whether a file had its present content before a moment.
    private func isOlder(_ path: String, than moment: Int64) -> Bool {
        var isFolder = false
        guard let identity = FileIdentity(path, isFolder: &isFolder) else { return true }
        if moment &- identity.newest > KnownFile.coarseness { return true }
        return knownFile(path).map { $0.identity == identity && $0.readAt < moment } ?? false
    }

    private func knownFile(_ path: String) -> KnownFile? {
        let (isLoaded, known) = lock.withLock { _ in (filesAreLoaded, knownFiles[path]) }
        if isLoaded { return known }
        loadFiles()
        return lock.withLock { _ in knownFiles[path] }
    }

    /// Loads the files that earlier runs have read, once.
    private func loadFiles() {
        store.withLock { _ in
            guard !lock.withLock({ _ in filesAreLoaded }) else { return }
            let text = "SELECT path, device, inode, size, modified, changed, readat, digest FROM files"
            let found = try? database?.rows(text) { row -> (String, KnownFile)? in
                guard let path = row.text(0), let digest = row.digest(7) else { return nil }
                let identity = FileIdentity(
                    device: row.number(1),
                    inode: row.number(2),
                    size: row.number(3),
                    modified: row.number(4),
                    changed: row.number(5)
                )
                return (path, KnownFile(identity: identity, readAt: row.number(6), digest: digest))
            }
            lock.withLock { _ in
                knownFiles.reserveCapacity(found?.count ?? 0)
                for case let (path, file)? in found ?? [] { knownFiles[path] = file }
                filesAreLoaded = true
            }
        }
    }

    /// The declared inputs as they are now.
    func inputContents(_ operation: JournaledOperation) -> [RecordedFile] {
        guard let files = operation.files else { return [] }
        lock.withLock { _ in
            seenInputs.formUnion(files.inputs ?? [])
            seenOutputs.formUnion(files.outputs ?? [])
        }
        return (files.inputs ?? []).map { RecordedFile(role: .input, path: $0, content: content($0)) }
    }

    /// The first difference between the files of an entry and those of now, in words; nil if there is none.
    func difference(_ entry: Entry, _ operation: JournaledOperation, _ inputs: [RecordedFile]) -> String? {
        guard let files = operation.files else { return nil }
        if entry.state != .succeeded { return "it was under way when run \(entry.run) ended" }
        guard let bytes = entry.files ?? storedFiles(entry), let recorded = RecordedFile.decode(bytes) else {
            return "the files of its last run are not recorded"
        }
        if let path = files.depfile, Depfile.dependencies(FileReading.bytes(path) ?? [0]) == nil {
            return "its dependency file '\(path)' is missing or unreadable"
        }
        return difference(recorded, inputs) ?? difference(recorded, outputs: files.outputs)
            ?? difference(recorded)
    }

    private func storedFiles(_ entry: Entry) -> [UInt8]? {
        store.withLock { _ in
            let found = try? database?.rows("SELECT files FROM entries WHERE id=?", [.number(entry.id)]) {
                $0.bytes(0)
            }
            return found?.first ?? nil
        }
    }

    private func difference(_ recorded: [RecordedFile], _ inputs: [RecordedFile]) -> String? {
        var old: [String: FileContent] = [:]
        for file in recorded where file.role == .input { old[file.path] = file.content }
        for input in inputs {
            guard let before = old.removeValue(forKey: input.path) else {
                return "the input '\(input.path)' is new"
            }
            if before != input.content { return changed("input", input.path, before, input.content) }
        }
        return old.keys.sorted().first.map { "'\($0)' is not an input any more" }
    }

    private func difference(_ recorded: [RecordedFile], outputs: [String]?) -> String? {
        let old = Set(recorded.lazy.filter { $0.role == .output }.map(\.path))
        let now = Set(outputs ?? [])
        if let path = now.subtracting(old).sorted().first { return "the output '\(path)' is new" }
        return old.subtracting(now).sorted().first.map {
            "the output '\($0)' is missing, or not declared any more"
        }
    }

    private func difference(_ recorded: [RecordedFile]) -> String? {
        for file in recorded where file.role != .input {
            if file.role == .doubt { return file.path }
            if file.role == .dependency { lock.withLock { _ in _ = seenInputs.insert(file.path) } }
            let now = content(file.path)
            if now != file.content { return changed(file.role.text, file.path, file.content, now) }
        }
        return nil
    }

    private func changed(_ role: String, _ path: String, _ old: FileContent, _ now: FileContent) -> String {
        now == .missing
            ? "the \(role) '\(path)' is missing"
            : "the \(role) '\(path)' has changed (\(old.text) -> \(now.text))"
    }

    /// The files of an operation that has just succeeded.
    func recordedFiles(_ operation: JournaledOperation, _ begun: BegunBody) -> [RecordedFile] {
        guard let files = operation.files else { return [] }
        var result = begun.inputs
        for path in files.outputs ?? [] {
            result.append(RecordedFile(role: .output, path: path, content: content(path)))
        }
        guard let depfile = files.depfile else { return result }
        guard let bytes = FileReading.bytes(depfile), let found = Depfile.dependencies(bytes) else {
            return result + [
                doubt("its dependency file '\(depfile)' was missing or unreadable when it had run")
            ]
        }
        let known = Set(begun.inputs.map(\.path))
        var dependencies: [String] = []
        for path in found where !known.contains(path) {
            dependencies.append(path)
            result.append(RecordedFile(role: .dependency, path: path, content: content(path)))
            // It may have changed while the body ran, and then it is not known which content the body read.
            if !isOlder(path, than: begun.at) {
                result.append(doubt("the dependency '\(path)' changed while it ran"))
            }
        }
        lock.withLock { _ in
            depfiles.append((depfile, dependencies))
            seenInputs.formUnion(dependencies)
        }
        result.append(RecordedFile(role: .depfile, path: depfile, content: content(depfile)))
        return result
    }

    private func doubt(_ reason: String) -> RecordedFile {
        RecordedFile(role: .doubt, path: reason, content: .missing)
    }

    // MARK: Explanations

    /// Why an operation without an entry would run: the part of its key that differs from an earlier one.
    func difference(_ operation: JournaledOperation) -> String {
        let found = store.withLock { _ -> EarlierEntry? in
            guard let database,
                let id = lastEntries(database)?.nearest(
                    key: operation.key,
                    tag: operation.tag,
                    name: operation.name,
                    work: operation.work
                )
            else { return nil }
            let text = "SELECT \(EarlierEntry.columns) FROM entries WHERE id=?"
            return try? database.rows(text, [.number(id)]) { EarlierEntry($0, first: 0) }.first
        }
        return found?.difference(from: operation.parts, inRun: run) ?? "nothing is recorded for it"
    }
}
#endif
