import OpScript
import Testing

@testable import OpScriptWorks

/// Processes that live longer than the program that has started them.
@Suite(.timeLimit(.minutes(20))) struct OutlivingProcessTests {
    let context = WorkContext()

    @Test(arguments: [
        ("(sleep 0.1; echo result; echo saved >&2) & echo started", "started\nresult\n", "saved\n"),
        ("( (sleep 0.1; echo a; echo b >&2) & ) ; exit 0", "a\n", "b\n"),
        ("for i in 1 2 3; do (sleep 0.0$i; echo $i) & done", "1\n2\n3\n", ""),
        ("setsid sh -c 'sleep 0.1; echo apart' &", "apart\n", ""),
    ])
    func `output of processes that outlive the shell is read`(
        _ text: String,
        _ output: String,
        _ errors: String
    )
        async throws
    {
        let command = Command(shell: Array(text.utf8), options: ProcessOptions())
        let result = try await runProcess(context, command, lingering: .seconds(1000))
        guard case .string(let bytes)? = result["output"] else { throw ScriptError(.failed, "no output") }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").sorted()
        #expect(lines == output.split(separator: "\n").sorted())
        #expect(result["errorOutput"] == .text(errors))
    }
}
