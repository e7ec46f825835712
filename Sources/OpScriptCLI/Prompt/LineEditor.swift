internal import CEdit
internal import Glibc
internal import OpScriptWorks
internal import Synchronization

/// A line that a person edits on the terminal by libedit, while others write above it.
///
/// Confined to one thread.
final class LineEditor {
    /// The result of reading a line.
    enum Reading: Equatable {
        case line(String)
        /// Ctrl-C.
        case interrupted
        /// Ctrl-D on an empty line, or the end of the input.
        case end
    }

    /// The services of the editor's owner.
    struct Owner {
        /// The completions of the text before the cursor: the text that replaces its last part, and how long that is.
        var complete: (_ before: String) -> (taken: Int, choices: [String])
        /// Takes the output to write above the line; it ends with a newline.
        var takeOutput: () -> [UInt8]
        /// Whether the session has ended, so that the line is given up.
        var isOver: () -> Bool
    }

    private let editor: OpaquePointer
    private let history: OpaquePointer?
    private let terminal: Int32
    private let stream: UnsafeMutablePointer<FILE>
    private let wakeEnd: Int32
    private let owner: Owner
    /// The prompt, for libedit, which takes a pointer that stays valid.
    private var promptText: UnsafeMutablePointer<CChar>?
    private var promptWidth = 0
    private var pending: [UInt8] = []
    private var size = (rows: 0, columns: 0)
    private var wasInterrupted = false
    /// The text for which choices were found last, so that a second Tab shows them.
    private var lastAsked: String?

    /// - Parameters:
    ///   - terminal: Where the line is drawn.
    ///   - wakeEnd: A pipe; the editor looks for output when something comes.
    init?(name: String, terminal: Int32, wakeEnd: Int32, history lines: [String], owner: Owner) {
        let copy = fcntl(terminal, F_DUPFD_CLOEXEC, 10)
        guard edit_use_utf8() != 0, copy >= 0, let stream = fdopen(copy, "w") else { return nil }
        self.terminal = terminal
        self.stream = stream
        self.wakeEnd = wakeEnd
        self.owner = owner
        history = history_init()
        guard let editor = edit_open(name, Self.inputStream, stream) else {
            if let history { history_end(history) }
            fclose(stream)
            return nil
        }
        self.editor = editor
        edit_set_owner(editor, Unmanaged.passUnretained(self).toOpaque())
        edit_set_prompt(editor) { editor in LineEditor.of(editor).promptPointer }
        edit_set_reader(editor) { editor, character in LineEditor.of(editor).read(character) }
        if let history {
            edit_limit_history(history, Int32(LineHistory.limit * 2))
            for line in lines { edit_enter(history, line) }
            edit_set_history(editor, history)
        }
        bindKeys()
    }

    /// Gives the terminal back.
    func close() {
        el_end(editor)
        if let history { history_end(history) }
        fclose(stream)
        free(promptText)
        promptText = nil
    }

    /// Adds a line to the history.
    func add(_ line: String) { if let history { edit_enter(history, line) } }

    /// Reads a line.
    ///
    /// - Parameter colour: The control sequence in front of the prompt; empty for none.
    func read(after prompt: String, colour: String) -> Reading {
        free(promptText)
        let start = colour.isEmpty ? "" : "\u{1}\(colour)\u{1}"
        let end = colour.isEmpty ? "" : "\u{1}\u{1B}[0m\u{1}"
        promptText = strdup(start + prompt + end)
        promptWidth = ProgressText.width(of: prompt)
        wasInterrupted = false
        followSize()
        // libedit shows the prompt first: keys that come between would be the terminal's.
        edit_prepare_terminal(editor, 1)
        // Pasted text comes in brackets, so that it is neither completed nor run line by line.
        fputs("\u{1B}[?2004h", stream)
        defer {
            fputs("\u{1B}[?2004l", stream)
            fflush(stream)
        }
        var count: Int32 = 0
        guard let line = el_gets(editor, &count), count > 0 else { return .end }
        if wasInterrupted { return .interrupted }
        var text = String(cString: line)
        if text.hasSuffix("\n") { text.removeLast() }
        return .line(text)
    }

    // MARK: Keys

