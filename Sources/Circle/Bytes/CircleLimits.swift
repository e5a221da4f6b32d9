/// The limits of docs/sync-format.md, “Limits”.
package enum CircleLimits {
    /// The version of every format but statements and generations, which have none.
    package static let version: UInt16 = 1
    /// The length of a segment in bytes.
    package static let segment = 1 << 20
    /// The length of a record's body in bytes.
    package static let body = 900_000
    package static let records = 8192
    /// The changes of a record.
    package static let changes = 4096
    /// The slots of a value.
    package static let slots = 256
    /// The length of a slot in bytes.
    package static let slot = 1024
    /// The largest number of a record: 16 digits.
    package static let number: UInt64 = 9_999_999_999_999_999
    package static let heads = 1024
    /// The length of a head with its signature in bytes.
    package static let head = 1 << 17
    package static let statement = 1 << 16
    package static let generation = 300_000
    /// The length of a device's name in bytes.
    package static let name = 64
    package static let request = 768
    package static let identity = 256
    package static let challenge = 256
    package static let evidence = 4096
    package static let knock = 256
    package static let statements = 8192
    package static let generations = 1024
    /// The names, and the digests of values, that one record has of what is no longer given out.
    package static let past = 50_000
    /// The former runs that a summary names.
    package static let runs = 1024
    /// The ids that one name joins (docs/sync-merging.md, “Names”). A name keeps four bytes for each, so the smallest
    /// rename takes 1 KiB at most beyond what any change takes. Hardly an item is made by more machines at once.
    package static let itemIDs = 256
    package static let answer = 1 << 24
}
