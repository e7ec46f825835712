internal import LuaVM

extension Operations {
    /// The script need not add the operation at an index, nor its dependencies. [-0, +0, m]
    func hideUnadded(_ state: LuaState, _ index: Int32) {
        guard let view = operation(state, index) else { return }
        var visited: Set<UInt32> = []
        for id in unadded(state, index, view, &visited) {
            if let other = liveView(id) { hide(other) }
        }
    }
}
