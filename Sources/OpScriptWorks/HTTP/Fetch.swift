#if HTTP
internal import AsyncHTTPClient
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import OpScript
internal import SystemPackage

/// Fetches a URL.
///
/// - Returns: `{ status, headers, body }`, or the path of the file with the body.
func fetch(_ context: WorkContext, _ address: WebAddress, _ options: FetchOptions) async throws -> ScriptValue
{
    guard let seconds = options.timeout, seconds < 1e9 else {
        return try await fetchWithoutLimit(context, address, options)
    }
    return try await withThrowingTaskGroup(of: ScriptValue?.self) { group in
        group.addTask { try await fetchWithoutLimit(context, address, options) }
        group.addTask {
            try await Task.sleep(for: .seconds(seconds))
            return nil
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() ?? nil else {
            throw ScriptError(
                .timeout,
                "cannot get '\(address.shownText)': not done after \(text(seconds)) s"
            )
        }
        return value
    }
}

private func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
}

private func fetchWithoutLimit(
    _ context: WorkContext,
    _ address: WebAddress,
    _ options: FetchOptions
) async throws -> ScriptValue {
    var request = HTTPClientRequest(url: address.text)
    for (name, value) in options.headers { request.headers.add(name: name, value: value) }
    if let credentials = address.credentials, !request.headers.contains(name: "Authorization") {
        request.headers.add(name: "Authorization", value: "Basic \(credentials)")
    }
    if !request.headers.contains(name: "User-Agent") {
        request.headers.add(name: "User-Agent", value: "opscript")
    }
    do {
        // Connections are opened elsewhere, where the limit cannot be checked.
        try requireSpareDescriptor()
        let client = WebClients.shared.client(
            try WebProxy.fromEnvironment(for: address),
            certificates: address.isSecure ? trustedCertificates() : nil
        )
        let response = try await client.execute(request, deadline: .distantFuture)
        context.progress.report(completed: 0, of: expectedLength(response))
        guard let file = options.file else {
            return description(of: response, try await readBody(context, response, limit: options.limit))
        }
        guard (200...299).contains(response.status.code) else {
            throw ScriptError(.failed, "the server answered \(describe(response.status))")
        }
        try await replaceFile(context, file) { descriptor in
            for try await piece in response.body { try write(context, piece, to: descriptor) }
        }
        return file.scriptValue
    } catch {
        throw failure(error, address)
    }
}

/// The file of certificates that the environment names, as for curl.
private func trustedCertificates() -> String? {
    guard let value = getenv("SSL_CERT_FILE") else { return nil }
    let path = String(cString: value)
    return path.isEmpty ? nil : path
}

/// How many bytes the server has announced; 0 if it has not announced any.
private func expectedLength(_ response: HTTPClientResponse) -> Int64 {
    response.headers.first(name: "Content-Length").flatMap { Int64($0) } ?? 0
}

private func readBody(_ context: WorkContext, _ response: HTTPClientResponse, limit: Int) async throws
    -> [UInt8]
{
    var body = LimitedBytes(limit: limit)
    func check(_ fits: Bool) throws {
        guard !fits, let excess = body.excess else { return }
        throw ScriptError.excess("the body has", excess, " or give 'to' for a file")
    }
    try check(body.reserve(Int(clamping: max(0, expectedLength(response)))))
    for try await piece in response.body {
        try check(piece.withUnsafeReadableBytes { body.append($0) })
        context.progress.completedUnitCount = Int64(body.bytes.count)
    }
    return body.bytes
}

private func write(_ context: WorkContext, _ piece: ByteBuffer, to descriptor: CInt) throws {
    try piece.withUnsafeReadableBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            try context.checkCancellation()
            let part = UnsafeRawBufferPointer(rebasing: rest)
            rest = rest.dropFirst(try systemCall { Glibc.write(descriptor, part.baseAddress, part.count) })
        }
    }
    context.progress.completedUnitCount += Int64(piece.readableBytes)
}

private func description(of response: HTTPClientResponse, _ body: [UInt8]) -> ScriptValue {
    var values: [String: String] = [:]
    var names: [String] = []
    for (name, value) in response.headers {
        let name = name.lowercased()
        if let before = values[name] {
            values[name] = "\(before), \(value)"
        } else {
            names.append(name)
            values[name] = value
        }
    }
    let headers = names.map { ScriptTable.Entry(key: .text($0), value: .text(values[$0] ?? "")) }
    return .table([
        "status": .integer(Int64(response.status.code)),
        "headers": .table(ScriptTable(headers)),
        "body": .string(body),
    ])
}

private func describe(_ status: HTTPResponseStatus) -> String {
    status.reasonPhrase.isEmpty ? "\(status.code)" : "\(status.code) \(status.reasonPhrase)"
}
#endif
