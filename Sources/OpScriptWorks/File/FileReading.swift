internal import Glibc
internal import OpScript
internal import SystemPackage

/// How many bytes go between two looks at cancellation.
let pieceSize = 1 << 20

/// Reads a whole file.
///
/// - Throws: ``ScriptError`` where it cannot be read, also where it holds more than half of the machine's memory;
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

/// Half of the machine's memory: more in one string would end in the kernel killing something.
private let largestFileInMemory = sysconf(CInt(_SC_PHYS_PAGES)) / 2 * sysconf(CInt(_SC_PAGESIZE))

/// Reads a file piece by piece, reports progress and sees cancellation between two of them.
///
/// - Parameters:
///   - limit: The most bytes that are taken.
///   - start: Called once with the size, as far as it is known beforehand.
///   - piece: Called with each piece; the buffer is valid during the call.
func readPieces(
    _ context: WorkContext,
    _ path: FilePath,
    limit: Int = .max,
    start: (Int) -> Void = { _ in },
    piece: (UnsafeRawBufferPointer) -> Void
) throws {
    do {
        // Non-blocking, so that a named pipe that nobody writes to is waited for where cancellation is seen.
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

/// Waits until a pipe, a terminal or a device can be read or written, and looks for cancellation meanwhile.
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
        "it holds more than \(size) MiB, half of this machine's memory; let a process or digest.file go through it"
    )
}
