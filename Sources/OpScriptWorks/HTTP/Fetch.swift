#if HTTP
internal import Glibc
internal import OpScript
internal import SystemPackage

/// Sends a request, and waits for its answer.
///
/// - Returns: `{ status, headers, body }`, or the path of the file with the body.
/// - Throws: ``ScriptError`` with the URL and the reason; a status of 400 or more is not an error, unless the body
///   belongs into a file. `CancellationError` when the task is cancelled.
func fetch(_ context: WorkContext, _ request: WebRequest) async throws -> ScriptValue {
    do {
        // Connections are opened elsewhere; the limit is checked there, too, but with fewer words.
        try requireSpareDescriptor()
        let source = try FetchSource(request)
        if case .file(let path)? = request.options.cookies { try requireWritableFile(path) }
        if request.method == "HEAD", request.options.file != nil {
            throw ScriptError(.argument, "the answer to HEAD has no body, and 'to' would get an empty file")
        }
        guard let file = request.options.file else {
            let limit = request.options.limit ?? MemoryRoom.standardLimit
            let place = ReceivedBody.Place.memory(LimitedBytes(limit: limit))
            let transfer = try await perform(context, request, source, place)
            return answer(transfer)
        }
        if request.options.resumes {
            try await continueFile(context, file, request, source)
        } else {
            try await replaceFile(context, file) { descriptor in
                let place = ReceivedBody.Place.file(descriptor, limit: request.options.limit)
                _ = try await perform(context, request, source, place)
            }
        }
        return file.scriptValue
    } catch let error as ScriptError where !error.message.hasPrefix("cannot ") {
        throw ScriptError(error.code, "\(request.failureText): \(error.message)", underlying: error)
    } catch let error as SystemCallError {
        throw ScriptError(.failed, "\(request.failureText): \(ScriptError.describe(error.code))")
    } catch let error as WebProxyError {
        throw ScriptError(
            .host,
            "\(request.failureText): \(error.variable) is not a usable proxy: "
                + "'\(HiddenCredentials.hidden(inURL: error.value))'"
        )
    }
}

/// libcurl says nothing if it cannot write cookies: into a file beside theirs, which gets its name at the end.
///
/// - Throws: ``ScriptError`` with the path and the reason.
private func requireWritableFile(_ path: FilePath) throws(ScriptError) {
    do throws(SystemCallError) {
        let present = try fileStatus(of: path)
        if let present, present.isDirectory { throw SystemCallError(code: EISDIR) }
        let target = present.map { $0.isRegular } ?? true ? path.parent : path
        try systemCall { target.withPlatformString { access($0, W_OK) } }
    } catch {
        throw ScriptError.cannot("write", path, error.code, missing: "no such directory")
    }
}

/// The body of a request, with its type. Its files stay open as long as it.
private struct FetchSource {
    /// nil for no body.
    private(set) var pieces: [SentBody.Piece]?
    private(set) var type: String?
    private var files: [SentFile] = []

    init(_ request: WebRequest) throws {
        switch request.options.body {
        case nil: break
        case .data(let data): pieces = [.bytes(data.bytes)]
        case .json(let value):
            pieces = [.bytes(try value.json(pretty: false))]
            type = "application/json"
        case .form(let form) where form.hasParts:
            let boundary =
                "opscript-" + String(UInt64.random(in: .min ... .max), radix: 36)
                + String(UInt64.random(in: .min ... .max), radix: 36)
            pieces = try form.pieces(boundary: boundary).map { piece in
                switch piece {
                case .bytes(let bytes): .bytes(bytes)
                case .file(let path): try open(path)
                }
            }
            type = "multipart/form-data; boundary=\(boundary)"
        case .form(let form):
            pieces = [.bytes(Array(form.text.utf8))]
            type = "application/x-www-form-urlencoded"
        case .file(let path): pieces = [try open(path)]
        }
    }

    private mutating func open(_ path: FilePath) throws(ScriptError) -> SentBody.Piece {
        do throws(SystemCallError) {
            let file = try SentFile(path)
            files.append(file)
            return .file(file.handle.descriptor, file.size)
        } catch {
            throw ScriptError.cannot("read", path, error.code)
        }
    }
}

