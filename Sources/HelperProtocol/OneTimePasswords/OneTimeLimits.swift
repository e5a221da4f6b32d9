/// What seeds of one-time passwords may be.
public enum OneTimeLimits {
    /// The longest `otpauth://` address, in bytes.
    public static let text = 4096
    /// The seed, in bytes. The longest digest has blocks of 128.
    public static let seed = 1...128
    /// The fewest letters and digits of a seed that is not in an address. No site shows fewer.
    public static let digits = 8
    /// The period, in seconds.
    public static let period = 1...3600
}
