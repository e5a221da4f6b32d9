import Circle
import HTTP
import Synchronization

/// A store on a server. It remembers what it has listed, so that nothing new costs one request without a body.
///
/// Everybody who writes replaces the beacon. So a listing is read anew when that has changed, and from time to time, because
/// a writer may have ended before the beacon.
package final class RemoteStore: SharedStore {
    private struct State {
        var circle: StatementName?
        /// The beacon as it was before the listing.
        var beacon: (bytes: [UInt8], tag: String?)?
        var files: [StorePath: String?] = [:]
        /// The lengths of these, as far as the listing had them.
        var sizes: [StorePath: Int] = [:]
        /// What was read of the heads, with what their listing called them.
        var heads: [StorePath: (bytes: [UInt8], tag: String)] = [:]
        var listedAt: ContinuousClock.Instant?
        /// Whether the beacon was looked at since the last call of `refresh`.
        var isFresh = false
        /// Whether the heads were asked for since then.
        var wasUsed = false
    }

    package let name: String
    private let server: any RemoteServer
    private let limits: CourierLimits
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameters:
    ///   - access: what opens the place.
    ///   - patience: how long somebody waits for a server that is busy.
    package convenience init(
        _ place: RemotePlace, _ access: StoreAccess, patience: RemotePatience, limits: CourierLimits = CourierLimits(),
        time: HTTPLimits = HTTPLimits()
    ) {
        let server: any RemoteServer =
            switch place {
            case .bucket(let place): S3Server(place, access, patience: patience, limits: limits, time: time)
            case .folder(let address): WebDAVServer(address, access, patience: patience, limits: limits, time: time)
            }
        self.init(place.name, server, limits: limits)
    }

    init(
        _ name: String, _ server: any RemoteServer, limits: CourierLimits = CourierLimits(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.name, self.server, self.limits, self.now) = (name, server, limits, now)
    }

    /// What keeps every store on a server from being used here; nil if nothing does.
    package static func missingLibrary(for name: String) -> StoreError? {
        do throws(HTTPError) { _ = try HTTPClient() } catch {
            let failure = RemoteFailure(http: error)
            return StoreError(failure.code, at: name, remote: failure)
        }
        return nil
    }

    /// Whether the former keys have opened the place, because the present ones do not.
    package var usesFormer: Bool { server.usesFormer }

    package func circles() throws(StoreError) -> [StatementName] { try server.circles() }

    package func holds(_ circle: StatementName) throws(StoreError) -> Bool {
        try look(circle, isAnew: false)
        return state.withLock { $0.beacon != nil }
    }

    /// Nobody tells what a server gets.
    package func places(of circle: StatementName, devices: [WriterID]) throws(StoreError) -> [String] { [] }

    package func heads(of circle: StatementName) throws(StoreError) -> [WriterID] {
        // A second question is about what has come since the first one.
        try look(circle, isAnew: state.withLock { $0.wasUsed })
        let devices = state.withLock { state in
            state.wasUsed = true
            return state.files.keys.compactMap { path -> WriterID? in
                guard case .head(circle, let device) = path else { return nil }
                return device
            }
        }
        guard devices.count <= limits.devices else { throw StoreError(.tooMany, at: name) }
        return devices.sorted()
    }

    package func segments(of circle: StatementName, device: WriterID) throws(StoreError) -> [StorePath] {
        try look(circle, isAnew: false)
        return state.withLock { state in
            state.files.keys.compactMap { path -> (number: UInt64, run: RunID, path: StorePath)? in
                guard case .segment(circle, device, let number, let run) = path else { return nil }
                return (number, run, path)
            }.sorted { ($0.number, $0.run) < ($1.number, $1.run) }.map(\.path)
        }
    }

    package func sizes(of paths: [StorePath]) throws(StoreError) -> [StorePath: Int] {
        let known = state.withLock { $0.sizes }
        var sizes: [StorePath: Int] = [:]
        for path in paths { sizes[path] = known[path] }
        return sizes
    }

    package func knocks(of circle: StatementName) throws(StoreError) -> [StorePath] {
        try look(circle, isAnew: false)
        return state.withLock { state in
            state.files.keys.filter { path in if case .knock(circle, _, _) = path { true } else { false } }
        }
    }

    package func read(_ path: StorePath) throws(StoreError) -> [UInt8]? {
        let known = state.withLock { state -> [UInt8]? in
            guard let kept = state.heads[path], let tag = state.files[path], tag == kept.tag else { return nil }
            return kept.bytes
        }
        if let known { return known }
        let content: RemoteContent
        do throws(StoreError) { content = try server.read(path, unless: nil) } catch {
            // The listing came, so it is this file alone. Somebody may have put it there to keep the others away.
            let code: StoreError.Code? =
                switch error.code {
                case .moved: .strange
                case .notUnderstood where error.remote?.http?.code == .tooLarge: .tooLarge
                default: nil
                }
            guard let code else { throw error }
            throw StoreError(code, at: "\(name)/\(path.text)")
        }
        guard case .bytes(let bytes, let tag) = content else { return nil }
        if case .head = path, let tag {
            state.withLock { state in
                // One that was replaced since the listing is read again at the next one.
                if state.files[path] == tag { state.heads[path] = (bytes, tag) }
            }
        }
        return bytes
    }

    package func write(_ bytes: [UInt8], to path: StorePath) throws(StoreError) {
        guard bytes.count <= path.limit else { throw StoreError(.tooLarge, at: "\(name)/\(path.text)") }
        do throws(StoreError) { try server.write(bytes, to: path) } catch {
            throw error.code == .notPermitted ? error.with(.readOnly) : error
        }
        forget(path)
    }

    package func remove(_ path: StorePath) throws(StoreError) {
        try server.remove(path)
        forget(path)
    }

    package func refresh() throws(StoreError) -> StoreError? {
        state.withLock { ($0.isFresh, $0.wasUsed) = (false, false) }
        return nil
    }

    package func publish() throws(StoreError) {}

    package var isUnpublished: Bool { false }

    /// Writes, reads and removes something that is none of a circle's.
    package func probe() throws(StoreError) -> [RemoteProperty] {
        do throws(StoreError) { return try server.probe() } catch {
            throw error.code == .notPermitted ? error.with(.readOnly) : error
        }
    }
}

