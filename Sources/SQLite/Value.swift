/// One value of a row, as SQLite stores it ("Datatypes In SQLite", section 2). It is never converted to another type.
public enum Value: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    /// Bytes that are not UTF-8 are replaced by U+FFFD.
    case text(String)
    /// Not null, even if it has no bytes.
    case blob([UInt8])
}
