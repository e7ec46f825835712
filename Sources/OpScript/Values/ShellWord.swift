/// Words of a command line.
package enum ShellWord {
    /// A word, in quotes if a shell would read it differently.
    package static func quoted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy {
            switch $0 {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", "+", ":", ",", "@", "%", "=": true
            default: $0.value > 0x9F && !$0.properties.isWhitespace
            }
        }
        if isPlain, !text.isEmpty { return text }
        return "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