    private func bindKeys() {
        edit_add_function(editor, "opscript-complete") { editor, _ in LineEditor.of(editor).complete() }
        edit_add_function(editor, "opscript-interrupt") { editor, _ in LineEditor.of(editor).interrupt() }
        edit_add_function(editor, "opscript-suspend") { editor, _ in LineEditor.of(editor).suspend() }
        edit_add_function(editor, "opscript-paste") { editor, _ in LineEditor.of(editor).paste() }
        for (key, name) in [
            ("\\e[200~", "opscript-paste"), ("^I", "opscript-complete"), ("^C", "opscript-interrupt"),
            ("^Z", "opscript-suspend"),
            ("^R", "em-inc-search-prev"), ("^S", "em-inc-search-next"),
            ("\\e[A", "ed-search-prev-history"), ("\\eOA", "ed-search-prev-history"),
            ("\\e[B", "ed-search-next-history"), ("\\eOB", "ed-search-next-history"),
            ("^P", "ed-prev-history"), ("^N", "ed-next-history"),
            ("\\e[H", "ed-move-to-beg"), ("\\e[F", "ed-move-to-end"), ("\\eOH", "ed-move-to-beg"),
            ("\\eOF", "ed-move-to-end"), ("\\e[1~", "ed-move-to-beg"), ("\\e[4~", "ed-move-to-end"),
            ("\\e[7~", "ed-move-to-beg"), ("\\e[8~", "ed-move-to-end"), ("\\e[3~", "ed-delete-next-char"),
            ("\\e[1;5D", "ed-prev-word"), ("\\e[1;5C", "em-next-word"), ("\\e[1;3D", "ed-prev-word"),
            ("\\e[1;3C", "em-next-word"), ("\\eb", "ed-prev-word"), ("\\ef", "em-next-word"),
            ("^W", "ed-delete-prev-word"), ("^U", "vi-kill-line-prev"),
        ] {
            edit_bind(editor, key, name)
        }
    }

    private func interrupt() -> UInt8 {
        wasInterrupted = true
        el_cursor(editor, 1 << 20)
        el_insertstr(editor, "^C")
        el_push(editor, "\n")
        return UInt8(CC_REFRESH)
    }

    private func suspend() -> UInt8 {
        fputs("\u{1B}[?2004l\r\n", stream)
        fflush(stream)
        edit_prepare_terminal(editor, 0)
        ProcessRegistry.shared.suspend(withGroup: true)
        edit_prepare_terminal(editor, 1)
        fputs("\u{1B}[?2004h", stream)
        drawAgain()
        return UInt8(CC_NORM)
    }

    /// Inserts what comes up to the closing bracket of pasted text.
    private func paste() -> UInt8 {
        let end = Array("\u{1B}[201~".unicodeScalars)
        var text: [Unicode.Scalar] = []
        var character: wchar_t = 0
        while !text.suffix(end.count).elementsEqual(end) {
            guard read(&character) == 1 else { return UInt8(CC_EOF) }
            text.append(Unicode.Scalar(UInt32(bitPattern: character)) ?? "?")
        }
        text.removeLast(end.count)
        let lines = text.map { $0 == "\r" ? "\n" : $0 }
        var pasted = String(String.UnicodeScalarView(lines)).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        while pasted.last?.isEmpty == true { pasted.removeLast() }
        // A terminal moves its cursor at a tab, and libedit does not know where to.
        let inserted = pasted.joined(separator: "\n").split(separator: "\t", omittingEmptySubsequences: false)
        el_insertstr(editor, inserted.joined(separator: "    "))
        return UInt8(CC_REFRESH)
    }

    // MARK: Completion

