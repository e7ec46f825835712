#if Pictures
internal import CPictures
internal import OpScript

/// Decoding and encoding by the libraries of the system.
extension CodedFormat {
    private var code: cpicture_format {
        switch self {
        case .jpeg: CPICTURE_JPEG
        case .png: CPICTURE_PNG
        case .webP: CPICTURE_WEBP
        case .gif: CPICTURE_GIF
        }
    }

    /// The first picture of the bytes, as it is stored.
    ///
    /// - Throws: ``ImageFault``, or `CancellationError`.
    func decode(_ bytes: [UInt8], _ context: WorkContext) throws -> Image {
        var header = Receiver(context)
        try run(bytes, &header)
        let size = header.size
        let (width, height, channels) = (Int(size.width), Int(size.height), Int(size.channels))
        let text = "\(width) × \(height) pixels"
        guard let count = Image.sampleCount(width, height, channels) else {
            throw ImageFault(reason: "it has \(text), which is more than \(Image.mostSamples) samples")
        }
        guard Image.hasRoom(width, height, channels) else {
            throw ImageFault(reason: "\(text) need more memory than is left", code: .limit)
        }
        context.progress.totalUnitCount = Int64(height)
        let samples = try Image.makeSamples(count) { memory in
            var receiver = Receiver(context, memory.baseAddress)
            try run(bytes, &receiver)
        }
        return Image(
            width: width,
            height: height,
            channels: channels,
            maximum: size.maximum,
            samples: samples
        )
    }

    /// The other side of the library's callbacks. Without memory, it receives the size only.
    private struct Receiver {
        let context: WorkContext
        let memory: UnsafeMutablePointer<UInt16>?
        var size = cpicture_size()

        init(_ context: WorkContext, _ memory: UnsafeMutablePointer<UInt16>? = nil) {
            self.context = context
            self.memory = memory
        }
    }

    private func run(_ bytes: [UInt8], _ receiver: inout Receiver) throws {
        let (result, message) = withUnsafeMutablePointer(to: &receiver) { receiver in
            var callbacks = cpicture_receiver(
                context: receiver,
                begin: { context, size in
                    let receiver = context?.assumingMemoryBound(to: Receiver.self)
                    receiver?.pointee.size = size
                    return receiver?.pointee.memory
                },
                proceed: { context, rows in
                    context?.assumingMemoryBound(to: Receiver.self).pointee.context.proceeds(rows) ?? false
                }
            )
            return withMessage { cpicture_decode(code, bytes, bytes.count, &callbacks, $0) }
        }
        if result == CPICTURE_STOPPED, receiver.memory == nil, receiver.size.width > 0 { return }
        try check(result, message, "a damaged \(rawValue) image: ", receiver.context)
    }

    /// The bytes of a picture in this format.
    ///
    /// - Parameter quality: 1 to 100; nil for a lossless WebP image.
    func encode(_ image: Image, quality: Int?, _ context: WorkContext) throws -> [UInt8] {
        let image = try suited(image)
        var bytes: [UInt8] = []
        context.progress.totalUnitCount = Int64(image.height)
        let (result, message) = image.samples.withUnsafeBufferPointer { samples in
            withUnsafeMutablePointer(to: &bytes) { bytes in
                withUnsafePointer(to: Sender(context: context, bytes: bytes)) { sender in
                    var source = cpicture_source(
                        size: cpicture_size(
                            width: UInt32(image.width),
                            height: UInt32(image.height),
                            channels: UInt32(image.channels),
                            maximum: image.maximum
                        ),
                        samples: samples.baseAddress,
                        quality: Int32(quality ?? 0),
                        context: UnsafeMutableRawPointer(mutating: sender),
                        write: { context, bytes, count in
                            let sender = context?.assumingMemoryBound(to: Sender.self)
                            sender?.pointee.bytes.pointee = Array(
                                UnsafeBufferPointer(start: bytes, count: count)
                            )
                            return true
                        },
                        proceed: { context, rows in
                            context?.assumingMemoryBound(to: Sender.self).pointee.context.proceeds(rows)
                                ?? false
                        }
                    )
                    return withMessage { cpicture_encode(code, &source, $0) }
                }
            }
        }
        try check(result, message, "", context)
        return bytes
    }

    private struct Sender {
        let context: WorkContext
        let bytes: UnsafeMutablePointer<[UInt8]>
    }

    /// The picture with channels and samples that the format can contain; others are left out or scaled.
    private func suited(_ image: Image) throws -> Image {
        switch self {
        case .jpeg: try image.converted(channels: image.channels < 3 ? 1 : 3, maximum: 255)
        case .png: try image.converted(channels: image.channels, maximum: image.maximum > 255 ? 65535 : 255)
        case .webP: try image.converted(channels: image.channels.isMultiple(of: 2) ? 4 : 3, maximum: 255)
        case .gif: image
        }
    }

    private func withMessage(
        _ call: (UnsafeMutablePointer<CChar>?) -> cpicture_result
    ) -> (cpicture_result, String) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CPICTURE_MESSAGE_SIZE)) { message in
            message.initialize(repeating: 0)
            let result = call(message.baseAddress)
            let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            return (result, String(decoding: text, as: UTF8.self))
        }
    }

    private func check(
        _ result: cpicture_result,
        _ message: String,
        _ prefix: String,
        _ context: WorkContext
    ) throws {
        switch result {
        case CPICTURE_DONE: return
        case CPICTURE_STOPPED: throw CancellationError()
        case CPICTURE_LACKS_MEMORY:
            throw ImageFault(reason: "it needs more memory than is left", code: .limit)
        case CPICTURE_LACKS_LIBRARY: throw ImageFault(reason: message)
        default: throw ImageFault(reason: prefix + message)
        }
    }
}

extension WorkContext {
    /// Notes how many rows are complete, and returns whether the work should continue.
    fileprivate func proceeds(_ rows: UInt32) -> Bool {
        if rows > 0 { progress.completedUnitCount = Int64(rows) }
        return !isCancelled
    }
}
#else
internal import OpScript

extension CodedFormat {
    func decode(_ bytes: [UInt8], _ context: WorkContext) throws -> Image { throw absence }

    func encode(_ image: Image, quality: Int?, _ context: WorkContext) throws -> [UInt8] { throw absence }

    private var absence: ImageFault {
        ImageFault(
            reason:
                "\(rawValue) images need the package trait 'Pictures', and this program was built without it: "
                + "swift build --traits SharedLua,Pictures, or traits: [\"SharedLua\", \"Pictures\"] in Package.swift"
        )
    }
}
#endif
