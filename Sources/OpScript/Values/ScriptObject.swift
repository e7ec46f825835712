/// A class of the host whose instances scripts may hold, pass on and inspect.
///
/// A script sees a userdata; two references to one instance are equal. Instances are read on the script thread and
/// handed to closures on workers, hence they have to be `Sendable`.
public protocol ScriptObject: AnyObject, Sendable {
    /// The name of the type in error messages and in `tostring`: `"Image"`.
    static var scriptTypeName: String { get }

    /// The names that `scriptProperty(_:)` accepts, for `pairs` and for error messages.
    static var scriptPropertyNames: [String] { get }

    /// The value of a property, or nil if the type has no such property. Called on the script thread.
    func scriptProperty(_ name: String) -> ScriptValue?

    /// How many bytes the object holds, at least 0; 0 unless the type overrides this.
    ///
    /// Lua's collector works as if a script had allocated these bytes itself, and `memoryLimit` counts them.
    /// Therefore a script that creates many large objects releases unused ones in time. The property is read
    /// once for each script, on the script thread, when the object becomes a value of that script, so it
    /// should not change.
    var scriptWeight: Int { get }
}

extension ScriptObject {
    /// 0: the object counts like any small one.
    public var scriptWeight: Int { 0 }
}
