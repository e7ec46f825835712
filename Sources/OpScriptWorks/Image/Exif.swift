/// The data of a camera in a picture's file, as far as they matter here: which way up the picture is.
///
/// The format is that of the Exif standard, 2.3: a small TIFF file inside the picture's file.
enum Exif {
    /// The way in which a picture has to be turned; ``Orientation/upright`` if the file does not say it.
    static func orientation(of bytes: [UInt8], _ format: CodedFormat) -> Orientation {
        guard let data = data(of: bytes, format), let value = orientation(data) else { return .upright }
        return Orientation(rawValue: value) ?? .upright
    }

    private static let mark = Array("Exif\0\0".utf8)

    private static func data(of bytes: [UInt8], _ format: CodedFormat) -> ArraySlice<UInt8>? {
        switch format {
        case .jpeg: segment(of: bytes)
        case .png: chunk("eXIf", of: bytes, from: 8, isLittle: false)
        case .webP: chunk("EXIF", of: bytes, from: 12, isLittle: true).map(withoutMark)
        case .gif: nil
        }
    }

    private static func withoutMark(_ data: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        data.starts(with: mark) ? data.dropFirst(mark.count) : data
    }

    /// The segment of a JPEG file that begins with the mark, among those before the samples.
    private static func segment(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var place = 2
        while place + 4 <= bytes.count, bytes[place] == 0xff {
            let code = bytes[place + 1]
            // The samples begin, or the picture ends.
            if code == 0xda || code == 0xd9 { return nil }
            let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
            guard length >= 2, place + 2 + length <= bytes.count else { return nil }
            let content = bytes[(place + 4)..<(place + 2 + length)]
            if code == 0xe1, content.starts(with: mark) { return content.dropFirst(mark.count) }
            place += 2 + length
        }
        return nil
    }

    /// A chunk of a PNG file (length, type, content, checksum) or of a WebP file (type, length, content, filled up to
    /// an even length).
    private static func chunk(
        _ type: String,
        of bytes: [UInt8],
        from start: Int,
        isLittle: Bool
    ) -> ArraySlice<UInt8>? {
        var place = start
        while place + 8 <= bytes.count {
            let file = TIFF(bytes[place...], isLittle: isLittle)
            guard let length = file.number(at: isLittle ? 4 : 0, bytes: 4), length <= bytes.count - place - 8
            else { return nil }
            let name = bytes[(place + (isLittle ? 0 : 4))...].prefix(4)
            if name.elementsEqual(type.utf8) { return bytes[(place + 8)...].prefix(length) }
            place += 8 + length + (isLittle ? length & 1 : 4)
        }
        return nil
    }

    /// The number of the orientation, from 1.
    private static func orientation(_ data: ArraySlice<UInt8>) -> Int? {
        let isLittle: Bool
        if data.starts(with: Array("II*\0".utf8)) {
            isLittle = true
        } else if data.starts(with: Array("MM\0*".utf8)) {
            isLittle = false
        } else {
            return nil
        }
        let file = TIFF(data, isLittle: isLittle)
        guard let directory = file.number(at: 4, bytes: 4), let count = file.number(at: directory, bytes: 2)
        else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + 12 * index
            guard let tag = file.number(at: entry, bytes: 2) else { return nil }
            if tag == 0x0112 { return file.number(at: entry + 8, bytes: 2) }
        }
        return nil
    }

    /// Numbers in bytes of one of the two orders.
    private struct TIFF {
        private let data: ArraySlice<UInt8>
        private let isLittle: Bool

        init(_ data: ArraySlice<UInt8>, isLittle: Bool) {
            self.data = data
            self.isLittle = isLittle
        }

        /// A number of two or four bytes; nil beyond the end.
        func number(at place: Int, bytes: Int) -> Int? {
            guard place >= 0, place <= data.count - bytes else { return nil }
            let found = data.dropFirst(place).prefix(bytes)
            return (isLittle ? Array(found.reversed()) : Array(found)).reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
