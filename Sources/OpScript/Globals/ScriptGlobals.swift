internal import LuaVM

/// The globals of scripts: the types, `require`, the parts of the contract that are written in Lua, and the
/// few values that exist once per Lua state.
///
/// Owns the tables and references that they need. Called when a runtime begins, by `require`, and by every part that
/// pushes such a value.
final class ScriptGlobals: RuntimePart {
    /// Userdata of host objects, errors and such, by address, weakly.
    let sharedObjects: SharedObjects
    let nullObject: LuaReference
    let arrayMark: LuaReference
    /// The environment of the parts of the contract that are written in Lua.
    var preludeEnvironment: LuaReference?
    var packageTable: LuaReference?
    /// Names of Lua's libraries and their functions by address; nil until an isolate needs them.
    var libraryNames: [UnsafeRawPointer: String]?
    /// The names of everything in OpScript that scripts see.
    var typeNames: [String] = []
    /// The table that `require "opscript"` returns.
    var typesTable: LuaReference?

    override init(_ foundation: RuntimeFoundation) {
        sharedObjects = SharedObjects(foundation.vm)
        nullObject = ScriptGlobals.makeNull(foundation.vm)
        arrayMark = ScriptGlobals.makeArrayMark(foundation.vm)
        super.init(foundation)
    }
}
