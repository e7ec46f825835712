import OpScript
import Testing

@testable import OpScriptWorks

/// Turning, cutting, colouring and showing pictures.
@Suite struct ImageChangeTests {
    private let context = WorkContext()

    private func image(_ width: Int, _ height: Int, _ samples: [UInt16]) -> Image {
        image(width, height, 1, samples)
    }

    private func image(_ width: Int, _ height: Int, _ channels: Int, _ samples: [UInt16]) -> Image {
        Image(width: width, height: height, channels: channels, maximum: 255, samples: samples)
    }

    @Test func `a picture turns clockwise`() throws {
        let picture = image(3, 2, [1, 2, 3, 4, 5, 6])
        #expect(try rotate(picture, 90).samples == [4, 1, 5, 2, 6, 3])
        #expect(try rotate(picture, 180).samples == [6, 5, 4, 3, 2, 1])
        #expect(try rotate(picture, -90).samples == [3, 6, 2, 5, 1, 4])
        #expect(try rotate(picture, 630).samples == [3, 6, 2, 5, 1, 4])
        #expect(try rotate(picture, 360).samples == picture.samples)
        let turned = try rotate(picture, 90)
        #expect([turned.width, turned.height] == [2, 3])
        #expect(
            message { _ = try rotate(picture, 45) }
                == "cannot rotate by 45 degrees: a multiple of 90 expected"
        )
        #expect(
            message { _ = try rotate(picture, .min) }.hasPrefix(
                "cannot rotate by -9223372036854775808 degrees"
            )
        )
    }

    @Test func `a part keeps its samples`() throws {
        let picture = image(3, 2, 2, [1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60])
        #expect(try crop(picture, 1, 0, 2, 2).samples == [2, 20, 3, 30, 5, 50, 6, 60])
        #expect(try crop(picture, 0, 0, 3, 2).samples == picture.samples)
        for (column, row, width, height) in [
            (-1, 0, 1, 1), (0, 0, 4, 1), (3, 0, 1, 1), (0, 0, 0, 1), (0, 2, 1, 1), (1, 1, .max, .max),
        ] {
            #expect(
                message { _ = try crop(picture, column, row, width, height) }
                    == "cannot crop \(width) × \(height) pixels at (\(column), \(row)): "
                    + "a part of the 3 × 2 pixels expected, counted from 0"
            )
        }
    }

    @Test func `sepia is brown, and keeps opacity`() throws {
        #expect(try sepia(context, image(2, 1, [0, 100])).samples == [0, 0, 0, 135, 120, 94])
        #expect(try sepia(context, image(1, 1, 4, [255, 255, 255, 7])).samples == [255, 255, 239, 7])
        #expect(try sepia(context, image(1, 1, 2, [100, 9])).samples == [135, 120, 94, 9])
    }

    @Test func `a preview has shades, or colours`() throws {
        let ramp = image(10, 2, Array(repeating: (0..<10).map { UInt16($0 * 28) }, count: 2).flatMap { $0 })
        #expect(try preview(context, ramp, nil) == " .:-=+*#%@")
        #expect(try preview(context, image(4, 4, [UInt16](repeating: 0, count: 16)), nil) == "\n")
        let colours = image(1, 2, 3, [255, 0, 0, 0, 0, 255])
        #expect(
            try preview(context, colours, PreviewOptions(columns: 5, colours: true))
                == "\u{1b}[38;2;255;0;0m\u{1b}[48;2;0;0;255m▀\u{1b}[0m"
        )
        #expect(
            message { _ = try preview(context, colours, PreviewOptions(columns: 0)) }
                == "cannot show a picture in 0 columns: 1 to 1000 are possible"
        )
    }

    @Test func `a comment may touch the last number of a header`() throws {
        let bytes = Array("P5 2 1 255# made by hand\n".utf8) + [35, 10]
        #expect(try ImageReader.read(bytes).samples == [35, 10])
        #expect(try ImageReader.read(Array("P2\n2 1\n9#x\n1 2\n".utf8)).samples == [1, 2])
        #expect(try ImageReader.read(Array("P4 8 1#x\n".utf8) + [0x0f]).samples == [1, 1, 1, 1, 0, 0, 0, 0])
    }
}
