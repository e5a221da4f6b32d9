extension Fault {
    /// Varlink's own error for a method that does not exist.
    /// - Parameter isServed: whether an interface of this name is served.
    public init(unknownMethod method: String, isServed: (_ interface: String) -> Bool) {
        if let dot = method.lastIndex(of: "."), !isServed(String(method[..<dot])) {
            self.init(.interfaceNotFound, Details(interface: Self.shortened(String(method[..<dot]))))
        } else {
            self.init(.methodNotFound, Details(method: Self.shortened(method)))
        }
    }

    /// Shortens a name to 200 characters, because a name of two megabytes need not be repeated.
    public static func shortened(_ name: String) -> String { String(name.prefix(200)) }
}
