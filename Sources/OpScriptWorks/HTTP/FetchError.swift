#if HTTP
internal import CCurl
internal import OpScript
internal import SystemPackage

/// The server has no rest for the part of a file that an earlier attempt has left.
struct RestRefusal: Error {
    let text: String
}

/// The error for the ending of a transfer: `cannot get 'http://localhost:1/': connection refused`; nil if all of the
/// answer has arrived.
///
/// - Parameter seconds: The time that it took.
func failure(
    _ ending: TransferLife.Ending,
    _ transfer: Transfer,
    _ request: WebRequest,
    seconds: Double
) -> (any Error)? {
    let redirects = ending == .failed(CCURLE_TOO_MANY_REDIRECTS.rawValue) ? nil : transfer.redirectedURL
    let detour = redirects.map { ", redirected to '\($0)'" } ?? ""
    func cannot(_ reason: String, _ code: ScriptError.Code = .failed) -> ScriptError {
        ScriptError(code, "\(request.failureText)\(detour): \(reason)")
    }
    switch ending {
    case .answered, .alreadyWhole: return nil
    case .cancelled: return CancellationError()
    case .statusRefused: return cannot("the server answered \(transfer.head.statusText)")
    case .restRefused:
        return RestRefusal(
            text:
                "\(request.failureText): the server has no rest of the same file for the part, which was removed; "
                + "it answered \(transfer.head.statusText)"
        )
    case .excess(let excess):
        let remedy = request.options.file == nil ? " or give 'to' for a file" : ""
        return ScriptError.excess("\(request.failureText): the body has", excess, remedy)
    case .unwritable(let code): return SystemCallError(code: code)
    case .unreadable(let code): return cannot("its body cannot be read: \(ScriptError.describe(code))")
    case .failed(let number):
        let code = ccurl_code(number)
        if code == CCURLE_OPERATION_TIMEDOUT {
            if let limit = request.options.timeout, seconds >= limit {
                return cannot("not done after \(text(limit)) s", .timeout)
            }
            let proxy = transfer.proxy.map { " through the proxy '\($0)'" } ?? ""
            return cannot("no connection\(proxy) within \(text(request.options.connectTimeout)) s", .timeout)
        }
        return cannot(reason(code, transfer, request))
    }
}

private func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() && seconds < 1e15 ? "\(Int(seconds))" : "\(seconds)"
}

private func reason(_ code: ccurl_code, _ transfer: Transfer, _ request: WebRequest) -> String {
    let words = transfer.reason(code.rawValue)
    switch code {
    case CCURLE_TOO_MANY_REDIRECTS:
        return transfer.head.hasCycle
            ? "its redirects form a cycle" : "more than \(request.options.redirects) redirects"
    case CCURLE_COULDNT_RESOLVE_HOST:
        let host = transfer.redirectedURL.flatMap { WebAddress($0)?.host } ?? request.address.host
        return "there is no host '\(host)', or it cannot be looked up"
    case CCURLE_COULDNT_CONNECT:
        let number = transfer.systemError
        let proxy = transfer.proxy.map { "the proxy '\($0)': " } ?? ""
        return proxy + (number != 0 ? ScriptError.describe(number) : words)
    case CCURLE_PARTIAL_FILE, CCURLE_GOT_NOTHING:
        return "the server closed the connection before the end of its answer"
    case CCURLE_RECV_ERROR where words.contains("CONNECT"):
        return "the proxy '\(transfer.proxy ?? "")' opens no tunnel: \(words)"
    case CCURLE_RECV_ERROR, CCURLE_SEND_ERROR:
        return "the server closed the connection before the end of its answer (\(words))"
    case CCURLE_UNSUPPORTED_PROTOCOL where transfer.redirectedURL != nil:
        return "redirects are followed to http:// and https:// only"
    case CCURLE_UNSUPPORTED_PROTOCOL, CCURLE_WEIRD_SERVER_REPLY, CCURLE_BAD_CONTENT_ENCODING:
        return "the server's answer is broken: \(words)"
    case CCURLE_PEER_FAILED_VERIFICATION:
        if words.contains("subject name") { return "its certificate is that of another host" }
        return "its certificate is not signed by a trusted authority, or has expired; "
            + "SSL_CERT_FILE can name a file of certificates to trust"
    case CCURLE_SSL_CACERT_BADFILE:
        guard let path = request.options.authority else {
            return "the certificates of SSL_CERT_FILE cannot be read"
        }
        return "the certificates of '\(path.string)' cannot be read"
    case CCURLE_SSL_CERTPROBLEM:
        return "the certificate of the client cannot be used: \(withoutOpenSSLError(words))"
    case CCURLE_SSL_CONNECT_ERROR: return "no secure connection: \(words)"
    default: return words
    }
}

/// A text without the error of OpenSSL in its middle, which has numbers and names of its sources.
private func withoutOpenSSLError(_ text: String) -> String {
    guard let start = text.firstRange(of: ", OpenSSL error"), let end = text.firstRange(of: ", ("),
        start.upperBound <= end.lowerBound
    else { return text }
    return String(text[..<start.lowerBound] + text[end.lowerBound...].dropFirst())
}
#endif
