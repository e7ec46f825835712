#if HTTP
internal import Glibc

/// The place where the body of an answer is collected.
struct ReceivedBody {
    enum Place {
        case memory(LimitedBytes)
        /// An open file, and the most bytes that it takes.
        case file(CInt, limit: Int?)
    }

    enum Outcome: Equatable {
        case kept
        /// The file takes no more now: a named pipe is full.
        case later
        case failed(TransferLife.Ending)
    }

    private(set) var place: Place
    /// The bytes in the file.
    private var count: Int
    /// How many bytes of a piece were written before the file took no more; the piece will be given again.
    private var written = 0

    /// - Parameter kept: How many bytes are in the file already.
    init(_ place: Place, kept: Int) {
        self.place = place
        count = kept
    }

    /// The descriptor of the file; nil in memory.
    var descriptor: CInt? {
        if case .file(let descriptor, _) = place { return descriptor }
        return nil
    }

    /// The bytes in memory.
    var bytes: [UInt8] {
        if case .memory(let body) = place { return body.bytes }
        return []
    }

    /// Discards all bytes of an earlier attempt.
    mutating func truncate() -> Outcome {
        count = 0
        // Devices and pipes have no length.
        guard let descriptor, ftruncate(descriptor, 0) == 0 else { return .kept }
        return lseek(descriptor, 0, SEEK_SET) >= 0 ? .kept : .failed(.unwritable(errno))
    }

    /// Makes room for a number of bytes that the server has announced.
    mutating func reserve(_ count: Int) -> Outcome {
        switch place {
        case .memory(var body):
            // Otherwise, the bytes would be copied.
            place = .memory(LimitedBytes(limit: 0))
            let fits = body.reserve(count)
            place = .memory(body)
            return fits ? .kept : .failed(.excess(body.excess ?? .memory))
        case .file(_, let limit): return overflow(self.count + count, limit)
        }
    }

    /// Takes in the next bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        switch place {
        case .memory(var body):
            place = .memory(LimitedBytes(limit: 0))
            let fits = body.append(bytes)
            place = .memory(body)
            return fits ? .kept : .failed(.excess(body.excess ?? .memory))
        case .file(let descriptor, let limit):
            let outcome = overflow(count + bytes.count, limit)
            return outcome == .kept ? write(bytes, to: descriptor) : outcome
        }
    }

    private func overflow(_ count: Int, _ limit: Int?) -> Outcome {
        guard let limit, count > limit else { return .kept }
        return .failed(.excess(.limit(limit)))
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Outcome {
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            do throws(SystemCallError) {
                written += try systemCall { Glibc.write(descriptor, rest.baseAddress, rest.count) }
            } catch {
                return error.code == EAGAIN ? .later : .failed(.unwritable(error.code))
            }
        }
        written = 0
        count += bytes.count
        return .kept
    }
}

/// The body of a request, which is read piece by piece.
struct SentBody {
    enum Piece {
        case bytes([UInt8])
        /// An open regular file, with its size.
        case file(CInt, Int)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(_, let size): size
            }
        }
    }

    let count: Int
    private let pieces: [Piece]
    private var position = 0
    /// The piece that is read, and the position of its first byte.
    private var current = 0
    private var start = 0

    init(_ pieces: [Piece]) {
        self.pieces = pieces
        count = pieces.reduce(0) { $0 + $1.count }
    }

    /// Begins again from a byte, for a redirect or a second attempt with a password.
    mutating func seek(_ offset: Int) {
        position = max(0, min(offset, count))
        (current, start) = (0, 0)
    }

    /// Copies the next bytes into a buffer; 0 at the end.
    ///
    /// - Throws: The system's error number. A file that has become shorter is EIO.
    mutating func read(into room: UnsafeMutableRawBufferPointer) throws(SystemCallError) -> Int {
        guard position < count else { return 0 }
        while position - start >= pieces[current].count {
            start += pieces[current].count
            current += 1
        }
        let offset = position - start
        let length = min(room.count, pieces[current].count - offset)
        var copied = length
        switch pieces[current] {
        case .bytes(let bytes):
            room.copyBytes(from: bytes[offset..<offset + length])
        case .file(let descriptor, _):
            copied = try systemCall { pread(descriptor, room.baseAddress, length, off_t(offset)) }
            if copied == 0 { throw SystemCallError(code: EIO) }
        }
        position += copied
        return copied
    }
}
#endif
