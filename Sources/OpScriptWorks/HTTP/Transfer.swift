#if HTTP
internal import CCurl
internal import CLinux
internal import Glibc
internal import OpScript
internal import Synchronization

/// One request and its answer.
///
/// ``TransferLife`` decides the actions; this class performs them, as the owner of a handle of libcurl.
// @unchecked because only one thread at a time uses its parts: the one that makes it, until it is submitted; the thread
// of the transfers, until it reports the ending; then the one that waited. `isCancelled` is atomic.
final class Transfer: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
    let isCancelled = Atomic<Bool>(false)
    /// Set by the thread of the transfers when it takes it over.
    var waiter: CheckedContinuation<TransferLife.Ending, Never>?
    /// Whether the file of the body takes no more now.
    private(set) var isPaused = false
    private(set) var body: ReceivedBody
    private var life: TransferLife
    private var sent: SentBody?
    private var hasBegunBody = false
    private let progress: WorkProgress
    private let kept: Int
    private let problem: UnsafeMutablePointer<CChar>
    /// The headers, which libcurl does not copy.
    private var list: UnsafeMutableRawPointer?

    /// - Parameters:
    ///   - kept: How many bytes of the body the file has already.
    /// - Throws: Code `host` if libcurl is not there.
    init(
        _ context: WorkContext,
        _ place: ReceivedBody.Place,
        kept: Int = 0,
        validator: String? = nil,
        sending sent: SentBody?
    ) throws(ScriptError) {
        if let reason = ccurl_open() { throw ScriptError(.host, String(cString: reason)) }
        guard let handle = ccurl_make_transfer() else { throw ScriptError(.host, "libcurl has no memory") }
        self.handle = handle
        self.sent = sent
        self.kept = kept
        body = ReceivedBody(place, kept: kept)
        life = TransferLife(body.descriptor == nil ? .memory : .file(kept: kept), validator: validator)
        progress = context.progress
        problem = .allocate(capacity: Int(CCURL_ERROR_SIZE))
        problem.initialize(repeating: 0, count: Int(CCURL_ERROR_SIZE))
        ccurl_set_pointer(handle, CCURLOPT_ERRORBUFFER, problem)
        var functions = Self.functions
        ccurl_set_functions(handle, &functions, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        ccurl_free_transfer(handle)
        ccurl_free_list(list)
        problem.deallocate()
    }

    /// Sets the headers to send, as lines.
    func setHeaders(_ lines: [String]) {
        for line in lines { list = ccurl_append(list, line) }
        ccurl_set_pointer(handle, CCURLOPT_HTTPHEADER, list)
    }

    /// Whether new cookies belong into a file. Set before it is submitted.
    var savesCookies = false

    /// The file that is continued, if there is one. Set before it is submitted.
    var part: FilePart?

    /// The answer; complete after the end.
    var head: ResponseHead { life.head }

    /// The words of libcurl for a code, with the passwords of URLs hidden.
    func reason(_ code: UInt32) -> String {
        let words = String(cString: problem)
        let text = words.isEmpty ? String(cString: ccurl_reason(ccurl_code(code))) : words
        return text.contains("proxy")
            ? HiddenCredentials.hidden(inURL: text) : HiddenCredentials.hidden(in: text)
    }

    /// The URL to which the last redirect led, with its password hidden; nil without a redirect. After the end.
    var redirectedURL: String? {
        ccurl_redirected(handle).map { HiddenCredentials.hidden(inURL: String(cString: $0)) }
    }

    /// The proxy of the request, with its password hidden; nil for none. Set before it is submitted.
    var proxy: String?

    /// The number with which the system refused the connection; 0 if it did not.
    var systemError: CInt { CInt(truncatingIfNeeded: ccurl_system_error(handle)) }

    // MARK: On the thread of the transfers

    func taken(_ waiter: CheckedContinuation<TransferLife.Ending, Never>) -> Bool {
        self.waiter = waiter
        return life.taken(isCancelled: isCancelled.load(ordering: .acquiring))
    }

    func cancelled() -> Bool { life.cancelled() }

    func libraryEnded(_ code: ccurl_code) -> TransferLife.Ending {
        let ending = life.libraryEnded(code.rawValue)
        // An empty body replaces what was there, too.
        if ending == .answered, kept > 0, !hasBegunBody, head.status != 206,
            case .failed(let failure) = body.truncate()
        {
            return failure
        }
        return ending
    }

    func saveCookies() {
        if savesCookies { ccurl_set_text(handle, CCURLOPT_COOKIELIST, "FLUSH") }
    }

    /// Tries again to write; the library calls ``write(_:)`` meanwhile.
    func resume() {
        isPaused = false
        ccurl_continue(handle)
    }

    /// The number that libcurl expects: the count, another one for an error, or that of a pause.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        if !hasBegunBody {
            hasBegunBody = true
            switch life.bodyBegan() {
            case .stop: return -1
            case .append: break
            case .replace:
                if case .failed(let ending) = body.truncate() { return fail(ending) }
                // Behind the old bytes and before the new ones, so it never belongs to others.
                if let code = part?.saveValidator(head.validator) { return fail(.unwritable(code)) }
            }
            if case .failed(let ending) = body.reserve(head.announcedLength) { return fail(ending) }
        }
        switch body.append(bytes) {
        case .kept: return bytes.count
        case .failed(let ending): return fail(ending)
        case .later:
            isPaused = true
            return Int(CCURL_WRITEFUNC_PAUSE)
        }
    }

    private func fail(_ ending: TransferLife.Ending) -> Int {
        life.partFailed(ending)
        return -1
    }

    private func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        do throws(SystemCallError) {
            return try sent?.read(into: room) ?? 0
        } catch {
            life.partFailed(.unreadable(error.code))
            return Int(CCURL_READFUNC_ABORT)
        }
    }

    private func report(_ total: Int64, _ received: Int64, _ size: Int64, _ sentCount: Int64) {
        let continued = hasBegunBody && head.status == 206 ? Int64(kept) : 0
        let completed = continued + received + sentCount
        let all = total > 0 || size > 0 ? continued + total + size : 0
        if progress.completedUnitCount != completed || progress.totalUnitCount != all {
            progress.report(completed: completed, of: all)
        }
    }

    private static func of(_ owner: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(owner).takeUnretainedValue()
    }

    private static var functions: ccurl_functions {
        ccurl_functions(
            write: { bytes, size, count, owner in
                Transfer.of(owner).write(UnsafeRawBufferPointer(start: bytes, count: size * count))
            },
            head: { bytes, size, count, owner in
                Transfer.of(owner).life
                    .headArrived(UnsafeRawBufferPointer(start: bytes, count: size * count))
                return size * count
            },
            read: { room, size, count, owner in
                Transfer.of(owner).read(
                    into: UnsafeMutableRawBufferPointer(start: room, count: size * count)
                )
            },
            seek: { owner, offset, origin in
                guard origin == SEEK_SET else { return CInt(CCURL_SEEKFUNC_CANTSEEK) }
                Transfer.of(owner).sent?.seek(Int(offset))
                return CInt(CCURL_SEEKFUNC_OK)
            },
            progress: { owner, total, received, size, sent in
                Transfer.of(owner).report(Int64(total), Int64(received), Int64(size), Int64(sent))
                return 0
            },
            // Processes do not inherit it: the server would see the end of a connection only when they end, too.
            open: { _, _, address in
                let type = address.pointee.socktype | CInt(SOCK_CLOEXEC.rawValue)
                return linux_spare(socket(address.pointee.family, type, address.pointee.protocol))
            }
        )
    }
}
#endif
