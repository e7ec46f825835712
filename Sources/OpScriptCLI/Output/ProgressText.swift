internal import OpScript

/// Words for how far a run has come.
enum ProgressText {
    /// `12 / 40 done, 2 running (cc a.c 3.1 s, ld 0.2 s), 1 failed, 31 s`.
    static func line(_ status: ScriptStatus, elapsed: Double) -> String {
        var parts = ["\(status.finished) / \(status.total) done"]
        let named = status.running.prefix(4).map { "\(visible($0.name)) \(SecondsText.short($0.seconds))" }
        if status.running.isEmpty {
            parts.append("0 running")
        } else {
            let more = status.running.count > named.count ? ", …" : ""
            parts.append("\(status.running.count) running (\(named.joined(separator: ", "))\(more))")
        }
        parts.append("\(status.failed) failed")
        parts.append(SecondsText.short(elapsed))
        return parts.joined(separator: ", ")
    }

    /// The text as far as it fits in so many columns, with `…` at the end if something is missing.
    static func cut(_ text: String, toColumns limit: Int) -> String {
        var columns = 0
        var kept = text.startIndex
        for index in text.indices {
            columns += width(text[index])
            // The last column is for the ellipsis, unless nothing is missing.
            if columns <= limit - 1 { kept = text.index(after: index) }
            if columns > limit { return limit < 1 ? "" : text[..<kept] + "…" }
        }
        return text
    }

    /// The text without what would move a terminal's cursor.
    static func visible(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format: result.append("?")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// How many columns of a terminal a character takes.
    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        // The ranges that are wide in every version of Unicode: Hangul, kana, ideographs, full-width forms, pictures.
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default:
            return 1
        }
    }
}
