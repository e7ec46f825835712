internal import Glibc
internal import OpScript
internal import Synchronization

/// Shows what programs write, on the command's own standard output and standard error (`--output`).
struct ProgramOutput: ProgramDisplay {
    let console: Console
    let mode: ProgramOutputMode
    private let colours = NameColours()

    init(_ console: Console, _ mode: ProgramOutputMode) {
        self.console = console
        self.mode = mode
    }

    func begins(_ name: String?, _ commandLine: String, _ mode: ProgramOutputMode?) -> (any ProgramView)? {
        switch mode ?? self.mode {
        case .errors: nil
        case .auto: AutoView(console, heading(name, commandLine, on: STDERR_FILENO))
        case .stream: StreamView(console: console)
        case .group: GroupView(console, heading(name, commandLine, on: STDOUT_FILENO))
        case .prefix:
            PrefixView(
                console,
                output: prefix(name, commandLine, on: STDOUT_FILENO),
                error: prefix(name, commandLine, on: STDERR_FILENO)
            )
        }
    }

    func takesColours(_ mode: ProgramOutputMode?) -> Bool {
        switch mode ?? self.mode {
        case .auto, .errors: false
        case .group, .prefix, .stream: Terminal.takesColours(STDOUT_FILENO)
        }
    }

    /// `name: command line`, bold on a terminal.
    private func heading(_ name: String?, _ commandLine: String, on descriptor: Int32) -> [UInt8] {
        let text = VisibleText.line(name.map { "\($0): \(commandLine)" } ?? commandLine)
        return Array(
            (Terminal.takesColours(descriptor) ? "\u{1B}[1m\(text)\u{1B}[0m\n" : "\(text)\n").utf8
        )
    }

    /// `name | `; without a name, that of the program.
    private func prefix(_ name: String?, _ commandLine: String, on descriptor: Int32) -> [UInt8] {
        let program = commandLine.prefix { $0 != " " }.split(separator: "/").last.map(String.init)
        let text = VisibleText.line(name ?? program ?? "program")
        guard Terminal.takesColours(descriptor) else { return Array("\(text) | ".utf8) }
        return Array("\u{1B}[\(colours.code(of: text))m\(text) |\u{1B}[0m ".utf8)
    }
}

/// A colour for each name, in turn.
private final class NameColours: Sendable {
    /// Cyan, yellow, green, magenta, blue, and their bright forms.
    private static let codes = [36, 33, 32, 35, 34, 96, 93, 92, 95, 94]
    private let known = Mutex<[String: Int]>([:])

    func code(of name: String) -> Int {
        known.withLock { known in
            let number = known[name] ?? known.count
            known[name] = number
            return Self.codes[number % Self.codes.count]
        }
    }
}

extension Console {
    /// Writes bytes of a program to the stream to which they belong.
    fileprivate func write(_ bytes: [UInt8], isError: Bool) {
        if isError { writeError(bytes) } else { writeOutput(bytes) }
    }
}

/// Passes everything on.
private struct StreamView: ProgramView {
    let console: Console

    func wrote(_ bytes: ArraySlice<UInt8>, isError: Bool) { console.write(Array(bytes), isError: isError) }

    func ended() {}
}

/// Outputs of a program in their order, until they are shown as one block.
private struct KeptOutput {
    /// The most bytes of a block: a program may write without end.
    private static let limit = 16 << 20

    private(set) var pieces: [(bytes: [UInt8], isError: Bool)] = []
    private var count = 0
    private var leftOut = 0

    mutating func append(_ bytes: ArraySlice<UInt8>, isError: Bool) {
        let kept = bytes.prefix(Self.limit - count)
        leftOut += bytes.count - kept.count
        count += kept.count
        if !kept.isEmpty { pieces.append((Array(kept), isError)) }
    }

    /// A line about the bytes that were left out; empty if there are none.
    var lineOfRest: [UInt8] { leftOut > 0 ? Array("(\(leftOut) more bytes are not shown)\n".utf8) : [] }

