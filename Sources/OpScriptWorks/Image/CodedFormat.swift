/// A format of pictures that a library of the system decodes.
enum CodedFormat: String {
    case jpeg = "JPEG"
    case png = "PNG"
    case webP = "WebP"
    case gif = "GIF"

    /// The format that the first bytes of a file announce; nil for every other file.
    init?(_ bytes: [UInt8]) {
        func has(_ text: StaticString, at place: Int = 0) -> Bool {
            bytes.dropFirst(place).prefix(text.utf8CodeUnitCount)
                .elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }
        if bytes.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if bytes.first == 0x89, has("PNG\r\n\u{1a}\n", at: 1) {
            self = .png
        } else if has("RIFF"), has("WEBP", at: 8) {
            self = .webP
        } else if has("GIF87a") || has("GIF89a") {
            self = .gif
        } else {
            return nil
        }
    }
}
