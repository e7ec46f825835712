import Glibc
import Testing

private let moduleFolders = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map { "/usr/lib/\($0)/lua/5.4" }

private func hasModule(_ name: String) -> Bool {
    moduleFolders.contains { access("\($0)/\(name).so", R_OK) == 0 }
}

/// The libraries that the command opens while it runs: when they are needed, and no others.
@Suite(.timeLimit(.minutes(20))) struct LoadedLibraryTests {
    #if HTTP
    @Test func `libcurl is opened by the first request`() async throws {
        let idle = try await CommandRun.shell("LD_DEBUG=files $opscript -e 'print(1)' 2>&1 | grep -c libcurl")
        #expect(idle.text == "0\n")
        let used = try await CommandRun.shell(
            "LD_DEBUG=files $opscript -e 'pawait(work.http.get(\"http://127.0.0.1:1/\"))' 2>&1 | grep -c libcurl"
        )
        #expect(used.text != "0\n")
    }

    @Test func `without libcurl, the error names the package`() async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.shell(
            """
            echo none > libcurl.so.4
            LD_LIBRARY_PATH=. $opscript -e 'print(pawait(work.http.get("http://127.0.0.1:1/")))'
            """,
            folder: scratch.path
        )
        #expect(
            run.text.hasPrefix("false\tcannot get 'http://127.0.0.1:1/': libcurl cannot be opened"),
            "\(run.text)"
        )
        #expect(run.text.hasSuffix("Debian: apt-get install libcurl4\n"), "\(run.text)")
    }
    #endif

    @Test(.enabled(if: hasModule("lpeg"), "there is no module lpeg (Debian: lua-lpeg)"))
    func `lpeg loads and works`() async throws {
        let run = try await CommandRun.shell(
            """
            $opscript -e 'local lpeg = require "lpeg"; print((lpeg.C(lpeg.R("09")^1) * -1):match("123"))'
            """
        )
        #expect(run.text == "123\n", "\(run.errors)")
    }

    @Test(.enabled(if: hasModule("lfs"), "there is no module lfs (Debian: lua-filesystem)"))
    func `a module in C calls back and keeps objects with finalizers`() async throws {
        let run = try await CommandRun.shell(
            """
            $opscript -e 'local lfs = require "lfs"
            for name in lfs.dir("/") do if name == "usr" then print(name, lfs.attributes("/usr").mode) end end
            collectgarbage()'
            """
        )
        #expect(run.text == "usr\tdirectory\n", "\(run.errors)")
    }

    @Test(.enabled(if: hasModule("cjson"), "there is no module cjson (Debian: lua-cjson)"))
    func `the error of a module in C has a place`() async throws {
        let run = try await CommandRun.shell(
            #"$opscript -e 'local ok, problem = pcall(require("cjson").decode, "{"); print(ok, problem)'"#
        )
        #expect(run.text.hasPrefix("false\tExpected object key"), "\(run.text)\(run.errors)")
    }
}
