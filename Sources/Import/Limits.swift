import Item

// The limits of what is read from other programs' files.

/// What a reader takes, so that nobody's file takes all memory or time.
public enum ImportLimits {
    /// The largest file, in bytes.
    public static let file = 64 << 20
    /// The most entries of one file.
    public static let entries = 50_000
    /// The most fields of one entry of KWallet.
    static let fields = 4096
    /// The most columns of a table.
    static let columns = 256
    /// The deepest nesting of JSON. No known export has half of it.
    static let depth = 32
    /// The most values in JSON.
    static let values = 2_000_000
    /// The most problems that are kept. A file of another format has one on each line.
    public static let problems = 100
    /// The most parts of entries that are left out and named one by one.
    public static let leftOut = 1000

    /// The addresses of one entry that become attributes or secrets of their own. Further ones become one secret.
    static let addresses = 16
}
