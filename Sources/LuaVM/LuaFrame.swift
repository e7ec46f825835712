internal import CLua

/// One level of a call stack, as it was when an error was raised.
public struct LuaFrame: Sendable, Equatable {
    /// The chunk as messages show it, `[C]` for native functions.
    public let source: String
    /// The line, from 1; nil if there is none.
    public let line: Int?
    /// The function's name, if it is known.
    public let name: String?
    /// The kind of the name, such as `global`, `local`, `method`, `field`, `upvalue` or `metamethod`.
    public let nameKind: String
    /// The line where the function begins; 0 for a main chunk.
    public let definedLine: Int
    /// Whether it is a C or Swift function.
    public let isNative: Bool
    /// Whether it is the main function of a chunk.
    public let isMainChunk: Bool
    /// Whether it was entered by a tail call.
    public let isTailCall: Bool
    /// Whether levels were left out in front of it.
    public let followsGap: Bool

    init(_ frame: UnsafePointer<clua_frame>) {
        let raw = UnsafeRawPointer(frame)
        func text(_ path: PartialKeyPath<clua_frame>) -> String {
            guard let offset = MemoryLayout<clua_frame>.offset(of: path) else { return "" }
            return String(cString: (raw + offset).assumingMemoryBound(to: CChar.self))
        }
        source = text(\.source)
        line = frame.pointee.line > 0 ? Int(frame.pointee.line) : nil
        let name = text(\.name)
        self.name = name.isEmpty ? nil : name
        nameKind = text(\.name_kind)
        definedLine = Int(frame.pointee.defined)
        isNative = frame.pointee.is_native != 0
        isMainChunk = frame.pointee.is_main != 0
        isTailCall = frame.pointee.is_tail != 0
        followsGap = frame.pointee.gap != 0
    }

    /// One line of a traceback: `job.lua:12: in function 'f'`.
    public var description: String {
        let place = line.map { "\(source):\($0):" } ?? "\(source):"
        let function =
            if let name {
                Self.function(name, nameKind)
            } else if isMainChunk {
                "main chunk"
            } else if isNative {
                "?"
            } else {
                "function <\(source):\(definedLine)>"
            }
        return "\(place) in \(function)"
    }

    private static func function(_ name: String, _ kind: String) -> String {
        kind == "global" || kind == "field" || kind.isEmpty ? "function '\(name)'" : "\(kind) '\(name)'"
    }

    /// Whether its function belongs to the program's own Lua code, which stands for native functions.
    private var isOwn: Bool { source == "[opscript]" }

    /// The text of a call stack, with Lua's header.
    ///
    /// A function in the program's own Lua code is shown as the native function that it stands for, without what is
    /// inside it.
    public static func text(of frames: [LuaFrame]) -> String {
        var lines: [String] = []
        for (index, frame) in frames.enumerated() {
            if frame.followsGap { lines.append("...") }
            guard frame.isOwn else {
                lines.append(frame.description)
                if frame.isTailCall { lines.append("(...tail calls...)") }
                continue
            }
            // With these, it has raised the error, or called what follows.
            while let last = lines.last, last.hasPrefix("[C]:") { lines.removeLast() }
            let isOutermost = index + 1 == frames.count || !frames[index + 1].isOwn
            if isOutermost, let name = frame.name, frame.nameKind != "upvalue" {
                lines.append("[C]: in \(Self.function(name, frame.nameKind))")
            }
        }
        return lines.reduce("stack traceback:") { $0 + "\n\t" + $1 }
    }
}
