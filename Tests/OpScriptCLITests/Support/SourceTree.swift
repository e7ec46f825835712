import SystemPackage

/// Places in the source tree.
enum SourceTree {
    /// The folder of the package.
    static let root = FilePath(#filePath)
        .removingLastComponent().removingLastComponent().removingLastComponent().removingLastComponent()
    /// The contract scripts.
    static let scripts = root.appending("Tests/OpScriptTests/Scripts")
    /// Scripts that need more memory than they get.
    static let memoryScripts = root.appending("Tests/OpScriptCLITests/Memory")
    /// Jobs for the tests of journals.
    static let journalScripts = root.appending("Tests/OpScriptCLITests/Journal/Lua")
    /// The examples.
    static let examples = root.appending("scripts/examples")
}