    /// The block, with a line about the bytes that were left out. Nothing is kept after it.
    ///
    /// - Parameter onlyErrors: Whether it is of standard error alone.
    mutating func take(onlyErrors: Bool = false) -> [UInt8] {
        defer { self = KeptOutput() }
        var block = pieces.filter { $0.isError || !onlyErrors }.flatMap(\.bytes)
        guard let last = block.last else { return [] }
        if last != UInt8(ascii: "\n") { block.append(UInt8(ascii: "\n")) }
        block += lineOfRest
        return block
    }
}

/// Keeps everything until the end, both outputs in their order.
private final class GroupView: ProgramView {
    private let console: Console
    private let heading: [UInt8]
    private let kept = Mutex(KeptOutput())

    init(_ console: Console, _ heading: [UInt8]) {
        self.console = console
        self.heading = heading
    }

    func wrote(_ bytes: ArraySlice<UInt8>, isError: Bool) {
        kept.withLock { $0.append(bytes, isError: isError) }
    }

    func ended() {
        let block = kept.withLock { $0.take() }
        // One call, so that no other output comes in between.
        if !block.isEmpty { console.write(heading + block, isError: false) }
    }
}

/// Shows standard error of a program that succeeded, unless the script used the result; everything as it comes if the
/// script cannot use it.
private final class AutoView: ProgramView {
    private struct State {
        var kept = KeptOutput()
        var passesOn = false
    }

    private let console: Console
    private let heading: [UInt8]
    private let state = Mutex(State())

    init(_ console: Console, _ heading: [UInt8]) {
        self.console = console
        self.heading = heading
    }

    func wrote(_ bytes: ArraySlice<UInt8>, isError: Bool) {
        // It is written inside the lock, so that the order remains.
        state.withLock { state in
            if state.passesOn {
                console.write(Array(bytes), isError: isError)
            } else {
                state.kept.append(bytes, isError: isError)
            }
        }
    }

    func passOn() {
        state.withLock { state in
            state.passesOn = true
            for piece in state.kept.pieces { console.write(piece.bytes, isError: piece.isError) }
            console.writeError(state.kept.lineOfRest)
            state.kept = KeptOutput()
        }
    }

    func ended() {}

    func settled(isUsed: Bool) {
        let block = state.withLock { state in
            defer { state.kept = KeptOutput() }
            return isUsed ? [] : state.kept.take(onlyErrors: true)
        }
        if !block.isEmpty { console.writeError(heading + block) }
    }
}

/// Writes whole lines, each behind the name of the operation.
private final class PrefixView: ProgramView {
    private let console: Console
    private let outputPrefix: [UInt8]
    private let errorPrefix: [UInt8]
    /// The beginnings of lines that have not ended.
    private let open = Mutex<(output: [UInt8], error: [UInt8])>(([], []))

    init(_ console: Console, output: [UInt8], error: [UInt8]) {
        self.console = console
        outputPrefix = output
        errorPrefix = error
    }

    func wrote(_ bytes: ArraySlice<UInt8>, isError: Bool) {
        let lines: [UInt8] = open.withLock { open in
            var rest = (isError ? open.error : open.output)[...] + bytes
            var lines: [UInt8] = []
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines += isError ? errorPrefix : outputPrefix
                lines += rest[...end]
                rest = rest[(end + 1)...]
            }
            if isError { open.error = Array(rest) } else { open.output = Array(rest) }
            return lines
        }
        if !lines.isEmpty { console.write(lines, isError: isError) }
    }

    func ended() {
        let rest = open.withLock { open in
            defer { open = ([], []) }
            return open
        }
        for (bytes, isError) in [(rest.output, false), (rest.error, true)] where !bytes.isEmpty {
            let prefix = isError ? errorPrefix : outputPrefix
            console.write(prefix + bytes + [UInt8(ascii: "\n")], isError: isError)
        }
    }
}
