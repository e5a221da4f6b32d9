/// A test argument that may be long. Test output names each argument, and this shortens it.
public struct Sample<Value: Sendable>: Sendable, CustomStringConvertible {
    public let value: Value

    public init(_ value: Value) { self.value = value }

    public var description: String {
        let whole = String(describing: value)
        let shown = whole.prefix(100)
        return shown.endIndex == whole.endIndex ? whole : "\(shown)… (\(whole.utf8.count) bytes of text)"
    }
}
