#if Journal
internal import CSQLite
internal import Glibc
internal import OpScript

/// A connection to an SQLite database. It is used by one thread at a time.
final class Database {
    private let connection: UnsafeMutableRawPointer
    private var statements: [String: Statement] = [:]

    /// An error of SQLite.
    struct Failure: Error {
        let code: Int32
        let message: String
        /// Whether there is no room for more.
        var isFull = false

        /// The code of a file that is not what was written.
        static let damage = Int32(CSQLITE_CORRUPT)

        /// Whether the file is not what was written.
        var isDamage: Bool { code & 0xFF == CSQLITE_CORRUPT || code & 0xFF == CSQLITE_NOTADB }
        var isBusy: Bool { code & 0xFF == CSQLITE_BUSY }
        var isUnopenable: Bool { [CSQLITE_CANTOPEN, CSQLITE_READONLY].contains(Int(code & 0xFF)) }
    }

    /// Opens a file; makes it unless it is only read.
    ///
    /// - Parameter isImmutable: Whether no process can be writing it.
    init(_ path: String, isReadOnly: Bool, isImmutable: Bool = false) throws(Failure) {
        if let problem = csqlite_open_library() {
            throw Failure(code: 1, message: String(cString: problem))
        }
        var opened: UnsafeMutableRawPointer?
        let access = isReadOnly ? CSQLITE_OPEN_READONLY : CSQLITE_OPEN_READWRITE | CSQLITE_OPEN_CREATE
        let name = isImmutable ? "file:\(Self.escaped(path))?immutable=1" : path
        let form = isImmutable ? CSQLITE_OPEN_URI : 0
        let code = csqlite_open(name, &opened, Int32(access | form | CSQLITE_OPEN_NOMUTEX))
        guard code == CSQLITE_OK, let opened else {
            let message = String(cString: csqlite_message(opened))
            if let opened { csqlite_close(opened) }
            throw Failure(code: code, message: message)
        }
        connection = opened
        csqlite_wait_when_busy(opened, 2_000)
    }

    /// A path as a part of a URI.
    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3F").replacing("#", with: "%23")
    }

    deinit {
        for statement in statements.values { csqlite_finalize(statement.handle) }
        csqlite_close(connection)
    }

    var lastRow: Int64 { csqlite_last_row(connection) }

    /// The last error, with the system's reason.
    fileprivate func failure(_ code: Int32) -> Failure {
        var message = String(cString: csqlite_message(connection))
        var isFull = code & 0xFF == CSQLITE_FULL
        if [CSQLITE_IOERR, CSQLITE_CANTOPEN].contains(Int(code & 0xFF)) {
            let reason = csqlite_system_reason(connection)
            if reason != 0 { message += " (\(String(cString: strerror(reason))))" }
            // A limit of file sizes may give no reason.
            let isUnexplained = reason == 0 && code & 0xFF == CSQLITE_IOERR
            isFull = isFull || isUnexplained || [ENOSPC, EDQUOT, EFBIG].contains(reason)
        }
        return Failure(code: code, message: message, isFull: isFull)
    }

    /// Performs statements without values.
    func execute(_ text: String) throws(Failure) {
        let code = csqlite_execute(connection, text)
        guard code == CSQLITE_OK else { throw failure(code) }
    }

    /// A statement, which is prepared once.
    func statement(_ text: String) throws(Failure) -> Statement {
        if let known = statements[text] { return known }
        var handle: UnsafeMutableRawPointer?
        let code = csqlite_prepare(connection, text, -1, &handle)
        guard code == CSQLITE_OK, let handle else { throw failure(code) }
        let made = Statement(handle: handle, database: self)
        statements[text] = made
        return made
    }

    /// Performs a statement that gives no row.
    func run(_ text: String, _ values: [Value] = []) throws(Failure) {
        let statement = try statement(text)
        defer { statement.reset() }
        statement.bind(values)
        _ = try statement.step()
    }

    /// All rows of a statement.
    func rows<Row>(_ text: String, _ values: [Value] = [], _ read: (Statement) -> Row) throws(Failure)
        -> [Row]
    {
        let statement = try statement(text)
        defer { statement.reset() }
        statement.bind(values)
        var rows: [Row] = []
        while try statement.step() { rows.append(read(statement)) }
        return rows
    }

    /// A value that a statement takes.
    enum Value {
        case null
        case number(Int64)
        case text(String)
        case bytes([UInt8])

        init(_ text: String?) { self = text.map { .text($0) } ?? .null }
        init(_ bytes: [UInt8]?) { self = bytes.map { .bytes($0) } ?? .null }
    }
}

