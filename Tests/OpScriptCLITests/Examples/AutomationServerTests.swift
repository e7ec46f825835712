import Foundation
import SystemPackage
import TestSupport
import Testing

/// The example docs/Examples/AutomationServer, built from its own manifest and used by curl.
///
/// Its packages take minutes to build, so `make test-server` runs this, and `make test` does not.
@Suite(
    .serialized,
    .enabled(
        if: ProcessInfo.processInfo.environment["OPSCRIPT_TEST_SERVER"] != nil,
        "make test-server builds the packages of the server"
    )
)
struct AutomationServerTests {
    private static let folder = SourceTree.root.appending("docs/Examples/AutomationServer")

    /// A request of a client: `ask TOKEN METHOD PATH [curl's options]` prints the body, a space, and the
    /// status.
    private static let client = #"""
        ask() {
            local token="$1" method="$2" path="$3"; shift 3
            curl -s -w ' %{http_code}' -H "Authorization: Bearer $token" -X "$method" "$@" "http://127.0.0.1:$port$path"
        }
        send() { ask "$1" POST /jobs --data-binary "$2"; }
        identity() { sed -E 's/.*"id":"([^"]*)".*/\1/'; }
        follow() { curl -s -N -H "Authorization: Bearer $1" "http://127.0.0.1:$port/jobs/$2/events"; }
        in_a_line() { tr '\n' '|'; echo; }
        '.build/example/debug/AutomationServer' tenants.json 0 2>server.log & pid=$!
        trap 'kill $pid 2>/dev/null' EXIT
        until grep -q 'listening on' server.log; do sleep 0.05; done
        port=$(sed -n 's|.*listening on 127.0.0.1:||p' server.log)
        """#

    private func run(_ script: String) async throws -> [String] {
        let scratch = try Scratch()
        let build = try await CommandRun.shell(
            "swift build --package-path '\(Self.folder)' --scratch-path '\(scratch.path)/.build/example'"
        )
        try #require(build.status == 0, "\(build.errors) \(build.text)")
        let tenants = scratch.path.appending("tenants.json").string
        try FileManager.default.copyItem(
            atPath: Self.folder.appending("tenants.json").string,
            toPath: tenants
        )
        let run = try await CommandRun.shell(
            "bash <<'SCRIPT'\n\(Self.client)\n\(script)\nSCRIPT",
            folder: scratch.path
        )
        #expect(run.status == 0, "\(run.errors)")
        return run.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test(.timeLimit(.minutes(30)))
    func `tenants send, follow and cancel scripts, within their quotas, until the server ends`() async throws
    {
        let lines = try await run(
            #"""
            ask stranger GET /jobs/1 | sed 's/.* //'; echo
            id=$(send alpha-secret 'print("hello") sleep(0.2) print(await(work.checksum("abc")))' | identity)
            follow alpha-secret $id | in_a_line
            ask alpha-secret GET /jobs/$id | sed -E 's/.*"output":"([^"]*)".*/\1/'; echo
            ask beta-secret GET /jobs/$id | sed 's/.* //'; echo
            send alpha-secret 'local x = = 1'; echo
            id=$(send alpha-secret 'sleep(0.3) pcall(await, work.fetch(1)) error({ code = 42 })' | identity)
            follow alpha-secret $id | in_a_line
            id=$(send alpha-secret 'print "begun" while true do sleep(1) end' | identity)
            follow alpha-secret $id >followed & follower=$!
            until grep -q begun followed; do sleep 0.05; done
            ask alpha-secret DELETE /jobs/$id >/dev/null
            wait $follower; in_a_line <followed
            id=$(send beta-secret 'while true do sleep(0.01) end' | identity)
            follow beta-secret $id | in_a_line
            ask beta-secret GET /jobs/$id | sed -E 's/.*"code":"([a-z]*)".*/\1/'; echo
            for i in 1 2 3 4; do send beta-secret 'while true do sleep(1) end' | sed 's/.* //'; echo; done
            ask x GET /metrics | grep '^jobs{tenant="alpha"' | sed 's/.*state=//'
            id=$(send alpha-secret 'print("begun") while true do pcall(sleep, 1) end' | identity)
            follow alpha-secret $id >followed & follower=$!
            until grep -q begun followed; do sleep 0.05; done
            kill -TERM $pid
            until send alpha-secret 'print(1)' | grep 503; do sleep 0.05; done
            wait $follower; in_a_line <followed
            wait $pid; echo "status $?"
            """#
        )
        // A client may come before the job begins.
        let seen = lines.filter { !$0.isEmpty }.map {
            $0.replacingOccurrences(of: "event: state|data: waiting||", with: "")
        }
        let begun =
            "event: state|data: running||event: output|data: begun|data: ||event: state|data: cancelled||"
        let printed =
            "event: state|data: running||event: output|data: hello|data: ||event: output|data: 126145|data: ||"
            + "event: state|data: succeeded||"
        #expect(
            seen == [
                "401", printed, #"hello\n126145\n"#, "404",
                #"{"error":{"message":"job.lua:1: unexpected symbol near '='"}} 400"#,
                "event: state|data: running||event: state|data: failed||", begun,
                "event: state|data: running||event: state|data: failed||", "limit", "202", "202", "202",
                "429",
                #""cancelled"} 1"#, #""failed"} 1"#, #""succeeded"} 1"#,
                #"{"error":{"message":"the server ends: try again later"}} 503"#, begun, "status 0",
            ],
            "\(lines.joined(separator: "\n"))"
        )
    }
}
