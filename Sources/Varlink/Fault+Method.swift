extension Fault {
    /// Varlink's own words for a method that is not there.
    /// - Parameter isServed: whether there is such an interface.
    public init(unknownMethod method: String, isServed: (_ interface: String) -> Bool) {
        if let dot = method.lastIndex(of: "."), !isServed(String(method[..<dot])) {
            self.init(.interfaceNotFound, Details(interface: Self.shortened(String(method[..<dot]))))
        } else {
            self.init(.methodNotFound, Details(method: Self.shortened(method)))
        }
    }

    /// Two megabytes of name need not come back.
    public static func shortened(_ name: String) -> String { String(name.prefix(200)) }
}