    private func complete() -> UInt8 {
        let (text, cursor) = line()
        let before = String(String.UnicodeScalarView(text[..<cursor]))
        if before.split(separator: "\n", omittingEmptySubsequences: false).last?.allSatisfy({ $0 == " " })
            ?? true
        {
            el_insertstr(editor, "    ")
            return UInt8(CC_REFRESH)
        }
        let (taken, choices) = owner.complete(before)
        let start = String(String.UnicodeScalarView(text[(cursor - taken)..<cursor]))
        guard let first = choices.first else { return UInt8(CC_ERROR) }
        let common = choices.dropFirst().reduce(first) { commonStart($0, $1) }
        if common.unicodeScalars.count > start.unicodeScalars.count, common.hasPrefix(start) {
            let rest = String(String.UnicodeScalarView(common.unicodeScalars.dropFirst(taken)))
            // In UTF-8: libedit decodes it by the locale of the thread.
            el_insertstr(editor, rest)
            lastAsked = nil
            return UInt8(CC_REFRESH)
        }
        if choices.count == 1 { return UInt8(CC_REFRESH) }
        if lastAsked == before {
            lastAsked = nil
            write(above: Array(ChoiceTable.text(choices, columns: size.columns).utf8))
            return UInt8(CC_NORM)
        }
        lastAsked = before
        return UInt8(CC_REFRESH_BEEP)
    }

    private func commonStart(_ one: String, _ other: String) -> String {
        var text = String.UnicodeScalarView()
        for (a, b) in zip(one.unicodeScalars, other.unicodeScalars) {
            if a != b { break }
            text.append(a)
        }
        return String(text)
    }

    // MARK: Reading characters

    /// Reads a character, for libedit: 1, or 0 at the end, or -1.
    private func read(_ character: UnsafeMutablePointer<wchar_t>) -> Int32 {
        fflush(stream)
        while true {
            var places = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeEnd, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&places, 2, 200)
            if owner.isOver() { return -1 }
            if places[1].revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 64)
                _ = Glibc.read(wakeEnd, &bytes, bytes.count)
            }
            let output = owner.takeOutput()
            if !output.isEmpty { write(above: output) }
            if followSize() { drawAgain() }
            guard places[0].revents != 0 else { continue }
            var byte: UInt8 = 0
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count == 0 { return 0 }
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                return -1
            }
            pending.append(byte)
            if let scalar = UTF8Reader.take(&pending) {
                character.pointee = wchar_t(scalar.value)
                return 1
            }
        }
    }

    /// Writes lines where the line that is edited was, and draws that below them.
    private func write(above bytes: [UInt8]) {
        erase()
        fwrite(bytes, 1, bytes.count, stream)
        fflush(stream)
        edit_draw(editor)
        fflush(stream)
    }

    private func drawAgain() {
        erase()
        edit_draw(editor)
        fflush(stream)
    }

    private func erase() {
        let (text, cursor) = line()
        let place = EditedText(prompt: promptWidth, text: text, cursor: cursor, columns: size.columns)
        let up = place.cursorRow > 0 ? "\u{1B}[\(place.cursorRow)A" : ""
        fputs("\r\(up)\u{1B}[J", stream)
    }

    /// Takes in the size of the terminal; true if it has changed.
    @discardableResult
    private func followSize() -> Bool {
        let now = (Terminal.rows(of: terminal), Terminal.columns(of: terminal))
        guard now != size else { return false }
        let isFirst = size == (0, 0)
        size = now
        if isFirst { return false }
        el_resize(editor)
        return true
    }

    /// The text, and how many characters are before the cursor.
    private func line() -> (text: [Unicode.Scalar], cursor: Int) {
        guard let line = el_wline(editor) else { return ([], 0) }
        let info = line.pointee
        let count = info.lastchar - info.buffer
        let text = (0..<count).map { Unicode.Scalar(UInt32(bitPattern: info.buffer[$0])) ?? "?" }
        return (text, info.cursor - info.buffer)
    }

    private var promptPointer: UnsafeMutablePointer<CChar> {
        if let promptText { return promptText }
        let empty = strdup("")
        promptText = empty
        return empty ?? UnsafeMutablePointer.allocate(capacity: 1)
    }

    /// The editor behind a pointer of libedit.
    private static func of(_ editor: OpaquePointer) -> LineEditor {
        guard let owner = edit_owner(editor) else { preconditionFailure("an editor without its owner") }
        return Unmanaged<LineEditor>.fromOpaque(owner).takeUnretainedValue()
    }

    /// libedit takes the terminal's settings from it; characters are read by ``read(_:)``.
    private static var inputStream: UnsafeMutablePointer<FILE> {
        guard let stream = fdopen(STDIN_FILENO, "r") else { preconditionFailure("standard input is closed") }
        return stream
    }
}
