import BrokerProtocol
import Circle

/// What a store has of a circle.
struct StoreListing {
    /// Signed heads in base64: as many as calls have beside other things, that of this vault first.
    var heads: [(device: WriterID, content: String)] = []
    /// Those for which these calls have no room. They are handed over before.
    var furtherHeads: [String] = []
    /// The devices that have a head in the store, also one for which no call has room.
    var headed: Set<WriterID> = []
    /// Each device's segments, by number.
    var segments: [(device: WriterID, paths: [StorePath])] = []
    /// Their lengths in bytes, as far as the store says them.
    var sizes: [StorePath: Int] = [:]
    /// Files that were read, and that are not what their machine has written. Who has them writes them again.
    var damaged: Set<StorePath> = []

    /// The bytes of all heads in a message.
    var headsSize: Int { heads.reduce(0) { $0 + MessageRoom.size(of: $1.content) } }

    func paths(of device: WriterID) -> [StorePath] { segments.first { $0.device == device }?.paths ?? [] }

    /// The files that nobody has called damaged.
    func sound(of device: WriterID) -> [StorePath] { paths(of: device).filter { !damaged.contains($0) } }

    /// The lengths of files as a call has them; nil if none is known.
    func sizes(of names: [String]) -> [Int64]? {
        guard !sizes.isEmpty else { return nil }
        return names.map { name in StorePath(name).flatMap { sizes[$0] }.map { Int64($0) } ?? -1 }
    }

    /// Whether a file has another length in the store than this content, as far as the store says.
    func isDoubtful(_ file: (path: StorePath, content: [UInt8])) -> Bool {
        sizes[file.path].map { $0 != file.content.count } ?? false
    }

    /// What the store has said of a file's length is not so once this content takes its place. Otherwise the broker
    /// would give the file out again and again.
    mutating func replaces(_ file: (path: StorePath, content: [UInt8])) {
        if sizes[file.path] != nil { sizes[file.path] = file.content.count }
    }

    /// Whether a device's files have another length than so many bytes, as far as the store says.
    func differs(_ bytes: Int64?, of device: WriterID) -> Bool {
        let paths = sound(of: device)
        let lengths = paths.compactMap { sizes[$0] }
        guard let bytes, lengths.count == paths.count else { return false }
        return Int64(lengths.reduce(0, +)) != bytes
    }
}
