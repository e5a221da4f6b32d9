/// What a server may take. Nobody trusts it.
package struct HTTPLimits: Sendable {
    /// To reach it, TLS included.
    package var connecting: Duration = .seconds(20)
    /// For a whole request.
    package var whole: Duration = .seconds(180)
    /// After so long without a thousand bytes in a second, nothing more is awaited.
    package var silence: Duration = .seconds(30)

    package init() {}

    /// The bytes of an address.
    static let address = 2048
    /// The bytes of a header line.
    static let line = 8192
    /// The bytes of all header lines.
    static let head = 1 << 16
    /// Bytes in a second, below which a connection counts as silent.
    static let slow = 100
}
