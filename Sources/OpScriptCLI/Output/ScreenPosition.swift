/// The place of a terminal's cursor, as far as the bytes that were written to it show it.
///
/// Live lines may be drawn only where they cover nothing: on an empty line, and not over a program that uses the whole
/// screen.
struct ScreenPosition {
    private enum Part {
        case text
        case escape
        /// Within `ESC [ …`.
        case control
        /// Within `ESC ] …`, such as a title, which ends with BEL or `ESC \`.
        case command(afterEscape: Bool)
    }

    private var part = Part.text
    private var parameters: [UInt8] = []
    /// Whether the cursor is at the beginning of an empty line.
    private(set) var isAtLineStart = true
    /// Whether a program has switched to the alternate screen, as editors and pagers do.
    private(set) var isFullScreen = false

    /// Whether live lines may be drawn below all that was written.
    var takesLiveLines: Bool { isAtLineStart && !isFullScreen }

    /// Follows bytes that were written.
    mutating func follow(_ bytes: [UInt8]) {
        for byte in bytes { follow(byte) }
    }

    private mutating func follow(_ byte: UInt8) {
        switch part {
        case .text:
            if byte == 0x1B {
                part = .escape
            } else if byte == UInt8(ascii: "\n") {
                isAtLineStart = true
            } else if byte != UInt8(ascii: "\r") || !isAtLineStart {
                isAtLineStart = false
            }
        case .escape:
            switch byte {
            case UInt8(ascii: "["):
                part = .control
                parameters.removeAll(keepingCapacity: true)
            case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"):
                part = .command(afterEscape: false)
            case 0x20...0x2F: break
            default: part = .text
            }
        case .control:
            guard (0x40...0x7E).contains(byte) else {
                if parameters.count < 16 { parameters.append(byte) }
                return
            }
            part = .text
            controlEnded(by: byte)
        case .command(let afterEscape):
            if byte == 0x07 || afterEscape && byte == UInt8(ascii: "\\") {
                part = .text
            } else {
                part = .command(afterEscape: byte == 0x1B)
            }
        }
    }

    private mutating func controlEnded(by final: UInt8) {
        switch final {
        // Colours, and erasing within the line.
        case UInt8(ascii: "m"), UInt8(ascii: "K"): break
        case UInt8(ascii: "h"), UInt8(ascii: "l"):
            if ["?1049", "?1047", "?47"].contains(String(decoding: parameters, as: UTF8.self)) {
                isFullScreen = final == UInt8(ascii: "h")
            }
        // The cursor went to a place that is not known.
        default: isAtLineStart = false
        }
    }
}
