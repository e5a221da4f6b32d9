import Circle

/// A server that keeps files by their paths. Nobody trusts it.
protocol RemoteServer: Sendable {
    /// Whether the former keys have opened the place, because the present ones do not.
    var usesFormer: Bool { get }

    /// The circles that have a folder there.
    func circles() throws(StoreError) -> [StatementName]

    /// All files of a circle that a member can have written.
    func files(of circle: StatementName) throws(StoreError) -> [RemoteFile]

    /// - Parameter tag: what the server called the content before; it is then not sent again.
    func read(_ path: StorePath, unless tag: String?) throws(StoreError) -> RemoteContent

    func write(_ bytes: [UInt8], to path: StorePath) throws(StoreError)

    func remove(_ path: StorePath) throws(StoreError)

    /// Writes, reads and removes a file that is none of a circle's.
    /// - Returns: what a person should know about the place, which keeps nobody from using it.
    func probe() throws(StoreError) -> [RemoteProperty]
}

/// A file in a listing.
struct RemoteFile: Sendable, Equatable {
    let path: StorePath
    /// What the server calls its content; nil if it does not say.
    let tag: String?
    /// Its length in bytes; nil if the server does not say.
    var size: Int?
}

/// What a server says of a file.
enum RemoteContent: Sendable, Equatable {
    case missing
    /// It is what it was.
    case unchanged
    case bytes([UInt8], tag: String?)
}

/// What a person should know about a place.
package enum RemoteProperty: Sendable, CaseIterable {
    /// It keeps what is replaced and deleted, and that takes room.
    case versioned
    /// What was written cannot be deleted for a while.
    case locked
}
