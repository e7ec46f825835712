/// A class of the host whose instances scripts may hold, pass on and look into.
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
}
