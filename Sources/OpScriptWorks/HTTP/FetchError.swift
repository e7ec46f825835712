#if HTTP
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import OpScript

/// `cannot get 'http://localhost:1/': connection refused`: the reason why a fetch failed; a cancellation
/// stays a cancellation.
func failure(_ error: any Error, _ address: WebAddress) -> any Error {
    func cannot(_ reason: String, _ code: ScriptError.Code = .failed) -> ScriptError {
        ScriptError(code, "cannot get '\(address.shownText)': \(reason)", underlying: error)
    }
    switch error {
    case is CancellationError: return error
    case let error as ScriptError:
        // Errors of the file already name the file.
        return error.message.hasPrefix("cannot ") ? error : cannot(error.message, error.code)
    case let error as SystemCallError: return cannot(ScriptError.describe(error.code))
    case let error as WebProxyError:
        return cannot(
            "\(error.variable) is not a usable proxy: '\(HiddenCredentials.hidden(in: error.value))'",
            .host
        )
    case let error as HTTPClientError:
        switch error {
        case .cancelled: return CancellationError()
        case .redirectLimitReached: return cannot("more than \(WebClients.redirectLimit) redirects")
        case .redirectCycleDetected: return cannot("its redirects form a cycle")
        case .connectTimeout: return cannot("no connection within \(WebClients.connectSeconds) s", .timeout)
        case .remoteConnectionClosed:
            return cannot("the server closed the connection before the end of its answer")
        default: return cannot(error.shortDescription)
        }
    case let error as NIOConnectionError:
        if error.dnsAError != nil || error.dnsAAAAError != nil, error.connectionErrors.isEmpty {
            return cannot("there is no host '\(error.host)', or it cannot be looked up")
        }
        guard let first = error.connectionErrors.first else { return cannot("no connection") }
        return cannot(reason(first.error))
    case HTTPParserError.invalidEOFState:
        return cannot("the server closed the connection before the end of its answer")
    case is HTTPParserError: return cannot("the server's answer is broken: \(error)")
    default: return cannot(reason(error))
    }
}

private func reason(_ error: any Error) -> String {
    switch error {
    case let error as IOError: ScriptError.describe(error.errnoCode)
    case ChannelError.connectTimeout: "no connection within \(WebClients.connectSeconds) s"
    // The connection existed: the server closed it while the request was written.
    case is ChannelError: "the server closed the connection before the end of its answer"
    case let error as NIOSSLError: reason(error)
    case let error as BoringSSLError where String(describing: error).contains("X.509 certificate routines"):
        "the certificates of SSL_CERT_FILE cannot be read"
    case let error as BoringSSLError: "no secure connection: \(error)"
    case let error as NIOSSLExtraError where error == .failedToValidateHostname:
        "its certificate is that of another host"
    default: String(describing: error)
    }
}

/// The reason why no secure connection was established.
private func reason(_ error: NIOSSLError) -> String {
    switch error {
    case .handshakeFailed(let failure):
        let text = String(describing: failure)
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return "its certificate is not signed by a trusted authority, or has expired; "
                + "SSL_CERT_FILE can name a file of certificates to trust"
        }
        return "no secure connection: \(text)"
    case .failedToLoadCertificate, .noSuchFilesystemObject:
        return "the certificates of SSL_CERT_FILE cannot be read"
    case .uncleanShutdown: return "the server closed the connection before the end of its answer"
    default: return "no secure connection: \(error)"
    }
}
#endif
