internal import Glibc
public import OpScript

/// A picture: rows of pixels of one to four channels, which never change.
///
/// Channels: 1 is grey, 2 grey and opacity, 3 red, green and blue, 4 these and opacity. In a script: `width`,
/// `height`, `channels`.
public final class Image: ScriptObject {
    /// Pixels per row.
    public let width: Int
    /// Rows.
    public let height: Int
    /// Samples per pixel.
    public let channels: Int
    /// The sample of full brightness, 1 to 65535.
    public let maximum: UInt16
    /// The samples row by row from the top, in a row pixel by pixel from the left, in a pixel channel by
    /// channel.
    public let samples: [UInt16]

    /// Takes over samples.
    ///
    /// - Precondition: the number of samples is width × height × channels, and none is above `maximum`.
    init(width: Int, height: Int, channels: Int, maximum: UInt16, samples: [UInt16]) {
        precondition(
            samples.count == width * height * channels,
            "\(samples.count) samples do not fill the image"
        )
        self.width = width
        self.height = height
        self.channels = channels
        self.maximum = maximum
        self.samples = samples
    }

    /// Samples per row.
    var stride: Int { width * channels }

    /// The same picture with at least 256 shades, for operations that need shades between black and white.
    func withShades() throws -> Image { try converted(channels: channels, maximum: max(255, maximum)) }

    /// The most samples that an image may have: half a gibibyte of them.
    static let mostSamples = 1 << 28

    /// Whether the samples of such a picture, and as many again for a conversion, can be kept.
    static func hasRoom(_ width: Int, _ height: Int, _ channels: Int) -> Bool {
        MemoryRoom.has(width * height * channels * MemoryLayout<UInt16>.stride)
    }

    /// Checks the same before another picture of this size is made.
    static func checkRoom(_ width: Int, _ height: Int, _ channels: Int) throws {
        guard hasRoom(width, height, channels) else {
            throw ScriptError(
                .limit,
                "an image of \(width) × \(height) pixels needs more memory than is left"
            )
        }
    }

    /// The number of samples, or nil if it exceeds the limit or a side is not positive.
    static func sampleCount(_ width: Int, _ height: Int, _ channels: Int) -> Int? {
        guard width > 0, height > 0, channels > 0 else { return nil }
        let (area, overflow) = width.multipliedReportingOverflow(by: height)
        let (count, alsoOverflow) = area.multipliedReportingOverflow(by: channels)
        return overflow || alsoOverflow || count > mostSamples ? nil : count
    }

    /// Makes the samples of a picture.
    ///
    /// - Parameter fill: Writes all of them; before, they have no value.
    static func makeSamples(_ count: Int, _ fill: (UnsafeMutableBufferPointer<UInt16>) throws -> Void)
        rethrows
        -> [UInt16]
    {
        try [UInt16](unsafeUninitializedCapacity: count) { memory, initialized in
            preferLargePages(UnsafeMutableRawBufferPointer(memory))
            try fill(memory)
            initialized = count
        }
    }

    /// Asks the system for pages of 2 MiB, since it takes longer to supply 18 000 small ones than to scale a picture of
    /// 12 megapixels. A system that has none does not matter.
    private static func preferLargePages(_ memory: UnsafeMutableRawBufferPointer) {
        let page = 4096
        guard memory.count >= 4 << 20, let start = memory.baseAddress?.alignedUp(toMultipleOf: page) else {
            return
        }
        madvise(start, (memory.count - page) / page * page, MADV_HUGEPAGE)
    }

    // MARK: As scripts see it

    /// The bytes of the samples.
    public var scriptWeight: Int { samples.count * MemoryLayout<UInt16>.stride }

    /// `"Image"`.
    public static let scriptTypeName = "Image"

    /// `width`, `height`, `channels`.
    public static let scriptPropertyNames = ["width", "height", "channels"]

    /// The value of one of these properties.
    public func scriptProperty(_ name: String) -> ScriptValue? {
        switch name {
        case "width": .integer(Int64(width))
        case "height": .integer(Int64(height))
        case "channels": .integer(Int64(channels))
        default: nil
        }
    }
}
