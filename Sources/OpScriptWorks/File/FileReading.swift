internal import Glibc
internal import OpScript
internal import SystemPackage

/// How many bytes are processed between two checks for cancellation.
let pieceSize = 1 << 20

/// Reads a whole file.
///
/// - Throws: ``ScriptError`` if it cannot be read, with code `limit` if it is larger than the limit or the memory that
///   is left; `CancellationError` between two pieces.
func readFile(_ context: WorkContext, _ path: FilePath, limit: Int = MemoryRoom.standardLimit) throws
    -> [UInt8]
{
    var content = LimitedBytes(limit: limit)
    func check(_ fits: Bool) throws {
        guard !fits, let excess = content.excess else { return }
        throw ScriptError.excess("cannot read '\(path.string)': it holds", excess)
    }
    try readPieces(context, path) { size in
        try check(content.reserve(size))
    } piece: { piece in
        try check(content.append(piece))
    }
    return content.bytes
}

/// The options of `file.read`.
struct ReadOptions: ScriptConvertible {
    /// The most bytes that are read.
    var limit = MemoryRoom.standardLimit

    static var scriptTypeName: String { "table of options" }

    init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        let fields: [String: ScriptValue]
        do throws(ScriptConversionError) {
            fields = try [String: ScriptValue](scriptValue: scriptValue)
        } catch {
            throw ScriptConversionError(expected: Self.scriptTypeName, got: error.got, path: error.path)
        }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            guard name == "limit" else {
                let hint = suggestion(forOption: name, among: ["limit"])
                throw ScriptConversionError(expected: "", got: "unknown option '\(name)'\(hint)")
            }
            do throws(ScriptConversionError) {
                limit = try limitOption(value)
            } catch {
                throw error.inside(field: name)
            }
        }
    }

    var scriptValue: ScriptValue { .table(ScriptTable()) }
}

/// Reads a file piece by piece, reports progress and checks for cancellation between two pieces.
///
/// - Parameters:
///   - start: Called once with the size, as far as it is known in advance.
///   - piece: Called with each piece; the buffer is valid during the call.
func readPieces(
    _ context: WorkContext,
    _ path: FilePath,
    start: (Int) throws -> Void = { _ in },
    piece: (UnsafeRawBufferPointer) throws -> Void
) throws {
    do {
        // Non-blocking, so that the wait for a named pipe without a writer happens where cancellation is
        // checked.
        let file = try FileHandle(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        let status = try file.status()
        if status.isDirectory { throw SystemCallError(code: EISDIR) }
        let size = status.isRegular ? Int(status.st_size) : 0
        try start(size)
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
            try piece(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
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
