internal import OpScript
internal import SystemPackage

/// Writes a picture in one step, in the format that the path's extension names.
///
/// - Returns: the path.
func writeImage(
    _ context: WorkContext,
    _ image: Image,
    _ path: FilePath,
    _ options: EncodingOptions? = nil
) throws -> FilePath {
    let name = path.extension ?? ""
    guard let format = ImageFormat(name) else {
        throw ScriptError.cannot(
            "write",
            path,
            name.isEmpty
                ? "it has no extension; one of \(ImageFormat.extensions) selects the format"
                : "'.\(name)' cannot be written; the formats are \(ImageFormat.extensions)"
        )
    }
    do {
        let bytes = try format.encode(image, options, context)
        return try writeFile(context, path, ScriptData(bytes))
    } catch let fault as ImageFault {
        throw ScriptError(fault.code, "cannot write '\(path.string)': \(fault.reason)")
    }
}

/// How a picture is encoded.
struct EncodingOptions: Codable {
    /// The quality of a JPEG or WebP image, 1 to 100; 85 by default.
    var quality: Int?
    /// Whether a WebP image keeps each sample.
    var lossless: Bool?
}

/// A format that can be written.
enum ImageFormat: String {
    case pbm, pgm, ppm, pam, jpeg, png, webp

    /// The format with a name or an extension.
    init?(_ name: String) {
        let name = name.lowercased()
        self.init(rawValue: name == "jpg" ? "jpeg" : name)
    }

    /// For messages.
    static let extensions = ".jpg, .png, .webp, .pbm, .pgm, .ppm and .pam"

    /// The bytes of a picture; channels that the format cannot contain (colours, opacity) are left out.
    ///
    /// - Throws: ``ImageFault``, or `CancellationError`.
    func encode(_ image: Image, _ options: EncodingOptions?, _ context: WorkContext) throws -> [UInt8] {
        let quality = try quality(options)
        let size = "\(image.width) \(image.height)"
        switch self {
        case .jpeg: return try CodedFormat.jpeg.encode(image, quality: quality, context)
        case .png: return try CodedFormat.png.encode(image, quality: quality, context)
        case .webp: return try CodedFormat.webP.encode(image, quality: quality, context)
        case .pbm:
            return try Array("P4\n\(size)\n".utf8) + bits(of: mono(context, image))
        case .pgm:
            let grey = try mono(context, image)
            return try Array("P5\n\(size)\n\(image.maximum)\n".utf8) + raw(grey, channels: [0])
        case .ppm:
            let channels = image.channels < 3 ? [0, 0, 0] : [0, 1, 2]
            return try Array("P6\n\(size)\n\(image.maximum)\n".utf8) + raw(image, channels: channels)
        case .pam:
            let kind = ["GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"][image.channels - 1]
            let header = """
                P7
                WIDTH \(image.width)
                HEIGHT \(image.height)
                DEPTH \(image.channels)
                MAXVAL \(image.maximum)
                TUPLTYPE \(kind)
                ENDHDR

                """
            return try Array(header.utf8) + raw(image, channels: Array(0..<image.channels))
        }
    }

    /// The quality that the options demand; nil for a lossless image.
    private func quality(_ options: EncodingOptions?) throws(ImageFault) -> Int? {
        if options?.quality != nil, self != .jpeg, self != .webp {
            throw ImageFault(reason: "only JPEG and WebP images have a quality", code: .argument)
        }
        if options?.lossless == true, self != .webp {
            throw ImageFault(
                reason: self == .jpeg
                    ? "no JPEG image is lossless" : "'lossless' is for WebP images; this format always is",
                code: .argument
            )
        }
        if options?.lossless == true {
            guard options?.quality == nil else {
                throw ImageFault(reason: "a lossless image has no quality", code: .argument)
            }
            return nil
        }
        let quality = options?.quality ?? 85
        guard (1...100).contains(quality) else {
            throw ImageFault(reason: "the quality \(quality) is not in 1 to 100", code: .argument)
        }
        return quality
    }

    /// Samples of some channels, in two bytes each if one byte is not enough.
    private func raw(_ image: Image, channels: [Int]) throws -> [UInt8] {
        try Image.checkRoom(image.width, image.height, max(3, image.channels))
        let isWide = image.maximum > 255
        let pixels = image.width * image.height
        let count = pixels * channels.count * (isWide ? 2 : 1)
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            var next = 0
            image.samples.withUnsafeBufferPointer { samples in
                for pixel in 0..<pixels {
                    for channel in channels {
                        let sample = samples[pixel * image.channels + channel]
                        if isWide {
                            bytes[next] = UInt8(sample >> 8)
                            next += 1
                        }
                        bytes[next] = UInt8(truncatingIfNeeded: sample)
                        next += 1
                    }
                }
            }
            initialized = next
        }
    }

    /// One bit per pixel, set where it is darker than half.
    private func bits(of image: Image) throws -> [UInt8] {
        try Image.checkRoom(image.width, image.height, max(3, image.channels))
        let rowBytes = (image.width + 7) / 8
        var bytes = [UInt8](repeating: 0, count: rowBytes * image.height)
        for row in 0..<image.height {
            for column in 0..<image.width {
                let sample = image.samples[(row * image.width + column) * image.channels]
                if Int(sample) * 2 < Int(image.maximum) || sample == 0 {
                    bytes[row * rowBytes + column >> 3] |= 0x80 >> UInt8(column & 7)
                }
            }
        }
        return bytes
    }
}
