#if Journal
internal import OpScript
internal import Synchronization

/// The files of an operation at the moment of its decision.
struct PresentFiles {
    /// The files of its entry as they were; nil if there is none.
    var recorded: [RecordedFile]?
    /// The declared inputs as they are.
    var inputs: [RecordedFile] = []
    /// The present contents of the other recorded files, in their order; doubts have none.
    var others: [FileContent] = []
}

/// The files of operations: whether they are as they were.
extension Journal {
    /// The present content of a file.
    func content(_ path: String) -> FileContent { contents([path])[0] }

    /// The present contents of files, which are read only if their numbers are new.
    private func contents(_ paths: [String]) -> [FileContent] {
        if paths.isEmpty { return [] }
        let identities = paths.map { path -> (identity: FileIdentity?, isFolder: Bool) in
            var isFolder = false
            let identity = FileIdentity(path, isFolder: &isFolder)
            return (identity, isFolder)
        }
        // One lock for all: many workers meet there.
        let known = knownFiles(paths)
        return paths.indices.map { place in
            let (identity, isFolder) = identities[place]
            guard let identity else { return .missing }
            if let known = known[place], known.holds(for: identity) { return .digest(known.digest) }
            return read(paths[place], identity, isFolder: isFolder)
        }
    }

    private func read(_ path: String, _ identity: FileIdentity, isFolder: Bool) -> FileContent {
        let now = FileReading.now
        guard let digest = FileReading.content(path, isFolder: isFolder) else { return .missing }
        lock.withLock { _ in
            var file = KnownFile(identity: identity, readAt: now, digest: digest)
            if let before = knownFiles[path] {
                if identity == before.identity { file.sameSince = before.sameSince }
                if before.digest == digest {
                    file.firstReadAt = before.firstReadAt
                } else if before.readAt >= beganAt {
                    filesReadTwice.insert(path)
                }
            }
            knownFiles[path] = file
            changedFiles.insert(path)
        }
        return .digest(digest)
    }

    /// Whether a file whose content was just read had that before a moment.
    private func isOlder(_ path: String, than moment: Int64) -> Bool {
        var isFolder = false
        guard let identity = FileIdentity(path, isFolder: &isFolder) else { return true }
        if moment &- identity.newest > KnownFile.coarseness { return true }
        return knownFiles([path])[0].map { $0.firstReadAt < moment } ?? false
    }

    /// Whether a file was written since a moment before which it was read, or a link to it changed, even if the content
    /// is the same again. The second time of a file changes even if its first one is set back.
    private func wasWritten(_ path: String, since moment: Int64) -> Bool {
        var isFolder = false
        if let link = FileIdentity(link: path), link.changed > moment { return true }
        guard let identity = FileIdentity(path, isFolder: &isFolder), !isFolder,
            let known = knownFiles([path])[0]
        else { return false }
        return identity != known.identity || known.sameSince > moment
    }

    /// Whether a file has changed since the run began, and an operation that reads it has not seen it as it is, or no
    /// operation has read it.
    public func hasMissedChange(of path: String) -> Bool {
        let (known, wasReadTwice) = lock.withLock { _ in (knownFiles[path], filesReadTwice.contains(path)) }
        var isFolder = false
        guard let identity = FileIdentity(path, isFolder: &isFolder) else {
            return known.map { $0.readAt >= beganAt } ?? false
        }
        guard identity.newest >= beganAt - KnownFile.coarseness else { return false }
        guard let known, !wasReadTwice else { return true }
        return !known.holds(for: identity) && FileReading.content(path, isFolder: isFolder) != known.digest
    }

    /// Notes the outputs of an operation as they are.
    func noteOutputs(_ files: [RecordedFile]) {
        guard options.listsInputs else { return }
        lock.withLock { _ in
            for file in files where file.role == .output || file.role == .depfile {
                seenOutputs[file.path] = file.content
            }
        }
    }

    /// An output or a dependency file that is not as its operation has left it.
    public func missedOutput() -> String? {
        let seen = lock.withLock { _ in seenOutputs }
        return seen.keys.sorted().first { content($0) != seen[$0] }
    }

