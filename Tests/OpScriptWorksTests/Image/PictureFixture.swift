import Testing

/// Small pictures of 9 × 7 pixels that other programs have made, with the samples that they contain.
struct PictureFixture: CustomTestStringConvertible, Sendable {
    let name: String
    let channels: Int
    /// The most by which a sample may differ, since decoders may round.
    let tolerance: Int
    private let file: String
    private let expected: String
    /// Whether the samples have two bytes.
    let isWide: Bool

    private init(
        _ name: String,
        channels: Int,
        tolerance: Int = 0,
        isWide: Bool = false,
        file: String,
        samples: String
    ) {
        self.name = name
        self.channels = channels
        self.tolerance = tolerance
        self.isWide = isWide
        self.file = file
        expected = samples
    }

    static let width = 9
    static let height = 7

    var testDescription: String { name }

    var bytes: [UInt8] { Self.decoded(file) }

    var samples: [UInt16] {
        let bytes = Self.decoded(expected)
        guard isWide else { return bytes.map(UInt16.init) }
        return stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }

    /// The bytes that a text in Base64 stands for.
    private static func decoded(_ text: String) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var bytes: [UInt8] = []
        var bits = 0
        var count = 0
        for digit in text.utf8 {
            guard let value = digits.firstIndex(of: digit) else { continue }
            (bits, count) = (bits << 6 | value, count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(bits >> count))
            bits &= 1 << count - 1
        }
        return bytes
    }

    static let all = [
        PictureFixture(
            "PNG, palette, one colour transparent",
            channels: 4,
            file:
                "iVBORw0KGgoAAAANSUhEUgAAAAkAAAAHBAMAAAAotXpTAAAAMFBMVEXE2NLEtK9+xnyokHiobFo4xjcAxgAqkB4qbBfESEbE"
                + "JCN+NiKoAAA4Ng8ANgAqAACc4VggAAAABHRSTlP///8AQCqp9AAAADVJREFUeJwBKgDV/wH/AM0A9ATv7+/v9gT/AADv9wSb"
                + "ACyr/ATvAI/w3QTw7t/vAAT+AADvAOHOFcMjE6zHAAAAAElFTkSuQmCC",
            samples:
                "KgAA/yoAAP8qAAD/KgAA/6gAAP+oAAD/qAAA/6gAAP+oAAD/ADYA/wA2AP84Ng//ODYP/342Iv9+NiL/xCQj/8QkI//EJCP/"
                + "ADYA/zg2D/84Ng//ODYP/342Iv9+NiL/xEhG/8RIRv/ESEb/KmwX/ypsF/8qbBf/KmwX/342Iv+obFr/qGxa/6hsWv+obFr/"
                + "KpAe/yqQHv8qkB7/KpAe/6hsWv+okHgAqJB4AKiQeADEtK//AMYA/yqQHv84xjf/OMY3/37GfP9+xnz/xLSv/8S0r//EtK//"
                + "AMYA/zjGN/84xjf/OMY3/37GfP9+xnz/xNjS/8TY0v/E2NL/"
        ),
        PictureFixture(
            "PNG, 1 bit",
            channels: 1,
            file:
                "iVBORw0KGgoAAAANSUhEUgAAAAkAAAAHAQAAAADy4FrNAAAAHUlEQVR4nGNgYGBgZWBSYWCRCWf6yMAUz8D0igEAEqUC4yzR"
                + "3XEAAAAASUVORK5CYII=",
            samples: "AAAAAAAAAAAAAAAAAAD/AP8AAAD/AP8AAP8AAP8AAAD/AP//AAD//wD//wD//wAA/wD/AP//AP//////////"
        ),
        PictureFixture(
            "PNG, interlaced",
            channels: 3,
            file:
                "iVBORw0KGgoAAAANSUhEUgAAAAkAAAAHCAIAAAEi/sChAAAAuElEQVR42g2OIW4DMRBFPykJCVkSyVrSAUtKggwWRyOFLDBa"
                + "HFJpgGFIbmAwKDjQLGSOYFBcNNBH6BFq8MADT3oA0Ad5AEXWresLEajDoy5V7wAj8pR5qbx23gBH9DX7vbp1/0MAElCANprA"
                + "h8Rz4XPjC4JOSdeit6YFwefke/Fn81+AEOgj0iHRMdNU6FRpbvTZaQEEQY5R5iRfWdYi1yp7k+8u48UQ7BTtnOya7VbsUe3Z"
                + "7N3t5x97O0Tp1XF9xAAAAABJRU5ErkJggg==",
            samples:
                "AAAAHAAAOAAAVAAAcAAAjAAAqAAAxAAA4AAAACQAHCQFOCQKVCQPcCQUjCQZqCQexCQj4CQoAEgAHEgKOEgUVEgecEgojEgy"
                + "qEg8xEhG4EhQAGwAHGwPOGweVGwtcGw8jGxLqGxaxGxp4Gx4AJAAHJAUOJAoVJA8cJBQjJBkqJB4xJCM4JCgALQAHLQZOLQy"
                + "VLRLcLRkjLR9qLSWxLSv4LTIANgAHNgeONg8VNhacNh4jNiWqNi0xNjS4Njw"
        ),
        PictureFixture(
            "PNG, interlaced, 16 bits, grey and opacity",
            channels: 2,
            isWide: true,
            file:
                "iVBORw0KGgoAAAANSUhEUgAAAAkAAAAHEAQAAAFXBUM+AAABDklEQVR42hWOMUjDUBiE/1WCuLVixiCOFZF0ECniIIgYiIN0"
                + "cilujyCOirqZIq4qOnTwSVbpXt5a1K2ImA4FETeJtZqkycs7n8sNx313R0RA2AWINbTQIsCuxiKUo2Oy2wAvadf+kAO+HreI"
                + "ZgD7SXnsSBvzuRO+jQXRJlCl3GHtuMUbw6hf+qyRWQdcA/A7gPB0h7mPqjtbBP6LLItmdkrmufLcWu74w7Qibn+nyAyKwK2n"
                + "SdP4WROd6JJoEjB3cWMLjU6rHttTnv+gDG4VgTgsVsNnOSCa06ET1bNfNb0gD9iZrnzPLL6cJuIieQyj/98rOnStDHsky+5G"
                + "ZrG7tOKreIlv66n7763+xNfOH46WnDF7U3PCAAAAAElFTkSuQmCC",
            samples:
                "AAD//xtZ//82sv//Ugv//21k//+Ivf//pBb//79v///ayP//AA3//xtm/5s2v/83Uhj+021x/m+Iyv4LpCP9p798/UPa1fzf"
                + "ABr//xtz/zc2zP5vUiX9p21+/N+I1/wXpDD7T7+J+ofa4vm/ACf//xuA/tM22f2nUjL8e22L+0+I5PojpD3497+W98va7/af"
                + "ADT//xuN/m825vzfUj/7T22Y+b+I8fgvpEr2n7+j9Q/a/PN/AEH//xua/gs28/wXUkz6I22l+C+I/vY7pFf0R7+w8lPbCfBf"
                + "AE7//xun/ac3APtPUln4922y9p+JC/RHpGTx77+975fbFu0/"
        ),
        PictureFixture(
            "PNG, interlaced, 2 bits",
            channels: 1,
            file:
                "iVBORw0KGgoAAAANSUhEUgAAAAkAAAAHAgAAAAHCRxCLAAAAH0lEQVR42mNgAIMFQNjRAELlDHfBOCfHgeHYsQMgGgCXlgp1"
                + "udTs1gAAAABJRU5ErkJggg==",
            samples: "AFWq/wBVqv8AVar/AFWq/wBVqv8AVar/AFWq/wBVqv8AVar/AFWq/wBVqv8AVar/AFWq/wBVqv8AVar/AFWq"
        ),
        PictureFixture(
            "GIF, interlaced, one colour transparent",
            channels: 4,
            file:
                "R0lGODlhCQAHAIMAAMTY0sS0r37GfKiQeKhsWjjGNwDGACqQHipsF8RIRsQkI342IqgAADg2DwA2ACoAACH5BAEAAAIALAAA"
                + "AAAJAAcAAAg4AB8IfMCgYEEHDho0WLBAgcOEChkmmIigIoIFBDISOMDxAIEBIAMYOFCggAABAVIaKGlSAICXAQEAOw==",
            samples:
                "KgAA/yoAAP8qAAD/KgAA/6gAAP+oAAD/qAAA/6gAAP+oAAD/ADYA/wA2AP84Ng//ODYP/342Iv9+NiL/xCQj/8QkI//EJCP/"
                + "ADYA/zg2D/84Ng//ODYP/342Iv9+NiL/xEhG/8RIRv/ESEb/KmwX/ypsF/8qbBf/KmwX/342Iv+obFr/qGxa/6hsWv+obFr/"
                + "KpAe/yqQHv8qkB7/KpAe/6hsWv+okHj/qJB4/6iQeP/EtK//AMYA/yqQHv84xjf/OMY3/wAAAAAAAAAAxLSv/8S0r//EtK//"
                + "AMYA/zjGN/84xjf/OMY3/wAAAAAAAAAAxNjS/8TY0v/E2NL/"
        ),
        PictureFixture(
            "GIF",
            channels: 3,
            file:
                "R0lGODdhCQAHAIMAAMTY0sS0r37GfKiQeKhsWjjGNwDGACqQHipsF8RIRsQkI342IqgAADg2DwA2ACoAACwAAAAACQAHAAAI"
                + "OAAfCHzAoGBBBw4aNFiwQIHDhAoZJpiIoCKCBQQyEjjA8QCBASADGDhQoIAAAQFSGihpUgCAlwEBADs=",
            samples:
                "KgAAKgAAKgAAKgAAqAAAqAAAqAAAqAAAqAAAADYAADYAODYPODYPfjYifjYixCQjxCQjxCQjADYAODYPODYPODYPfjYifjYi"
                + "xEhGxEhGxEhGKmwXKmwXKmwXKmwXfjYiqGxaqGxaqGxaqGxaKpAeKpAeKpAeKpAeqGxaqJB4qJB4qJB4xLSvAMYAKpAeOMY3"
                + "OMY3fsZ8fsZ8xLSvxLSvxLSvAMYAOMY3OMY3OMY3fsZ8fsZ8xNjSxNjSxNjS"
        ),
        PictureFixture(
            "JPEG, progressive",
            channels: 3,
            tolerance: 2,
            file:
                "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQ"
                + "ERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU"
                + "FBQUFBQUFBQUFBQUFBT/wgARCAAHAAkDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAUG/8QAFQEBAQAAAAAAAAAA"
                + "AAAAAAAAAgX/2gAMAwEAAhADEAAAAYe+JR//xAAYEAACAwAAAAAAAAAAAAAAAAAAAgUGFv/aAAgBAQABBQKIp6sYlT//xAAZ"
                + "EQACAwEAAAAAAAAAAAAAAAABBAACBRH/2gAIAQMBAT8Bwdx4KDl5/8QAGxEAAQQDAAAAAAAAAAAAAAAAAwABAgQFEiH/2gAI"
                + "AQIBAT8Bxw42g7l66//EABcQAQEBAQAAAAAAAAAAAAAAAAEAITH/2gAIAQEABj8CMLhf/8QAFhABAQEAAAAAAAAAAAAAAAAA"
                + "AAHw/9oACAEBAAE/IX/PH//aAAwDAQACAAMAAAAQh//EABYRAAMAAAAAAAAAAAAAAAAAAAABUf/aAAgBAwEBPxBWRP/EABUR"
                + "AQEAAAAAAAAAAAAAAAAAAAEA/9oACAECAQE/ECZx/8QAGBAAAgMAAAAAAAAAAAAAAAAAAEEBIfH/2gAIAQEAAT8QtSHBqD//"
                + "2Q==",
            samples:
                "AAQAEAgALQcASAUAZAYGfQUHmAULsQgNyAkQCiAAHiUEOSMLUyIRcSIbiyIfpSMjvyYp2CkuCkMAHkcLO0cXVUYfdEYuj0Y3"
                + "qUZAw0lI2UhNCGYFHWwROWwfVWstdGw+jmtNqWtcw25p3XB1A4sFGJAUNJAlUY85cJBPi5FlppB4wZKK2JaaBq8MGrUbN7Uw"
                + "VLRIdLVlj7V8q7SVxLar27i+DM4VIdMlP9M9XNJXetN3l9OVsdOyytTJ5Nnh"
        ),
        PictureFixture(
            "JPEG, grey",
            channels: 1,
            tolerance: 2,
            file:
                "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsI"
                + "CQoKCgoKBggLDAsKDAkKCgr/wAALCAAHAAkBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgED"
                + "AwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RF"
                + "RkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJ"
                + "ytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/APLP2Q/+CPOg6t9l3adZnO3q6V9df8OT/D3/AEDLL/vp"
                + "P8a//9k=",
            samples: "AAkRGCEpMTpDFR8oMDpCS1VdKTM8RVBZY213QEpUXmlyfIePVF9pc3+Jk56raXWAi5eirbnDf4uXoq+6xtLd"
        ),
        PictureFixture(
            "JPEG, four inks",
            channels: 3,
            tolerance: 40,
            file:
                "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwACAQEBAQECAQEBAgICAgIEAwICAgIFBAQDBAYFBgYGBQYGBgcJCAYHCQcGBggLCAkK"
                + "CgoKCgYICwwLCgwJCgoK/8AAFAgABwAJBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//E"
                + "ALUQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2"
                + "Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrC"
                + "w8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4EQwBNAFkASwAAPwDwf/ggD/zBP+2f9Kxf+IaHwh/0"
                + "BdN/7+R/41+df/BMv/gmxpH7YH9n/b7K2k+1bc+cyjr9a/fyv34o/wCIaHwh/wBAXTf+/kf+Nfph/wAQr3gv/oBaX/38j/xo"
                + "r//Z",
            samples:
                "AAAAHAAAOAAAVAAAcAAAjAAAqAAAxAAA4AAAACQAHCQFOCQKVCQPcCQUjCQZqCQexCQj4CQoAEgAHEgKOEgUVEgecEgojEgy"
                + "qEg8xEhG4EhQAGwAHGwPOGweVGwtcGw8jGxLqGxaxGxp4Gx4AJAAHJAUOJAoVJA8cJBQjJBkqJB4xJCM4JCgALQAHLQZOLQy"
                + "VLRLcLRkjLR9qLSWxLSv4LTIANgAHNgeONg8VNhacNh4jNiWqNi0xNjS4Njw"
        ),
        PictureFixture(
            "WebP, lossless, with opacity",
            channels: 4,
            file: "UklGRjgAAABXRUJQVlA4TCwAAAAvCIABELkyRPQ/duWP6H9AQds2TMCUP8u3IRgOBWkbsLDdmeQJAAkrh7PPAA==",
            samples:
                "AAAAyBwAAMg4AADIVAAAyHAAAMiMAADIqAAAyMQAAMjgAADIACQAyBwkBcg4JArIVCQPyHAkFMiMJBnIqCQeyMQkI8jgJCjI"
                + "AEgAyBxICsg4SBTIVEgeyHBIKMiMSDLIqEg8yMRIRsjgSFDIAGwAyBxsD8g4bB7IVGwtyHBsPMiMbEvIqGxayMRsacjgbHjI"
                + "AJAAyByQFMg4kCjIVJA8yHCQUMiMkGTIqJB4yMSQjMjgkKDIALQAyBy0Gcg4tDLIVLRLyHC0ZMiMtH3IqLSWyMS0r8jgtMjI"
                + "ANgAyBzYHsg42DzIVNhayHDYeMiM2JbIqNi0yMTY0sjg2PDI"
        ),
        PictureFixture(
            "WebP",
            channels: 3,
            tolerance: 2,
            file:
                "UklGRmoAAABXRUJQVlA4IF4AAABwAgCdASoJAAcAAMASJbACdLoBNgAFSSUtFb/gAP7/dg0dn885lBNmGWKBmnkTA/Axeo0L"
                + "/6PMpt/Umrn7m/9Qj2z3YAPuv/f/HSV3JJf+Fcf/kycG6/8ID2z1jgAA",
            samples:
                "AAIAEQUAMAYATAUAZgYAgQQAoAUFuQUJ0AcLDSAAHSMAOyQHVSIKcSQTjCMXqiQfwiMi2iYqCkQBGkYIOEcUUUYccEopikkx"
                + "p0o8vklD2k1MC2oKG2wROWwfUWkscG9Ah21LpW1ZvGti2XBxCYkJHY4WPJEsV5JAb5BTiI9mp5V7wpSK3ZWbDKoOH68dPrI3"
                + "WbJNcLFniLB+qbSXwrOr3rW+Es0XJtEqRNREXtNgd9V+jtOYrti1x9bK5drk"
        ),
    ]
}
