#if Pictures
import OpScript
import SystemPackage
import Testing

@testable import OpScriptWorks

/// JPEG, PNG, WebP and GIF.
@Suite struct CodedPictureTests {
    private let context = WorkContext()

    /// A picture whose samples all differ from their neighbours.
    private func picture(
        _ channels: Int,
        maximum: UInt16 = 255,
        width: Int = 13,
        height: Int = 8
    ) -> Image {
        Image(
            width: width,
            height: height,
            channels: channels,
            maximum: maximum,
            samples: (0..<width * height * channels).map { (place: Int) -> UInt16 in
                UInt16(place * 977 % (Int(maximum) + 1))
            }
        )
    }

    private func encoded(_ image: Image, _ format: ImageFormat, _ options: EncodingOptions? = nil) throws
        -> [UInt8]
    {
        try format.encode(image, options, context)
    }

    private func reason(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch let fault as ImageFault {
            return fault.reason
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: PictureFixture.all)
    func `files of other programs have the samples that those find in them`(fixture: PictureFixture) throws {
        let image = try decodeImage(context, fixture.bytes)
        #expect(
            [image.width, image.height, image.channels]
                == [PictureFixture.width, PictureFixture.height, fixture.channels]
        )
        #expect(image.maximum == (fixture.isWide ? 65535 : 255))
        let wrong = zip(image.samples, fixture.samples).map { abs(Int($0) - Int($1)) }.max() ?? .max
        #expect(wrong <= fixture.tolerance)
    }

    @Test(arguments: [1, 2, 3, 4], [1, 255, 1000, 65535] as [UInt16])
    func `PNG keeps every sample`(channels: Int, maximum: UInt16) throws {
        let image = picture(channels, maximum: maximum)
        let again = try decodeImage(context, encoded(image, .png))
        #expect(again.channels == channels)
        #expect(again.maximum == (maximum > 255 ? 65535 : 255))
        #expect(try again.converted(channels: channels, maximum: maximum).samples == image.samples)
    }

