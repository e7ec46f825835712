public import OpScript
public import SystemPackage

extension FilePath: ScriptConvertible {
    /// `"string"`.
    public static var scriptTypeName: String { "string" }

    /// Takes a string of any bytes but NUL, which no path can hold.
    public init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        guard case .string(let bytes) = scriptValue else {
            throw ScriptConversionError(expected: Self.scriptTypeName, value: scriptValue)
        }
        guard !bytes.contains(0) else {
            throw ScriptConversionError(expected: Self.scriptTypeName, got: "a string with a NUL inside")
        }
        guard !bytes.isEmpty else {
            throw ScriptConversionError(expected: Self.scriptTypeName, got: "an empty string")
        }
        self = (bytes + [0]).withUnsafeBytes { buffer in
            FilePath(platformString: buffer.assumingMemoryBound(to: CChar.self).baseAddress!)
        }
    }

    /// A string of the path's bytes.
    public var scriptValue: ScriptValue { .string(bytes) }

    /// The path's bytes.
    var bytes: [UInt8] {
        withPlatformString { pointer in
            var bytes: [UInt8] = []
            var index = 0
            while pointer[index] != 0 {
                bytes.append(UInt8(bitPattern: pointer[index]))
                index += 1
            }
            return bytes
        }
    }

    /// The directory that holds the path's last component.
    var parent: FilePath {
        let parent = removingLastComponent()
        return parent.isEmpty ? FilePath(".") : parent
    }
}