extension RemoteStore {
    /// What was listed is no longer all that there is.
    private func forget(_ path: StorePath) {
        state.withLock { state in
            (state.heads[path], state.sizes[path], state.listedAt) = (nil, nil, nil)
        }
    }

    /// Looks at the beacon, and lists the circle if that has changed.
    private func look(_ circle: StatementName, isAnew: Bool) throws(StoreError) {
        let known = state.withLock { state -> State in
            if state.circle != circle { state = State(circle: circle) }
            return state
        }
        guard isAnew || !known.isFresh else { return }
        let listedAt = now()
        // Before the listing: what comes in the midst of it is noticed the next time.
        let content = try server.read(.beacon(circle: circle), unless: known.beacon?.tag)
        let beacon: (bytes: [UInt8], tag: String?)? =
            switch content {
            case .missing: nil
            case .unchanged: known.beacon
            case .bytes(let bytes, let tag): (bytes, tag)
            }
        let isOld = known.listedAt.map { $0 + RemoteLimits.listing <= listedAt } ?? true
        if !isAnew, !isOld, let beacon, beacon.bytes == known.beacon?.bytes {
            return state.withLock { ($0.isFresh, $0.beacon) = (true, beacon) }
        }
        let files = try server.files(of: circle)
        guard files.count <= limits.names else { throw StoreError(.tooMany, at: name) }
        state.withLock { state in
            state.files = Dictionary(files.map { ($0.path, $0.tag) }) { first, _ in first }
            state.sizes = [:]
            for file in files { if let size = file.size { state.sizes[file.path] = size } }
            state.heads = state.heads.filter { state.files[$0.key] == $0.value.tag }
            (state.beacon, state.listedAt, state.isFresh) = (beacon, listedAt, true)
        }
    }
}
