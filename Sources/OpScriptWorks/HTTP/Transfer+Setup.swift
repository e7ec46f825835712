#if HTTP
internal import CCurl
internal import Glibc
internal import OpScript
internal import SystemPackage

extension Transfer {
    /// Sets the options of libcurl for a request. Before it is submitted.
    ///
    /// - Parameters:
    ///   - length: The number of bytes of the request's body; nil for none.
    ///   - type: The type of the body, if the request does not name one.
    ///   - part: The part of the answer's body that is there already.
    func setUp(_ request: WebRequest, length: Int?, type: String?, part: FilePart?) throws(WebProxyError) {
        let options = request.options
        // Signals belong to the program. A lookup of a host may outlive its transfer.
        set(CCURLOPT_NOSIGNAL, 1)
        set(ccurl_option(322), 1)  // CURLOPT_QUICK_EXIT, of libcurl 7.87 and newer
        ccurl_allow_web_only(handle)
        set(CCURLOPT_URL, request.address.text)
        set(CCURLOPT_USERAGENT, "opscript")
        setMethod(request.method, length: length)
        setHeaders(request, type: type, length: length, validator: part?.validator)
        set(CCURLOPT_FOLLOWLOCATION, options.redirects > 0 ? 1 : 0)
        set(CCURLOPT_MAXREDIRS, options.redirects)
        set(CCURLOPT_CONNECTTIMEOUT_MS, milliseconds(options.connectTimeout))
        if let timeout = options.timeout { set(CCURLOPT_TIMEOUT_MS, milliseconds(timeout)) }
        // CURL_HTTP_VERSION_2TLS, CURL_HTTP_VERSION_1_1.
        set(CCURLOPT_HTTP_VERSION, options.usesHTTP2 ? 4 : 2)
        // Requests that begin together wait for the first connection, and share it if the server allows that.
        if options.usesHTTP2, request.address.isSecure { set(CCURLOPT_PIPEWAIT, 1) }
        if options.isCompressed { set(CCURLOPT_ACCEPT_ENCODING, "") }
        if let part {
            if part.size > 0 { set(CCURLOPT_RANGE, "\(part.size)-") }
            self.part = part
        }
        setLogin(options)
        setSecurity(options)
        switch options.cookies {
        case nil: break
        case .ofRequest: set(CCURLOPT_COOKIEFILE, "")
        case .given(let text): set(CCURLOPT_COOKIE, text)
        case .file(let path):
            // libcurl takes this name for the standard streams.
            let file = path == "-" ? "./-" : path
            set(CCURLOPT_COOKIEFILE, file)
            set(CCURLOPT_COOKIEJAR, file)
            savesCookies = true
        }
        try setProxy(request)
    }

    private func setMethod(_ method: String, length: Int?) {
        switch method {
        case "GET" where length == nil: break
        case "HEAD": set(CCURLOPT_NOBODY, 1)
        case "PUT": set(CCURLOPT_UPLOAD, 1)
        case "POST": set(CCURLOPT_POST, 1)
        default:
            if length != nil { set(CCURLOPT_POST, 1) }
            set(CCURLOPT_CUSTOMREQUEST, method)
        }
        ccurl_set_size(handle, CCURLOPT_POSTFIELDSIZE_LARGE, Int64(length ?? 0))
        ccurl_set_size(handle, CCURLOPT_INFILESIZE_LARGE, Int64(length ?? 0))
    }

    /// The bytes of a body from which on a server is asked first whether it takes it.
    private static let leastExpected = 1 << 20