    private func knownFiles(_ paths: [String]) -> [KnownFile?] {
        let known = lock.withLock { _ in filesAreLoaded ? paths.map { knownFiles[$0] } : nil }
        if let known { return known }
        loadFiles()
        return lock.withLock { _ in paths.map { knownFiles[$0] } }
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

    /// The files of an operation and of its entry as they are now.
    func presentFiles(_ operation: JournaledOperation, _ entry: Entry?) -> PresentFiles {
        guard let files = operation.files else { return PresentFiles() }
        let inputs = files.inputs ?? []
        var present = PresentFiles()
        present.recorded = entry.flatMap { $0.files ?? storedFiles($0) }.flatMap { RecordedFile.decode($0) }
        let others = (present.recorded ?? []).lazy.filter { $0.role != .input && $0.role != .doubt }
        if options.listsInputs {
            lock.withLock { _ in
                seenInputs.formUnion(others.lazy.filter { $0.role == .dependency }.map(\.path))
            }
        }
        let contents = contents(inputs + others.map(\.path))
        present.inputs = zip(inputs, contents).map { RecordedFile(role: .input, path: $0, content: $1) }
        present.others = Array(contents[inputs.count...])
        return present
    }

    /// The first difference between the files of an entry and those of now, in words; nil if there is none.
    func difference(_ entry: Entry, _ operation: JournaledOperation, _ present: PresentFiles) -> String? {
        guard let files = operation.files else { return nil }
        if entry.state == .withoutResult { return "its result is not recorded" }
        if entry.state != .succeeded { return "it was under way when run \(entry.run) ended" }
        guard let recorded = present.recorded else { return "the files of its last run are not recorded" }
        return difference(recorded, present.inputs) ?? difference(recorded, outputs: files.outputs ?? [])
            ?? difference(recorded, depfile: files.depfile) ?? difference(recorded, others: present.others)
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
        let old = recorded.prefix { $0.role == .input }
        if old.count == inputs.count, zip(old, inputs).allSatisfy({ $0.path == $1.path }) {
            for (before, now) in zip(old, inputs) where before.content != now.content {
                return changed("input", now.path, before.content, now.content)
            }
            return nil
        }
        var others = Dictionary(old.map { ($0.path, $0.content) }) { first, _ in first }
        for input in inputs {
            guard let before = others.removeValue(forKey: input.path) else {
                return "the input '\(input.path)' is new"
            }
            if before != input.content { return changed("input", input.path, before, input.content) }
        }
        return others.keys.sorted().first.map { "'\($0)' is not an input any more" }
    }

    private func difference(_ recorded: [RecordedFile], outputs: [String]) -> String? {
        let old = recorded.lazy.filter { $0.role == .output }.map(\.path)
        if old.elementsEqual(outputs) { return nil }
        let before = Set(old), now = Set(outputs)
        if let path = now.subtracting(before).sorted().first { return "the output '\(path)' is new" }
        return before.subtracting(now).sorted().first.map {
            "the output '\($0)' is missing, or not declared any more"
        }
    }

    private func difference(_ recorded: [RecordedFile], depfile: String?) -> String? {
        let old = recorded.last { $0.role == .depfile }?.path
        if old == depfile { return nil }
        // The reason why there is no readable one is among its files.
        if old == nil, recorded.contains(where: { $0.role == .doubt }) { return nil }
        return depfile.map { "the dependency file '\($0)' is new" } ?? "it has no dependency file any more"
    }

    private func difference(_ recorded: [RecordedFile], others: [FileContent]) -> String? {
        var place = 0
        for file in recorded where file.role != .input {
            if file.role == .doubt { return file.path }
            let now = others[place]
            if now != file.content { return changed(file.role.text, file.path, file.content, now) }
            place += 1
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
        for input in begun.inputs where wasWritten(input.path, since: begun.at) {
            result.append(doubt("the input '\(input.path)' was written while it ran"))
        }
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
            let content = content(path)
            result.append(RecordedFile(role: .dependency, path: path, content: content))
            if content == .missing {
                result.append(doubt("the dependency '\(path)' is missing after it has run"))
            }
            // It may have changed while the body ran, and then it is not known which content the body read.
            if !isOlder(path, than: begun.at) {
                result.append(doubt("the dependency '\(path)' changed while it ran, or just before"))
            }
        }
        lock.withLock { _ in depfiles.append((depfile, dependencies)) }
        if options.listsInputs { lock.withLock { _ in seenInputs.formUnion(dependencies) } }
        result.append(RecordedFile(role: .depfile, path: depfile, content: content(depfile)))
        return result
    }

    private func doubt(_ reason: String) -> RecordedFile {
        RecordedFile(role: .doubt, path: reason, content: .missing)
    }

    // MARK: Explanations

    /// Why an operation without an entry would run: the part of its key that differs from an earlier one.
    func difference(_ operation: JournaledOperation) -> String {
        let found = store.withLock { _ -> (entry: EarlierEntry, hasKey: Bool)? in
            guard let database,
                let nearest = lastEntries(database)?.nearest(
                    key: operation.key,
                    place: LastEntries.Place(kind: operation.kind, number: operation.number),
                    name: operation.name,
                    work: operation.work
                )
            else { return nil }
            let text = "SELECT \(EarlierEntry.columns) FROM entries WHERE id=?"
            let rows = try? database.rows(text, [.number(nearest.id)]) { EarlierEntry($0, first: 0) }
            return rows?.first.map { ($0, nearest.hasKey) }
        }
        guard let found else { return "nothing is recorded for it" }
        return found.entry.difference(from: operation.parts, hasKey: found.hasKey, inRun: run)
    }
}
#endif