    @Test(arguments: [1, 2, 3, 4]) func `a lossless WebP keeps every sample`(channels: Int) throws {
        // Opaque, since the colours of transparent pixels are not kept.
        let image = try picture(channels.isMultiple(of: 2) ? channels - 1 : channels)
            .converted(channels: channels, maximum: 255)
        let again = try decodeImage(context, encoded(image, .webp, EncodingOptions(lossless: true)))
        #expect(
            try again.converted(channels: 3, maximum: 255).samples
                == image.converted(channels: 3, maximum: 255).samples
        )
    }

    /// Neighbours are alike, as in photographs.
    private func smooth(_ channels: Int) -> Image {
        Image(
            width: 40,
            height: 30,
            channels: channels,
            maximum: 255,
            samples: (0..<1200 * channels).map { (place: Int) -> UInt16 in
                let pixel: Int = place / channels
                return UInt16(pixel % 40 * 4 + pixel / 40)
            }
        )
    }

    @Test(arguments: [ImageFormat.jpeg, .webp], [1, 2, 3, 4])
    func `a photograph hardly changes`(format: ImageFormat, channels: Int) throws {
        // Opaque, since the colours of transparent pixels are not kept.
        let image = try smooth(channels.isMultiple(of: 2) ? channels - 1 : channels)
            .converted(channels: channels, maximum: 255)
        let best = try encoded(image, format, EncodingOptions(quality: 100))
        let again = try decodeImage(context, best)
        let wanted = try image.converted(channels: again.channels, maximum: 255)
        let wrong = zip(again.samples, wanted.samples).map { abs(Int($0) - Int($1)) }.max() ?? .max
        #expect(wrong <= 6)
        #expect(try encoded(image, format, EncodingOptions(quality: 10)).count < best.count)
    }

    @Test func `options that a format does not have are refused`() {
        let image = picture(3)
        func refusal(_ format: ImageFormat, _ options: EncodingOptions) -> String {
            reason { _ = try encoded(image, format, options) }
        }
        #expect(refusal(.jpeg, EncodingOptions(quality: 0)) == "the quality 0 is not in 1 to 100")
        #expect(refusal(.webp, EncodingOptions(quality: 101)) == "the quality 101 is not in 1 to 100")
        #expect(refusal(.png, EncodingOptions(quality: 50)) == "only JPEG and WebP images have a quality")
        #expect(refusal(.jpeg, EncodingOptions(lossless: true)) == "no JPEG image is lossless")
        #expect(
            refusal(.ppm, EncodingOptions(lossless: true))
                == "'lossless' is for WebP images; this format always is"
        )
        #expect(
            refusal(.webp, EncodingOptions(quality: 5, lossless: true)) == "a lossless image has no quality"
        )
        let long = Image(
            width: 70000,
            height: 1,
            channels: 1,
            maximum: 255,
            samples: [UInt16](repeating: 0, count: 70000)
        )
        #expect(
            reason { _ = try encoded(long, .jpeg) } == "a JPEG picture has at most 65500 pixels on a side"
        )
        #expect(
            reason { _ = try encoded(long, .webp) } == "a WebP picture has at most 16383 pixels on a side"
        )
    }

    /// A JPEG file with an orientation in its Exif data.
    private func file(_ image: Image, orientation: UInt8, isLittle: Bool) throws -> [UInt8] {
        func two(_ high: UInt8, _ low: UInt8) -> [UInt8] { isLittle ? [low, high] : [high, low] }
        func four(_ number: UInt8) -> [UInt8] { isLittle ? [number, 0, 0, 0] : [0, 0, 0, number] }
        var data = Array("Exif\0\0".utf8) + Array((isLittle ? "II*\0" : "MM\0*").utf8)
        // The directory, with two entries.
        data += four(8)
        data += two(0, 2)
        for (high, low, number) in [(1, 0, 9), (1, 0x12, orientation)] as [(UInt8, UInt8, UInt8)] {
            data += two(high, low)
            data += two(0, 3)
            data += four(1)
            data += two(0, number)
            data += [0, 0]
        }
        data += four(0)
        let length = data.count + 2
        let segment: [UInt8] = [0xff, 0xe1, UInt8(length >> 8), UInt8(length & 0xff)]
        let bytes = try encoded(image, .jpeg, EncodingOptions(quality: 100))
        return Array(bytes.prefix(2)) + segment + data + Array(bytes.dropFirst(2))
    }

    /// The place in the stored picture of the pixel that is seen at a column and a row. By the standard's words: where
    /// the first stored row and the first stored column are seen.
    private func place(_ orientation: UInt8, _ column: Int, _ row: Int, _ width: Int, _ height: Int) -> Int {
        let (right, down) = (width - 1 - column, height - 1 - row)
        return switch orientation {
        // Row 0 is at the top; column 0 is at the left, the right.
        case 1: row * width + column
        case 2: row * width + right
        // Row 0 is at the bottom.
        case 3: down * width + right
        case 4: down * width + column
        // Row 0 is at the left.
        case 5: column * height + row
        case 8: column * height + down
        // Row 0 is at the right.
        case 6: right * height + row
        default: right * height + down
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt8>, [true, false])
    func `a photograph is the right way up`(orientation: UInt8, isLittle: Bool) throws {
        // Blocks of 8 pixels, which JPEG keeps apart.
        let stored = Image(
            width: 24,
            height: 16,
            channels: 1,
            maximum: 255,
            samples: (0..<384).map { (place: Int) -> UInt16 in
                let (row, column) = (place / 24, place % 24)
                let block: Int = row / 8 * 3 + column / 8
                return UInt16(block * 40)
            }
        )
        let seen = try decodeImage(context, file(stored, orientation: orientation, isLittle: isLittle))
        #expect([seen.width, seen.height] == (orientation > 4 ? [16, 24] : [24, 16]))
        for row in 0..<seen.height {
            for column in 0..<seen.width {
                let place = place(orientation, column, row, seen.width, seen.height)
                let difference = Int(seen.samples[row * seen.width + column]) - Int(stored.samples[place])
                guard abs(difference) > 3 else { continue }
                Issue.record("(\(column), \(row)) of orientation \(orientation)")
                return
            }
        }
    }

    /// Each format, with a small file.
    private func files() throws -> [(String, [UInt8])] {
        PictureFixture.all.map { ($0.name, $0.bytes) }
            + [("with Exif data", try file(smooth(3), orientation: 6, isLittle: true))]
    }

    @Test func `a file that is cut off is an error at every length`() throws {
        for (name, bytes) in try files() {
            // The last bytes of a format may be its mark of the end, after the samples.
            for length in 0..<(bytes.count - 16) {
                let text = reason { _ = try decodeImage(context, Array(bytes.prefix(length))) }
                #expect(
                    text.hasPrefix("a damaged ") || text.hasPrefix("not a "),
                    "\(name), \(length): \(text)"
                )
            }
        }
    }

    @Test func `damaged files are pictures or errors, and nothing else`() throws {
        var random = SplitMix(state: 7)
        var (pictures, errors) = (0, 0)
        for (_, bytes) in try files() {
            for _ in 0..<400 {
                var damaged = bytes
                for _ in 0...Int(random.next() % 4) {
                    damaged[Int(random.next() % UInt64(damaged.count))] = UInt8(
                        truncatingIfNeeded: random.next()
                    )
                }
                do {
                    let image = try decodeImage(context, damaged)
                    #expect(image.samples.count == image.width * image.height * image.channels)
                    pictures += 1
                } catch is ImageFault {
                    errors += 1
                }
            }
        }
        #expect(pictures > 100 && errors > 100)
    }

    private struct SplitMix {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
            return mixed ^ mixed >> 31
        }
    }

    @Test func `a huge picture is refused before there is memory for it`() throws {
        // The size in the header of a PNG file, and its checksum, are the only things that it needs.
        var bytes = try encoded(picture(4), .png)
        bytes.replaceSubrange(16..<24, with: [0, 0, 0x80, 0, 0, 0, 0x80, 0])
        bytes.replaceSubrange(29..<33, with: Self.checksum(bytes[12..<29]))
        #expect(
            reason { _ = try decodeImage(context, bytes) }
                == "it has 32768 × 32768 pixels, which is more than 268435456 samples"
        )
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var sum: UInt32 = 0xffff_ffff
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
        return [24, 16, 8, 0].map { (shift: UInt32) -> UInt8 in UInt8(truncatingIfNeeded: ~sum >> shift) }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp])
    func `decoding and encoding can be cancelled`(format: ImageFormat) throws {
        let image = picture(3, width: 200, height: 200)
        let bytes = try encoded(image, format)
        let cancelled = WorkContext()
        cancelled.cancel()
        #expect(throws: CancellationError.self) { try decodeImage(cancelled, bytes) }
        if format != .webp {
            #expect(throws: CancellationError.self) { try format.encode(image, nil, cancelled) }
        }
    }
}
#else
import OpScript
import Testing

@testable import OpScriptWorks

/// A program without the package trait `Pictures`.
@Suite struct AbsentPictureTests {
    @Test func `a picture names the trait that is missing`() throws {
        #expect { try decodeImage(WorkContext(), [0xff, 0xd8, 0xff]) } throws: {
            ($0 as? ImageFault)?.reason.contains("need the package trait 'Pictures'") == true
        }
    }
}
#endif
