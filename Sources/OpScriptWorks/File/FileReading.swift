internal import Glibc
internal import OpScript
internal import SystemPackage

/// How many bytes are processed between two checks for cancellation.
let pieceSize = 1 << 20

/// Reads a whole file.
///
/// - Throws: ``ScriptError`` if it cannot be read, or if it is larger than half of the machine's memory;
///   `CancellationError` between two pieces.
func readFile(_ context: WorkContext, _ path: FilePath) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try readPieces(context, path, limit: largestFileInMemory) { size in
        bytes.reserveCapacity(size)
    } piece: { piece in
        bytes.append(contentsOf: piece)
    }
    return bytes
}

/// Half of the machine's memory: with more in one string, the kernel would kill a process.
private let largestFileInMemory = sysconf(CInt(_SC_PHYS_PAGES)) / 2 * sysconf(CInt(_SC_PAGESIZE))

/// Reads a file piece by piece, reports progress and checks for cancellation between two pieces.
///
/// - Parameters:
///   - limit: The most bytes that are taken.
///   - start: Called once with the size, as far as it is known in advance.
///   - piece: Called with each piece; the buffer is valid during the call.
func readPieces(
    _ context: WorkContext,
    _ path: FilePath,
    limit: Int = .max,
    start: (Int) -> Void = { _ in },
    piece: (UnsafeRawBufferPointer) -> Void
) throws {
    do {
        // Non-blocking, so that the wait for a named pipe without a writer happens where cancellation is
        // checked.
        let file = try FileHandle(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        let status = try file.status()
        if status.isDirectory { throw SystemCallError(code: EISDIR) }
        let size = status.isRegular ? Int(status.st_size) : 0
        if size > limit { throw tooLarge(path) }
        start(size)
        context.progress.totalUnitCount = Int64(size)
        posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 64)
        defer { buffer.deallocate() }
        var total = 0
        while true {
            try context.checkCancellation()
            if !status.isRegular { try waitUntilReady(file.descriptor, POLLIN, context) }
            let count: Int
            do throws(SystemCallError) {
                count = try file.read(into: buffer)
            } catch {
                if error.code == EAGAIN { continue }
                throw error
            }
            if count == 0 { return }
            total += count
            if total > limit { throw tooLarge(path) }
            piece(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            context.progress.completedUnitCount = Int64(total)
        }
    } catch let error as SystemCallError {
        throw ScriptError.cannot("read", path, error.code)
    }
}

/// Waits until a pipe, a terminal or a device can be read or written, and checks for cancellation meanwhile.
func waitUntilReady(_ descriptor: CInt, _ events: CInt, _ context: WorkContext) throws {
    var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while try systemCall({ poll(&request, 1, 20) }) == 0 {
        try context.checkCancellation()
    }
}

private func tooLarge(_ path: FilePath) -> ScriptError {
    let size = largestFileInMemory >> 20
    return .cannot(
        "read",
        path,
        "it holds more than \(size) MiB, half of this machine's memory; use a process or digest.file instead"
    )
}