/// An open regular file that is sent.
private final class SentFile {
    let handle: FileHandle
    let size: Int

    init(_ path: FilePath) throws(SystemCallError) {
        let handle = try FileHandle(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        let status = try handle.status()
        guard status.isRegular else {
            throw SystemCallError(code: status.isDirectory ? EISDIR : ESPIPE)
        }
        self.handle = consume handle
        size = Int(status.st_size)
    }
}

/// Runs one transfer.
///
/// - Throws: ``ScriptError`` unless the whole answer has arrived.
private func perform(
    _ context: WorkContext,
    _ request: WebRequest,
    _ source: FetchSource,
    _ place: ReceivedBody.Place,
    part: FilePart? = nil
) async throws -> Transfer {
    let sent = source.pieces.map { SentBody($0) }
    let transfer = try Transfer(
        context,
        place,
        kept: part?.size ?? 0,
        validator: part?.validator,
        sending: sent
    )
    try transfer.setUp(request, length: sent?.count, type: source.type, part: part)
    let start = ContinuousClock.now
    let ending = await TransferLoop.run(transfer)
    // Its files were read until now.
    withExtendedLifetime(source) {}
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    if let error = failure(ending, transfer, request, seconds: seconds) { throw error }
    return transfer
}

/// Continues the file of an earlier attempt, `NAME.part`, and gives it its name when it is whole.
///
/// The part stays if the attempt fails or is cancelled, unless the server has no rest for it.
private func continueFile(
    _ context: WorkContext,
    _ path: FilePath,
    _ request: WebRequest,
    _ source: FetchSource
) async throws {
    let name = FilePart.path(of: path)
    do {
        let open = try OpenPart(name)
        let part = open.part
        let place = ReceivedBody.Place.file(open.file.descriptor, limit: request.options.limit)
        do {
            _ = try await perform(context, request, source, place, part: part)
        } catch let error as RestRefusal {
            part.remove()
            throw ScriptError(.failed, error.text)
        }
        try context.checkCancellation()
        try part.rename(to: path)
    } catch let error as SystemCallError {
        throw ScriptError.cannot("write", name, error.code, missing: "no such directory")
    }
}

/// The part of an earlier attempt, or a new one, open and locked.
///
/// The server has to recognise the bytes of a part, so one without a validator begins anew.
private struct OpenPart: ~Copyable {
    let file: FileHandle
    let part: FilePart

    /// - Throws: Code `failed` if another request writes it; the system's error otherwise.
    init(_ path: FilePath) throws {
        while true {
            let file = try FileHandle(path, O_WRONLY | O_CREAT)
            let status = try file.status()
            guard status.isRegular else { throw SystemCallError(code: EINVAL) }
            // Some file systems have no locks.
            guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
                throw ScriptError(.failed, "another request writes '\(path.string)'")
            }
            // The request that had the lock before has perhaps given the file its name.
            let present = try fileStatus(of: path)
            guard present?.st_ino == status.st_ino, present?.st_dev == status.st_dev else { continue }
            var part = FilePart(path: path, size: Int(try file.status().st_size))
            if part.size > 0, part.validator == nil {
                try systemCall { ftruncate(file.descriptor, 0) }
                part = FilePart(path: path, size: 0)
            }
            try systemCall { lseek(file.descriptor, 0, SEEK_END) }
            self.part = part
            self.file = consume file
            return
        }
    }
}

private func answer(_ transfer: Transfer) -> ScriptValue {
    var values: [String: String] = [:]
    var names: [String] = []
    for field in transfer.head.fields {
        if let before = values[field.name] {
            values[field.name] = "\(before), \(field.value)"
        } else {
            names.append(field.name)
            values[field.name] = field.value
        }
    }
    let headers = names.map { ScriptTable.Entry(key: .text($0), value: .text(values[$0] ?? "")) }
    return .table([
        "status": .integer(Int64(transfer.head.status)),
        "headers": .table(ScriptTable(headers)),
        "body": .string(transfer.body.bytes),
    ])
}
#endif
