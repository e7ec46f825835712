import OpScript
import SystemPackage
import Testing

@testable import OpScriptWorks

@Suite struct ImageTests {
    let scratch: Scratch
    let context = WorkContext()

    init() throws { scratch = try Scratch() }

    private func read(_ text: String) throws -> Image {
        try read(Array(text.utf8))
    }

    private func read(_ bytes: [UInt8]) throws -> Image {
        _ = try writeFile(context, scratch["x.ppm"], ScriptData(bytes))
        return try readImage(context, scratch["x.ppm"])
    }

    private func complaint(_ text: String, _ more: [UInt8] = []) -> String {
        let prefix = "cannot read '\(scratch["x.ppm"])': "
        let words = message { _ = try read(Array(text.utf8) + more) }
        return words.hasPrefix(prefix) ? String(words.dropFirst(prefix.count)) : "unexpected: \(words)"
    }

    private func grey(_ width: Int, _ height: Int, _ samples: [UInt16], maximum: UInt16 = 255) -> Image {
        Image(width: width, height: height, channels: 1, maximum: maximum, samples: samples)
    }

    @Test func `all formats are read`() throws {
        #expect(try read("P1 # a comment\n3 2\n101\n0 1 0").samples == [0, 1, 0, 1, 0, 1])
        #expect(try read("P2\n2 1\n15\n0 15\n").samples == [0, 15])
        #expect(try read("P3\n1 1\n65535\n1 2 65535").samples == [1, 2, 65535])
        #expect(
            try read(Array("P4 9 2\n".utf8) + [0x80, 0x80, 0, 0]).samples == [0, 1, 1, 1, 1, 1, 1, 1, 0]
                + .init(repeating: 1, count: 9)
        )
        #expect(try read(Array("P5 2 1 255\n".utf8) + [10, 32]).samples == [10, 32])
        #expect(try read(Array("P5 1 1 65535\n".utf8) + [1, 2]).samples == [258])
        #expect(try read(Array("P6\n1 2\n255\n".utf8) + [1, 2, 3, 4, 5, 6]).samples == [1, 2, 3, 4, 5, 6])
        let header = "P7\nWIDTH 1\nHEIGHT 1\n# comment\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
        let image = try read(Array(header.utf8) + [1, 2, 3, 4])
        #expect(image.samples == [1, 2, 3, 4])
        #expect(image.scriptProperty("channels") == .integer(4))
        #expect(image.scriptProperty("depth") == nil)
    }

    @Test func `a portrait passes all steps from file to file`() throws {
        let root = FilePath(#filePath).removingLastComponent().appending(
            "../../../scripts/examples/hopper.ppm"
        )
        let portrait = try readImage(context, root)
        #expect([portrait.width, portrait.height, portrait.channels] == [256, 300, 3])
        let small = try resize(context, try blur(context, try mono(context, portrait), 2), 64, 75)
        _ = try writeImage(context, small, scratch["small.pgm"])
        let again = try readImage(context, scratch["small.pgm"])
        #expect(again.samples == small.samples)
        // Scaling by area keeps the mean brightness.
        func mean(_ image: Image) -> Double {
            Double(image.samples.reduce(0) { $0 + Int($1) }) / Double(image.samples.count)
        }
        #expect(abs(mean(again) - mean(try mono(context, portrait))) < 1)
    }

    @Test func `bad files are named with their faults`() {
        #expect(complaint("") == "not a JPEG, PNG, WebP, GIF, PBM, PGM, PPM or PAM image")
        #expect(complaint("P8 1 1") == "not a JPEG, PNG, WebP, GIF, PBM, PGM, PPM or PAM image")
        #expect(complaint("P6\n") == "it ends before its width")
        #expect(complaint("P6 x") == "the width is not a number")
        #expect(complaint("P6 0 1 255\n") == "the header says 0 × 1 pixels")
        #expect(complaint("P6 1 1 0\n") == "the header says a maximum of 0; 1 to 65535 is possible")
        #expect(complaint("P6 1 1 65536\n") == "the header says a maximum of 65536; 1 to 65535 is possible")
        #expect(
            complaint("P6 256 300 255\n", noise(1200))
                == "the header says 3 channels of 256 × 300 pixels, but only 1200 bytes follow"
        )
        #expect(
            complaint("P5 1 2 255\n", [1])
                == "the header says 1 channel of 1 × 2 pixels, but only 1 byte follows"
        )
        #expect(complaint("P6 99999999999999999999 1 255\n") == "the width has too many digits")
        #expect(
            complaint("P6 9223372036854775807 9223372036854775807 255\n").contains(
                "more than 268435456 samples"
            )
        )
        #expect(complaint("P2 16000 16000 255\n1 2").hasSuffix("but only 4 bytes follow"))
        #expect(complaint("P1 2 1\n1 2") == "pixel 2 is neither 0 nor 1")
        #expect(complaint("P2 2 1 255\n1 999") == "sample 2 is 999, more than the maximum of 255")
        #expect(complaint("P5 1 1 9\n", [10]) == "sample 1 is 10, more than the maximum of 9")
        #expect(complaint("P7\nWIDTH 1\n") == "the header has no line ENDHDR")
        #expect(complaint("P7\nWIDTH 1\nCOLOUR 2\nENDHDR\n") == "the header has a line 'COLOUR 2'")
        #expect(
            complaint("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 9\nMAXVAL 255\nENDHDR\n")
                == "the header says 9 channels; 1 to 4 are possible"
        )
        #expect(complaint("P7\nENDHDR\n") == "the header says 0 × 0 pixels")
    }

    @Test func `every prefix of a file is an error and not a trap`() throws {
        for whole in [
            Array("P6\n2 2\n255\n".utf8) + noise(12), Array("P1\n2 2\n1 0 1 0".utf8),
            Array("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 300\nENDHDR\n".utf8) + [0, 1, 0, 2],
        ] {
            for count in 0..<whole.count {
                #expect(throws: ImageFault.self) { try ImageReader.read(Array(whole[..<count])) }
            }
            _ = try ImageReader.read(whole)
        }
    }

    @Test func `written images are read back`() throws {
        let colours = Image(width: 2, height: 1, channels: 3, maximum: 255, samples: [1, 2, 3, 255, 0, 128])
        _ = try writeImage(context, colours, scratch["a.ppm"])
        #expect(try readImage(context, scratch["a.ppm"]).samples == colours.samples)
        let deep = Image(
            width: 1,
            height: 2,
            channels: 4,
            maximum: 1000,
            samples: [0, 1, 2, 1000, 999, 512, 3, 4]
        )
        #expect(try writeImage(context, deep, scratch["a.PAM"]) == scratch["a.PAM"])
        let again = try readImage(context, scratch["a.PAM"])
        #expect(again.samples == deep.samples && again.channels == 4 && again.maximum == 1000)
        _ = try writeImage(context, grey(9, 1, [0, 255, 0, 255, 0, 255, 0, 255, 127]), scratch["a.pbm"])
        #expect(try readImage(context, scratch["a.pbm"]).samples == [0, 1, 0, 1, 0, 1, 0, 1, 0])
        _ = try writeImage(context, grey(1, 1, [7]), scratch["b.ppm"])
        #expect(try readImage(context, scratch["b.ppm"]).samples == [7, 7, 7])
        #expect(
            message { _ = try writeImage(context, colours, scratch["a.bmp"]) }
                .contains("'.bmp' cannot be written")
        )
        #expect(
            message { _ = try writeImage(context, colours, scratch["a"]) }.contains("it has no extension")
        )
    }

    @Test func `mono weighs green most and keeps opacity`() throws {
        let colours = Image(
            width: 5,
            height: 1,
            channels: 4,
            maximum: 255,
            samples: [255, 0, 0, 1, 0, 255, 0, 2, 0, 0, 255, 3, 255, 255, 255, 4, 0, 0, 0, 5]
        )
        let result = try mono(context, colours)
        #expect(result.samples == [76, 1, 150, 2, 29, 3, 255, 4, 0, 5])
        #expect(result.channels == 2)
        #expect(try mono(context, result) === result)
    }

    @Test func `shrinking averages areas`() throws {
        let image = grey(4, 2, [0, 100, 200, 200, 100, 200, 0, 0])
        #expect(try resize(context, image, 2, 1).samples == [100, 100])
        #expect(try resize(context, grey(3, 1, [0, 90, 240]), 2, 1).samples == [30, 190])
        #expect(try resize(context, image, 4, 2).samples == image.samples)
    }

    @Test func `growing goes evenly from one to the next`() throws {
        #expect(try resize(context, grey(2, 1, [0, 100]), 4, 1).samples == [0, 25, 75, 100])
        #expect(try resize(context, grey(1, 1, [9]), 3, 2).samples == [9, 9, 9, 9, 9, 9])
        #expect(try resize(context, grey(1, 2, [0, 100]), 1, 4).samples == [0, 25, 75, 100])
        // A bitmap gets shades.
        #expect(try resize(context, grey(2, 1, [0, 1], maximum: 1), 1, 1).samples == [128])
    }

    @Test func `an even picture stays even at every size and radius`() throws {
        let image = Image(
            width: 7,
            height: 5,
            channels: 3,
            maximum: 65535,
            samples: .init(repeating: 65535, count: 105)
        )
        for size in [1, 2, 3, 6, 7, 8, 13, 50] {
            let result = try resize(context, image, size, 51 - size)
            #expect(result.samples.allSatisfy { $0 == 65535 }, "size \(size)")
        }
        for radius in [0, 1, 2, 6, 7, 100, Int.max] {
            #expect(try blur(context, image, radius).samples == image.samples, "radius \(radius)")
        }
    }

    @Test func `a blurred point spreads evenly both ways and keeps its light`() throws {
        var samples = [UInt16](repeating: 0, count: 21 * 21)
        samples[10 * 21 + 10] = 65535
        let result = try blur(context, grey(21, 21, samples, maximum: 65535), 1).samples
        for y in 0..<21 {
            for x in 0..<21 {
                #expect(abs(Int(result[y * 21 + x]) - Int(result[x * 21 + y])) <= 3)
                #expect(abs(Int(result[y * 21 + x]) - Int(result[y * 21 + 20 - x])) <= 3)
                if abs(x - 10) > 3 || abs(y - 10) > 3 { #expect(result[y * 21 + x] == 0) }
            }
        }
        // 7/27 of it in the middle of each direction.
        #expect(abs(Double(result[10 * 21 + 10]) - 65535 * 49 / 729) < 8)
        #expect(abs(result.reduce(0) { $0 + Int($1) } - 65535) < 100)
    }

    @Test func `impossible sizes are refused`() {
        let image = grey(1, 1, [0])
        #expect(message { _ = try resize(context, image, 0, 1) }.contains("cannot resize to 0 × 1 pixels"))
        #expect(message { _ = try resize(context, image, -1, 1) }.contains("cannot resize"))
        #expect(message { _ = try resize(context, image, .max, .max) }.contains("cannot resize"))
        #expect(message { _ = try blur(context, image, -1) }.contains("cannot blur by a radius of -1"))
    }

    @Test func `all works detect cancellation`() {
        let image = Image(width: 1, height: 1, channels: 3, maximum: 255, samples: [0, 0, 0])
        context.cancel()
        #expect(throws: CancellationError.self) { try mono(context, image) }
        #expect(throws: CancellationError.self) { try resize(context, image, 2, 2) }
        #expect(throws: CancellationError.self) { try blur(context, image, 1) }
        #expect(throws: CancellationError.self) { try writeImage(context, image, scratch["a.ppm"]) }
    }
}
