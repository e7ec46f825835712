import Foundation

/// A terminal on which a test types, and whose screen it reads. Its calls block: see ``onOwnThread(_:)``.
final class TypedTerminal {
    private let process: ChildProcess
    private let input = Pipe()
    private let output = Pipe()
    private let columns: Int
    private var bytes: [UInt8] = []
    /// How many of them ``waitForBytes(_:)`` has found.
    private var seen = 0

    /// The command ended, or its terminal did, before a text came.
    struct Missing: Error, CustomStringConvertible {
        let text: String
        let screen: [String]

        var description: String { "'\(text)' did not come: \(screen)" }
    }

    /// Starts a command of a shell, in which `$opscript` is the command of the tests; its state is in the folder.
    init(_ command: String, rows: Int = 24, columns: Int = 80, folder: String) throws {
        self.columns = columns
        let line =
            "stty rows \(rows) cols \(columns); export CI= NO_COLOR=1 TERM=xterm XDG_STATE_HOME='\(folder)/state'; "
            + "opscript='\(CommandRun.commandPath)'; \(command); echo \"status $?\""
        // `script` takes the shell of the environment; one that ends at a Ctrl-C, as dash does, shows no status.
        // A session in which a text never comes is ended, and the wait for the text with it.
        process = try ChildProcess(
            "/usr/bin/env",
            [
                "SHELL=/bin/bash", "/usr/bin/timeout", "--foreground", "200", "/usr/bin/script", "-qec", line,
                "/dev/null",
            ],
            folder: folder,
            input: input,
            output: output
        )
    }

    deinit {
        process.signal(SIGKILL)
        process.wait()
    }

    /// The lines on the screen.
    var screen: [String] {
        var model = ScreenModel(columns: columns)
        // A control sequence, or a character, may not be complete.
        model.write(String(decoding: bytes, as: UTF8.self))
        return model.lines
    }

    /// Waits until the terminal has got a text, after the text of the last such call.
    func waitForBytes(_ text: String) throws {
        while !text.isEmpty {
            if let found = bytes[seen...].firstRange(of: text.utf8) {
                seen = found.upperBound
                return
            }
            try readMore(text)
        }
    }

    /// Types text; Enter is a carriage return.
    func type(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    /// Types a line at the prompt, and waits for a line of output and the next prompt. Until there is one, the terminal
    /// takes keys, and not the editor.
    func enter(_ line: String, output: String? = nil) throws {
        type(line + "\r")
        try wait(output ?? "a prompt") { lines in
            guard let typed = lines.lastIndex(where: { $0.hasSuffix(line) }) else { return false }
            let below = lines[(typed + 1)...]
            return below.last == ">" && (output.map { below.contains($0) } ?? true)
        }
    }

    /// Waits until a line of the screen contains a text.
    func wait(for text: String) throws { try wait(text) { $0.contains { $0.contains(text) } } }

    /// Waits until the screen is as expected; `text` describes that.
    func wait(_ text: String, until isThere: ([String]) -> Bool) throws {
        while !isThere(screen) { try readMore(text) }
    }

    private func readMore(_ wanted: String) throws {
        let more = output.fileHandleForReading.availableData
        if more.isEmpty { throw Missing(text: wanted, screen: screen) }
        bytes += more
    }
}
