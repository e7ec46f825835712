internal import OpScript
internal import SystemPackage

/// Reads a picture from a file of any format that is known.
func readImage(_ context: WorkContext, _ path: FilePath) throws -> Image {
    // The largest raw picture has two bytes for each sample, behind a header.
    let bytes = try readFile(context, path, limit: 2 * Image.mostSamples + 65_536)
    do {
        return try decodeImage(context, bytes)
    } catch let fault as ImageFault {
        throw ScriptError(fault.code, "cannot read '\(path.string)': \(fault.reason)")
    }
}

/// The picture that bytes of any format contain, the right way up.
///
/// - Throws: ``ImageFault``, or `CancellationError`.
func decodeImage(_ context: WorkContext, _ bytes: [UInt8]) throws -> Image {
    guard let format = CodedFormat(bytes) else { return try ImageReader.read(bytes) }
    let image = try format.decode(bytes, context)
    return try image.turned(Exif.orientation(of: bytes, format))
}

/// The reason why bytes are not a picture.
struct ImageFault: Error {
    let reason: String
    var code = ScriptError.Code.failed
}

/// Reads one picture of the formats PBM, PGM, PPM (plain and raw) and PAM from front to back.
struct ImageReader {
    private let bytes: [UInt8]
    private var position = 2

    /// The contents of the header.
    private struct Header {
        var width = 0
        var height = 0
        var channels = 1
        var maximum = 1
    }

