/// Texts for one line of a terminal.
package enum VisibleText {
    /// The text with `?` for each character that would begin another line, move the cursor or change the colours.
    package static func line(_ text: some StringProtocol) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format: result.append("?")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
