#if HTTP
import Glibc
import SystemPackage
import Testing

private let hasOpenSSL = ["/usr/bin", "/usr/local/bin", "/bin"].contains {
    access("\($0)/openssl", X_OK) == 0
}

/// HTTPS against a server of OpenSSL's on the loopback, with a certificate that is created here and that no
/// authority has signed.
///
/// The tests need the command `openssl`.
@Suite(.enabled(if: hasOpenSSL, "there is no command openssl"), .timeLimit(.minutes(20)))
struct SecureFetchTests {
    /// Starts the server, with `page.txt`, and runs a line of a shell in which `$port` is its port.
    private func shell(_ line: String, server options: String = "") async throws -> CommandRun {
        let scratch = try Scratch()
        let setup = """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \\
                -addext subjectAltName=DNS:localhost -keyout key.pem -out own.pem 2>openssl.log || exit 99
            echo 'over TLS' > page.txt
            mkfifo told
            openssl s_server -accept 127.0.0.1:0 -cert own.pem -key key.pem -WWW \(options) >told 2>&1 </dev/null &
            server=$!
            trap 'kill $server' EXIT
            exec 3<told
            port=
            while [ -z "$port" ] && read -r word address <&3; do
                [ "$word" = ACCEPT ] && port=${address##*:}
            done
            cat <&3 >server.log &
            """
        return try await CommandRun.shell(setup + "\n" + line, folder: scratch.path)
    }

    private let get = """
        local options = { timeout = 60 }
        for name, value in pairs(load("return " .. (select(2, ...) or "{}"))()) do options[name] = value end
        local ok, got = pawait(work.http.get((...), options))
        print(ok, ok and got.status or got.code, ok and got.body or (tostring(got):gsub("localhost:%d+", "HOST")))
        """

    private func fetch(
        _ host: String,
        certificates: String?,
        options: String = "{}",
        server: String = ""
    ) async throws -> CommandRun {
        try await shell(
            """
            cat >get.lua <<'SCRIPT'
            \(get)
            SCRIPT
            \(certificates.map { "export SSL_CERT_FILE=\($0)" } ?? "unset SSL_CERT_FILE")
            $opscript get.lua https://\(host):$port/page.txt '\(options)'
            """,
            server: server
        )
    }

    @Test func `the certificate that the environment names is trusted`() async throws {
        let run = try await fetch("localhost", certificates: "own.pem")
        #expect(run.text == "true\t200\tover TLS\n\n" && run.status == 0, "\(run.errors)")
    }

    @Test func `a certificate without a trusted signature is refused, and the error has the remedy`()
        async throws
    {
        let run = try await fetch("localhost", certificates: nil)
        #expect(
            run.text
                == "false\tfailed\tcannot get 'https://HOST/page.txt': its certificate is not signed by a trusted "
                + "authority, or has expired; SSL_CERT_FILE can name a file of certificates to trust\n"
        )
    }

    @Test func `the certificate of another host is refused`() async throws {
        let run = try await fetch("127.0.0.1", certificates: "own.pem")
        #expect(run.text.hasPrefix("false\tfailed\t"))
        #expect(run.text.contains("its certificate is that of another host"))
    }

    @Test(arguments: [("localhost", #"{ ca = "own.pem" }"#), ("127.0.0.1", "{ insecure = true }")])
    func `an option names the authority, or accepts any certificate`(_ host: String, _ options: String)
        async throws
    {
        let run = try await fetch(host, certificates: nil, options: options)
        #expect(run.text == "true\t200\tover TLS\n\n" && run.status == 0, "\(run.text)\(run.errors)")
    }

    @Test func `the client has a certificate of its own`() async throws {
        let options = #"{ ca = "own.pem", cert = { file = "own.pem", key = "key.pem" } }"#
        let server = "-Verify 1 -verify_return_error -CAfile own.pem"
        let run = try await fetch("localhost", certificates: nil, options: options, server: server)
        #expect(run.text == "true\t200\tover TLS\n\n", "\(run.text)\(run.errors)")
        let refused = try await fetch(
            "localhost",
            certificates: nil,
            options: #"{ ca = "own.pem" }"#,
            server: server
        )
        #expect(refused.text.hasPrefix("false\tfailed\t"), "\(refused.text)")
    }

    /// A server whose connections stay open, and which wants a certificate.
    private let keepingServer = """
        import ssl
        from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
        SimpleHTTPRequestHandler.protocol_version = "HTTP/1.1"
        server = ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile="own.pem")
        context.load_cert_chain("own.pem", "key.pem")
        context.verify_mode = ssl.CERT_REQUIRED
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    private let threePasswords = """
        for _, password in ipairs { "right", "wrong", "right" } do
            local cert = { file = "own.pem", key = "locked.pem", password = password }
            local ok, got = pawait(work.http.get((...), { ca = "own.pem", timeout = 60, cert = cert }))
            print(password, ok, ok and got.status or tostring(got):match("the certificate of the client.-:"))
        end
        """

    @Test(.enabled(if: access("/usr/bin/python3", X_OK) == 0, "there is no python3"))
    func `a connection with a certificate does not serve a request with another password`() async throws {
        let run = try await shell(
            """
            openssl ec -in key.pem -aes128 -passout pass:right -out locked.pem 2>/dev/null
            printf '%s' '\(keepingServer)' >server.py
            printf '%s' '\(threePasswords)' >get.lua
            mkfifo port
            python3 server.py >port 2>python.log &
            trap "kill $server $!" EXIT
            read -r port <port
            $opscript get.lua https://localhost:$port/page.txt
            """
        )
        let refusal = "the certificate of the client cannot be used:"
        #expect(run.text == "right\ttrue\t200\nwrong\tfalse\t\(refusal)\nright\ttrue\t200\n", "\(run.errors)")
    }

    @Test func `an invalid file of certificates is an error`() async throws {
        for name in ["missing.pem", "page.txt"] {
            let run = try await fetch("localhost", certificates: name)
            #expect(run.text.hasSuffix(": the certificates of SSL_CERT_FILE cannot be read\n"), "\(run.text)")
        }
    }
}
#endif
