internal import OpScript

/// The options of a preview.
struct PreviewOptions: Codable {
    /// The most characters of a line; 40 by default.
    var columns: Int?
    /// Whether the text has colours.
    var colours: Bool?
}

/// A picture as text, for a terminal.
///
/// A character is twice as high as it is wide. Without colours, ten characters stand for shades of brightness. With
/// them, a character shows two pixels, one above the other, by the escape sequences for colours of 24 bits.
func preview(_ context: WorkContext, _ image: Image, _ options: PreviewOptions?) throws -> String {
    let columns = options?.columns ?? 40
    guard (1...1000).contains(columns) else {
        throw ScriptError(.argument, "cannot show a picture in \(columns) columns: 1 to 1000 are possible")
    }
    let width = min(columns, image.width)
    let height = min(2 * columns, max(1, image.height * width / image.width / 2))
    if options?.colours == true {
        let small = try resize(context, image, width, 2 * height).converted(channels: 4, maximum: 255)
        return colouredLines(small).joined(separator: "\n")
    }
    let small = try mono(context, try resize(context, image, width, height))
    return shadedLines(small).joined(separator: "\n")
}

private func shadedLines(_ image: Image) -> [String] {
    let shades = Array(" .:-=+*#%@")
    return (0..<image.height).map { row in
        var line = (0..<image.width).map { column in
            let brightness = Int(image.samples[row * image.stride + column * image.channels])
            return shades[brightness * shades.count / (Int(image.maximum) + 1)]
        }
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}

private func colouredLines(_ image: Image) -> [String] {
    /// The colour of a pixel before a black background.
    func colour(_ row: Int, _ column: Int) -> String {
        let place = row * image.stride + column * image.channels
        let opacity = Int(image.samples[place + 3])
        return (0..<3).map { String(Int(image.samples[place + $0]) * opacity / 255) }.joined(separator: ";")
    }
    return (0..<image.height / 2).map { line in
        (0..<image.width).map { column in
            "\u{1b}[38;2;\(colour(2 * line, column))m\u{1b}[48;2;\(colour(2 * line + 1, column))m▀"
        }.joined() + "\u{1b}[0m"
    }
}
