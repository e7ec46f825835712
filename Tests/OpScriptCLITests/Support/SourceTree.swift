import SystemPackage

/// Places in the source tree.
enum SourceTree {
    /// The folder of the package.
    static let root = FilePath(#filePath)
        .removingLastComponent().removingLastComponent().removingLastComponent().removingLastComponent()
    /// The contract scripts.
    static let scripts = root.appending("Tests/OpScriptTests/Scripts")
    /// The examples.
    static let examples = root.appending("scripts/examples")
}
