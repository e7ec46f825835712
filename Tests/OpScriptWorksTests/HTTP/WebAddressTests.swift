#if HTTP
import OpScript
import Testing

@testable import OpScriptWorks

@Suite struct WebAddressTests {
    @Test func `host and port are found`() throws {
        let plain = try #require(WebAddress("http://Example.org/x?y#z"))
        #expect(plain.host == "example.org" && plain.port == 80 && !plain.isSecure)
        let secure = try #require(WebAddress("HTTPS://user:word@[::1]:8443"))
        #expect(secure.host == "::1" && secure.port == 8443 && secure.isSecure)
        #expect(try #require(WebAddress("http://host:/")).port == 80)
    }

    @Test(arguments: [
        "", "x", "ftp://x", "http:/x", "http://", "http://:80/", "http://x:0", "http://x:70000", "http://x:y",
        "http://a b/", "http://x/\n", "http://[::1",
    ])
    func `a text that is not a URL is refused`(_ text: String) { #expect(WebAddress(text) == nil) }

    @Test(arguments: [
        ("http://me:pass@x/p?q=1", "http://x/p?q=1", "http://me:•••@x/p?q=1", "bWU6cGFzcw=="),
        ("https://me:p%40s%3As@x:1/", "https://x:1/", "https://me:•••@x:1/", "bWU6cEBzOnM="),
        ("http://me@x", "http://x", "http://me@x", "bWU="),
        ("http://:p@x", "http://x", "http://:•••@x", "OnA="),
        ("http://a:b@c:d@x/e@f", "http://x/e@f", "http://a:•••@x/e@f", "YTpiQGM6ZA=="),
    ])
    func `name and password become a header, and no message shows the password`(
        _ url: String,
        _ plain: String,
        _ shown: String,
        _ credentials: String
    ) throws {
        let address = try #require(WebAddress(url))
        #expect(address.text == plain && address.shownText == shown && address.credentials == credentials)
    }

    @Test(arguments: ["http://127.0.0.1/a b", "HTTPS://x/\t", "http://me:pass@x/a b"])
    func `a blank in a URL is named`(_ text: String) {
        let error = #expect(throws: ScriptConversionError.self) { try WebAddress(scriptValue: .text(text)) }
        #expect(error?.expected == "URL without blanks (a blank in it is written %20)")
        #expect(error?.got.contains("pass") == false)
    }

    private func proxy(_ url: String, _ variables: [String: String]) throws -> WebProxy? {
        try WebProxy.find(for: try #require(WebAddress(url))) { variables[$0] }
    }

    @Test func `the environment names proxies`() throws {
        #expect(try proxy("http://x/", [:]) == nil)
        let plain = try proxy("http://x/", ["http_proxy": "http://u%40:p%3a@proxy:3128/"])
        #expect(plain == WebProxy(host: "proxy", port: 3128, user: "u@", password: "p:"))
        #expect(try proxy("https://x/", ["http_proxy": "http://proxy:3128"]) == nil)
        #expect(try proxy("https://x/", ["HTTPS_PROXY": "proxy:3128"])?.host == "proxy")
        #expect(try proxy("http://x/", ["HTTP_PROXY": "proxy:3128"]) == nil)
        #expect(try proxy("http://x/", ["all_proxy": "proxy"])?.port == 80)
        #expect(throws: WebProxyError.self) { try proxy("http://x/", ["http_proxy": "socks5://x"]) }
    }

    @Test func `no_proxy takes hosts out`() throws {
        let list = "localhost, .example.org,10.0.0.1:8080 *.test"
        func isDirect(_ url: String) throws -> Bool {
            try proxy(url, ["http_proxy": "p", "no_proxy": list]) == nil
        }
        #expect(
            try isDirect("http://localhost/") && isDirect("http://example.org/")
                && isDirect("http://a.example.org/")
        )
        #expect(try isDirect("http://10.0.0.1:8080/") && isDirect("http://a.test/"))
        #expect(
            try !isDirect("http://badexample.org/") && !isDirect("http://10.0.0.1/")
                && !isDirect("http://other/")
        )
        #expect(try proxy("http://x/", ["http_proxy": "p", "no_proxy": "*"]) == nil)
    }
}
#endif