    private func setHeaders(_ request: WebRequest, type: String?, length: Int?, validator: String?) {
        let headers = request.options.headers
        // libcurl omits a header without a value, and sends an empty one that ends in a semicolon.
        var lines = headers.map { name, value in value.isEmpty ? "\(name);" : "\(name): \(value)" }
        func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }
        if !has("content-type") { lines.append(type.map { "Content-Type: \($0)" } ?? "Content-Type:") }
        // If the server has other bytes by now, it sends all of them instead of a rest that does not fit.
        if let validator, !has("if-range") { lines.append("If-Range: \(validator)") }
        // Otherwise, libcurl would wait a second for a server that does not answer it.
        if (length ?? 0) < Self.leastExpected, !has("expect") { lines.append("Expect:") }
        if let credentials = request.address.credentials, !has("authorization"), request.options.login == nil
        {
            lines.append("Authorization: Basic \(credentials)")
        }
        setHeaders(lines)
    }

    private func setLogin(_ options: WebOptions) {
        guard let login = options.login else { return }
        if let token = login.token {
            set(CCURLOPT_HTTPAUTH, 1 << 6)
            set(CCURLOPT_XOAUTH2_BEARER, token)
            return
        }
        // CURLAUTH_BASIC and the others, which are macros with a cast. `any` is all but one that is no standard.
        let schemes =
            switch login.scheme {
            case .basic: 1
            case .digest: 1 << 1
            case .negotiate: 1 << 2
            case .ntlm: 1 << 3
            case .any: ~(1 << 4)
            }
        set(CCURLOPT_HTTPAUTH, schemes)
        set(CCURLOPT_USERNAME, login.user)
        set(CCURLOPT_PASSWORD, login.password)
    }

    private func setSecurity(_ options: WebOptions) {
        if options.isInsecure {
            set(CCURLOPT_SSL_VERIFYPEER, 0)
            set(CCURLOPT_SSL_VERIFYHOST, 0)
        }
        if let path = options.authority {
            set(CCURLOPT_CAINFO, path)
        } else if let path = Self.trustedCertificates {
            set(CCURLOPT_CAINFO, path)
        }
        guard let certificate = options.certificate else { return }
        set(CCURLOPT_SSLCERT, certificate.file)
        set(CCURLOPT_SSLKEY, certificate.key ?? certificate.file)
        if let password = certificate.password { set(CCURLOPT_KEYPASSWD, password) }
        // libcurl would take a connection that another request has opened with this certificate, without a look at
        // the key and its password.
        set(CCURLOPT_FRESH_CONNECT, 1)
        set(CCURLOPT_FORBID_REUSE, 1)
    }

    /// The file of certificates that the environment names, as for curl.
    private static var trustedCertificates: String? {
        guard let value = getenv("SSL_CERT_FILE") else { return nil }
        let path = String(cString: value)
        return path.isEmpty ? nil : path
    }

    private func setProxy(_ request: WebRequest) throws(WebProxyError) {
        // `https://` goes through a tunnel, whose own answers are not those of the server.
        set(CCURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // The environment is read here: libcurl would read it again for each redirect.
        set(CCURLOPT_NOPROXY, "")
        if let url = request.options.proxy {
            self.proxy = url.isEmpty ? nil : HiddenCredentials.hidden(inURL: url)
            return set(CCURLOPT_PROXY, url)
        }
        let proxy = try WebProxy.fromEnvironment(for: request.address)
        self.proxy = proxy?.url
        set(CCURLOPT_PROXY, proxy?.url ?? "")
        if let user = proxy?.user {
            set(CCURLOPT_PROXYUSERNAME, user)
            set(CCURLOPT_PROXYPASSWORD, proxy?.password ?? "")
        }
    }

    private func milliseconds(_ seconds: Double) -> Int {
        // Longer than a year is no limit.
        seconds < 1e7 ? max(1, Int((seconds * 1000).rounded(.up))) : 0
    }

    private func set(_ option: ccurl_option, _ value: Int) { _ = ccurl_set_number(handle, option, value) }

    private func set(_ option: ccurl_option, _ value: String) { _ = ccurl_set_text(handle, option, value) }

    private func set(_ option: ccurl_option, _ value: FilePath) {
        value.withPlatformString { _ = ccurl_set_text(handle, option, $0) }
    }
}
#endif
