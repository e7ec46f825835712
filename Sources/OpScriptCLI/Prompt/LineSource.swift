internal import Glibc

/// Where the prompt gets its lines from. Confined to the thread of the prompt.
protocol LineSource {
    /// Reads a line.
    ///
    /// - Parameter isContinued: Whether it continues an unfinished piece of Lua.
    func read(isContinued: Bool) -> LineEditor.Reading
    /// Notes a line for the keys that recall one.
    func add(_ line: String)
    /// Gives the terminal back.
    func close()
}

/// Lines that are edited on the terminal.
struct EditedLines: LineSource {
    private let console: Console
    private let attention: Doorbell
    private let editor: LineEditor
    private let colour: String

    /// nil if the terminal cannot be used for it.
    init?(
        _ name: String,
        _ console: Console,
        _ attention: Doorbell,
        _ history: [String],
        _ owner: LineEditor.Owner
    ) {
        let terminal = console.terminal
        guard
            let editor = LineEditor(
                name: name,
                terminal: terminal,
                wakeEnd: attention.descriptor,
                history: history,
                owner: owner
            )
        else { return nil }
        self.console = console
        self.attention = attention
        self.editor = editor
        colour = Terminal.takesColours(terminal) ? "\u{1B}[1m" : ""
    }

    func read(isContinued: Bool) -> LineEditor.Reading {
        console.beginEditing { [attention] in attention.ring() }
        defer { console.endEditing() }
        let reading = editor.read(after: isContinued ? ">> " : "> ", colour: colour)
        // The next output begins on a row of its own.
        if reading == .end { _ = write(console.terminal, "\r\n", 2) }
        return reading
    }

    func add(_ line: String) { editor.add(line) }

    func close() { editor.close() }
}

/// Lines as they come, from a pipe or a plain terminal.
final class PlainLines: LineSource {
    /// The prompt on a terminal.
    static let prompt = "> "

    private let isTerminal = Terminal.isAttached(to: STDIN_FILENO)
    private var rest: [UInt8] = []

    func read(isContinued: Bool) -> LineEditor.Reading {
        if isTerminal {
            let text = Array((isContinued ? ">> " : Self.prompt).utf8)
            _ = write(STDERR_FILENO, text, text.count)
        }
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeFirst(end + 1)
                return .line(line)
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            if count > 0 {
                rest += bytes[..<count]
            } else if count == 0 || errno != EINTR {
                defer { rest = [] }
                return rest.isEmpty ? .end : .line(String(decoding: rest, as: UTF8.self))
            }
        }
    }

    func add(_ line: String) {}

    func close() {}
}
