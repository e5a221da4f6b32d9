// The limits of the registry, in bytes.
extension Registry {
    /// The longest record that is accepted.
    public static let longestRecord = 64 << 10
    /// The longest file with the authenticator's present key.
    static let longestKeyFile = 1024
    /// The longest context of a counter that a record names.
    static let longestContext = 1024
}
