import Circle

/// Where the files of circles lie (docs/sync-format.md, “The store”). Nobody trusts it: what it gives is judged by the
/// broker, and what it costs is bounded.
///
/// Nothing depends on the order in which changes arrive, or on a file that was seen a moment ago.
package protocol Store: Sendable {
    /// The devices that have a head, in order.
    func heads(of circle: StatementName) throws(StoreError) -> [WriterID]

    /// A device's segments, by number and then by run.
    func segments(of circle: StatementName, device: WriterID) throws(StoreError) -> [StorePath]

    /// The lengths of listed segments in bytes, as far as the store says them without a request for each. What is no file has
    /// the length 0. Nobody relies on them: they only say which file is worth a look.
    func sizes(of paths: [StorePath]) throws(StoreError) -> [StorePath: Int]

    /// - Returns: nil if there is no such file.
    func read(_ path: StorePath) throws(StoreError) -> [UInt8]?

    /// Makes or replaces a file. It is there whole or not at all, also after a power cut.
    func write(_ bytes: [UInt8], to path: StorePath) throws(StoreError)

    /// A missing file is no error.
    func remove(_ path: StorePath) throws(StoreError)
}

extension Store {
    package func sizes(of paths: [StorePath]) throws(StoreError) -> [StorePath: Int] { [:] }

    /// Tells the others that there is something new.
    package func ring(_ circle: StatementName) throws(StoreError) {
        let beacon = (0..<CourierLimits.written).map { _ in UInt8.random(in: .min ... .max) }
        try write(beacon, to: .beacon(circle: circle))
    }
}

/// A store that people name by a folder.
package protocol SharedStore: Store {
    /// The circles that have a folder here, in order.
    func circles() throws(StoreError) -> [StatementName]

    /// What invited machines have written, in no order.
    func knocks(of circle: StatementName) throws(StoreError) -> [StorePath]

    /// Whether the circle is here.
    func holds(_ circle: StatementName) throws(StoreError) -> Bool

    /// The folders in which something new of these devices appears. There may be none that can be watched.
    func places(of circle: StatementName, devices: [WriterID]) throws(StoreError) -> [String]

    /// Fetches what others have given out, if that lies elsewhere. What cannot be reached keeps nobody from using what is here.
    /// - Returns: why nothing could be fetched; nil if it was.
    func refresh() throws(StoreError) -> StoreError?

    /// Whether something that was handed on before is not with the others yet. Nobody is asked for it.
    var isUnpublished: Bool { get }

    /// Hands on what was written, if others do not see it yet. What fails is kept, and is tried again the next time.
    func publish() throws(StoreError)
}

extension SharedStore {
    package func holds(_ circle: StatementName) throws(StoreError) -> Bool { try circles().contains(circle) }
}