/// A prepared statement.
final class Statement {
    fileprivate let handle: UnsafeMutableRawPointer
    private unowned let database: Database
    /// Why a value could not be bound.
    private var refusal: Database.Failure?

    fileprivate init(handle: UnsafeMutableRawPointer, database: Database) {
        self.handle = handle
        self.database = database
    }

    fileprivate func bind(_ values: [Database.Value]) {
        for (offset, value) in values.enumerated() {
            let place = Int32(offset + 1)
            switch value {
            case .null: bind(place, nil as Int64?)
            case .number(let number): bind(place, number)
            case .text(let text): bind(place, text)
            case .bytes(let bytes): bind(place, bytes)
            }
        }
    }

    // A value that SQLite refuses, because it is too long or memory is scarce, makes the statement fail when it is
    // performed.

    func bind(_ place: Int32, _ number: Int64?) {
        if let number {
            note(csqlite_bind_number(handle, place, number))
        } else {
            note(csqlite_bind_null(handle, place))
        }
    }

    func bind(_ place: Int32, _ text: String?) {
        guard var text else { return note(csqlite_bind_null(handle, place)) }
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                note(csqlite_bind_text(handle, place, $0.baseAddress, Int32(clamping: $0.count)))
            }
        }
    }

    func bind(_ place: Int32, _ bytes: [UInt8]?) {
        guard let bytes else { return note(csqlite_bind_null(handle, place)) }
        bytes.withUnsafeBytes {
            note(csqlite_bind_blob(handle, place, $0.baseAddress, Int32(clamping: $0.count)))
        }
    }

    private func note(_ code: Int32) {
        if code != CSQLITE_OK, refusal == nil {
            refusal = database.failure(code)
        }
    }

    /// Performs the statement, which gives no row.
    func perform() throws(Database.Failure) {
        defer { reset() }
        _ = try step()
    }

    /// Whether there is another row.
    fileprivate func step() throws(Database.Failure) -> Bool {
        if let refusal { throw refusal }
        let code = csqlite_step(handle)
        if code == CSQLITE_ROW { return true }
        guard code == CSQLITE_DONE else { throw database.failure(code) }
        return false
    }

    fileprivate func reset() {
        csqlite_reset(handle)
        refusal = nil
    }

    func isNull(_ place: Int32) -> Bool { csqlite_column_type(handle, place) == CSQLITE_NULL }

    func number(_ place: Int32) -> Int64 { csqlite_column_number(handle, place) }

    func bytes(_ place: Int32) -> [UInt8]? {
        if isNull(place) { return nil }
        let count = Int(csqlite_column_count(handle, place))
        guard let start = csqlite_column_blob(handle, place) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Calls a closure with the bytes of a column, which it must not keep; none for NULL.
    func withBytes<Result>(_ place: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = csqlite_column_blob(handle, place)
        return body(
            UnsafeRawBufferPointer(
                start: start,
                count: start == nil ? 0 : Int(csqlite_column_count(handle, place))
            )
        )
    }

    func digest(_ place: Int32) -> Digest256? {
        guard let start = csqlite_column_blob(handle, place), csqlite_column_count(handle, place) == 32 else {
            return nil
        }
        return Digest256(UnsafeRawBufferPointer(start: start, count: 32))
    }

    func text(_ place: Int32) -> String? { bytes(place).map { String(decoding: $0, as: UTF8.self) } }
}
#endif