    static func read(_ bytes: [UInt8]) throws(ImageFault) -> Image {
        guard bytes.count > 2, bytes[0] == UInt8(ascii: "P"),
            (UInt8(ascii: "1")...UInt8(ascii: "7")).contains(bytes[1])
        else { throw ImageFault(reason: "not a JPEG, PNG, WebP, GIF, PBM, PGM, PPM or PAM image") }
        var reader = ImageReader(bytes: bytes)
        // The header first: reading it moves the reader to the samples.
        let isBitmap = bytes[1] == UInt8(ascii: "1") || bytes[1] == UInt8(ascii: "4")
        let isColoured = bytes[1] == UInt8(ascii: "3") || bytes[1] == UInt8(ascii: "6")
        let isArbitrary = bytes[1] == UInt8(ascii: "7")
        let header =
            isArbitrary
            ? try reader.arbitraryHeader()
            : try reader.header(channels: isColoured ? 3 : 1, isBitmap: isBitmap)
        switch bytes[1] {
        case ...UInt8(ascii: "3"): return try reader.plain(header)
        case UInt8(ascii: "4"): return try reader.rawBitmap(header)
        default: return try reader.raw(header)
        }
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    // MARK: Headers

    private mutating func header(channels: Int, isBitmap: Bool) throws(ImageFault) -> Header {
        var header = Header(channels: channels)
        header.width = try number("width")
        header.height = try number("height")
        if !isBitmap { header.maximum = try number("maximum") }
        // Exactly one blank precedes raw samples, which may look like blanks themselves. The end of a comment counts as
        // that blank, as in netpbm.
        if position < bytes.count, bytes[position] == UInt8(ascii: "#") { skipComment() }
        position += 1
        return try checked(header)
    }

    /// The header of a PAM: lines of a keyword and a value, in any order.
    private mutating func arbitraryHeader() throws(ImageFault) -> Header {
        var header = Header(channels: 0, maximum: 0)
        position = bytes[2...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
        while true {
            guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) else {
                throw ImageFault(reason: "the header has no line ENDHDR")
            }
            let line = String(decoding: bytes[position..<min(end, position + 1000)], as: UTF8.self)
            position = end + 1
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let keyword = words.first, !keyword.hasPrefix("#") else { continue }
            if keyword == "ENDHDR" { return try checked(header) }
            // The meaning of the channels, which follows from their number.
            if keyword == "TUPLTYPE" { continue }
            guard words.count == 2, let value = Int(words[1]), value >= 0 else {
                throw ImageFault(reason: "the header has a line '\(line.prefix(80))'")
            }
            switch keyword {
            case "WIDTH": header.width = value
            case "HEIGHT": header.height = value
            case "DEPTH": header.channels = value
            case "MAXVAL": header.maximum = value
            default: throw ImageFault(reason: "the header has a line '\(line.prefix(80))'")
            }
        }
    }

    private func checked(_ header: Header) throws(ImageFault) -> Header {
        guard header.width > 0, header.height > 0 else {
            throw ImageFault(reason: "the header says \(header.width) × \(header.height) pixels")
        }
        guard (1...65535).contains(header.maximum) else {
            throw ImageFault(reason: "the header says a maximum of \(header.maximum); 1 to 65535 is possible")
        }
        guard (1...4).contains(header.channels) else {
            throw ImageFault(reason: "the header says \(header.channels) channels; 1 to 4 are possible")
        }
        guard Image.sampleCount(header.width, header.height, header.channels) != nil else {
            throw ImageFault(
                reason: "the header says \(describe(header)), which is more than \(Image.mostSamples) samples"
            )
        }
        guard Image.hasRoom(header.width, header.height, header.channels) else {
            throw ImageFault(reason: "\(describe(header)) need more memory than is left", code: .limit)
        }
        return header
    }

    private func describe(_ header: Header) -> String {
        "\(header.channels) channel\(header.channels == 1 ? "" : "s") of \(header.width) × \(header.height) pixels"
    }

    /// Steps over blanks and comments, and reads a decimal number.
    private mutating func number(_ name: String) throws(ImageFault) -> Int {
        skipBlanks()
        let start = position
        var value = 0
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, alsoOverflow) = product.addingReportingOverflow(
                Int(bytes[position] - UInt8(ascii: "0"))
            )
            guard !overflow, !alsoOverflow else {
                throw ImageFault(reason: "the \(name) has too many digits")
            }
            value = sum
            position += 1
        }
        guard position > start else {
            throw ImageFault(
                reason: position < bytes.count ? "the \(name) is not a number" : "it ends before its \(name)"
            )
        }
        return value
    }

    private mutating func skipBlanks() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), 9...13: position += 1
            case UInt8(ascii: "#"): skipComment()
            default: return
            }
        }
    }

    private mutating func skipComment() {
        while position < bytes.count, bytes[position] != 10, bytes[position] != 13 { position += 1 }
    }

    // MARK: Samples

    /// Refuses a header that announces more samples than the file has, before memory is allocated for them.
    private func check(_ needed: Int, _ header: Header) throws(ImageFault) {
        let rest = max(0, bytes.count - position)
        guard needed <= rest else {
            throw ImageFault(
                reason:
                    "the header says \(describe(header)), but only \(rest) "
                    + "\(rest == 1 ? "byte follows" : "bytes follow")"
            )
        }
    }

    private mutating func plain(_ header: Header) throws(ImageFault) -> Image {
        let count = header.width * header.height * header.channels
        // Each sample has at least one digit; only samples of bitmaps may have no blank between them.
        let isBitmap = bytes[1] == UInt8(ascii: "1")
        position -= 1
        try check(isBitmap ? count : 2 * count - 1, header)
        var samples: [UInt16] = []
        samples.reserveCapacity(count)
        for _ in 0..<count {
            if isBitmap {
                skipBlanks()
                guard position < bytes.count,
                    bytes[position] == UInt8(ascii: "0") || bytes[position] == UInt8(ascii: "1")
                else { throw ImageFault(reason: "pixel \(samples.count + 1) is neither 0 nor 1") }
                samples.append(bytes[position] == UInt8(ascii: "0") ? 1 : 0)
                position += 1
            } else {
                let sample = try number("sample \(samples.count + 1)")
                guard sample <= header.maximum else { throw tooBright(samples.count, sample, header) }
                samples.append(UInt16(sample))
            }
        }
        return image(header, samples)
    }

    private func rawBitmap(_ header: Header) throws(ImageFault) -> Image {
        let rowBytes = (header.width + 7) / 8
        try check(rowBytes * header.height, header)
        var samples: [UInt16] = []
        samples.reserveCapacity(header.width * header.height)
        for row in 0..<header.height {
            for column in 0..<header.width {
                let byte = bytes[position + row * rowBytes + column >> 3]
                // A set bit is black.
                samples.append(UInt16(~byte >> UInt8(7 - column & 7) & 1))
            }
        }
        return image(header, samples)
    }

    private func raw(_ header: Header) throws(ImageFault) -> Image {
        let count = header.width * header.height * header.channels
        let isWide = header.maximum > 255
        try check(isWide ? 2 * count : count, header)
        let samples = bytes.withUnsafeBytes { bytes in
            Image.makeSamples(count) { samples in
                for index in 0..<count {
                    samples[index] =
                        isWide
                        ? UInt16(
                            bigEndian: bytes.loadUnaligned(
                                fromByteOffset: position + 2 * index,
                                as: UInt16.self
                            )
                        )
                        : UInt16(bytes[position + index])
                }
            }
        }
        if let bad = samples.firstIndex(where: { $0 > header.maximum }) {
            throw tooBright(bad, Int(samples[bad]), header)
        }
        return image(header, samples)
    }

    private func tooBright(_ index: Int, _ sample: Int, _ header: Header) -> ImageFault {
        ImageFault(reason: "sample \(index + 1) is \(sample), more than the maximum of \(header.maximum)")
    }

    private func image(_ header: Header, _ samples: [UInt16]) -> Image {
        Image(
            width: header.width,
            height: header.height,
            channels: header.channels,
            maximum: UInt16(header.maximum),
            samples: samples
        )
    }
}
