import Authorization
import BrokerProtocol
import Circle
import Platform

/// Carries files between the broker and a store, once in each direction. It can neither read nor forge them. The broker
/// judges what comes, and the store is not trusted with anything.
///
/// Members come before others: what somebody puts beside their files displaces nothing of theirs.
package struct CircleExchange<Broker: ExchangeBroker> {
    package typealias Failure = ExchangeError<Broker.Failure>

    private let circle: StatementName
    /// This vault's own device.
    private let own: WriterID
    /// What that device was before it renewed its keys. Their files are this vault's, too.
    private let succeeded: [WriterID]
    /// The devices that this vault knows in the circle, its own first.
    private let members: [WriterID]
    private let store: any Store
    private let broker: Broker
    private let limits: CourierLimits

    /// - Parameters:
    ///   - succeeded: what this vault's own device was before it renewed its keys.
    ///   - members: the devices that the vault knows. Others may have joined since.
    package init(
        of circle: StatementName, own: WriterID, succeeded: [WriterID] = [], members: [WriterID], store: any Store,
        broker: Broker, limits: CourierLimits = CourierLimits()
    ) {
        self.circle = circle
        self.own = own
        self.succeeded = succeeded.filter { $0 != own }
        let first = [own] + self.succeeded
        self.members = first + members.filter { !first.contains($0) }.sorted()
        self.store = store
        self.broker = broker
        self.limits = limits
    }

    /// Takes in what others gave out, and then gives out what was changed here.
    package func run() throws(Failure) -> ExchangeOutcome {
        var outcome = ExchangeOutcome()
        do throws(Failure) { try exchange(&outcome) } catch {
            // The store may have got a newer head of this vault meanwhile, for example from before a restore.
            guard case .broker(let failure) = error, broker.mustTakeFirst(failure) else { throw error }
            try exchange(&outcome)
        }
        return outcome
    }

    private func exchange(_ outcome: inout ExchangeOutcome) throws(Failure) {
        var listing = try list(&outcome)
        let held = try takeIn(&listing, &outcome)
        try giveOut(&listing, &outcome)
        try putBack(held, &listing, &outcome)
    }
}

extension CircleExchange {
    /// Lists the store. A member's place that cannot be listed is an error; another's is left out.
    private func list(_ outcome: inout ExchangeOutcome) throws(Failure) -> StoreListing {
        var listing = StoreListing()
        let present = try fromStore { () throws(StoreError) in try store.heads(of: circle) }
        let known = Set(members)
        let devices = members + present.filter { !known.contains($0) }
        listing.headed = Set(present)
        var (room, all) = (MessageRoom.heads, MessageRoom.allHeads)
        for device in devices where present.contains(device) {
            let path = StorePath.head(circle: circle, device: device)
            guard let bytes = try read(path, &listing, &outcome) else {
                listing.headed.remove(device)
                continue
            }
            let content = Base64.encode(bytes)
            let size = MessageRoom.size(of: content)
            (room, all) = (room - size, all - size)
            // Those of others cost no more than one call.
            guard room >= 0 || known.contains(device) else { break }
            guard all >= 0 else { throw .store(StoreError(.tooMany, at: path.text)) }
            if room >= 0 { listing.heads.append((device, content)) } else { listing.furtherHeads.append(content) }
        }
        var left = limits.names
        for device in devices {
            let paths: [StorePath]
            let sizes: [StorePath: Int]
            do throws(StoreError) {
                paths = try store.segments(of: circle, device: device)
                sizes = try store.sizes(of: paths)
            } catch {
                guard !known.contains(device), [.strange, .tooMany].contains(error.code) else { throw .store(error) }
                outcome.note(strange: error.path)
                continue
            }
            left -= paths.count
            guard left >= 0 else {
                guard known.contains(device) else { break }
                throw .store(StoreError(.tooMany, at: Hex.encode(circle.bytes)))
            }
            if !paths.isEmpty { listing.segments.append((device, paths)) }
            // A store can say any length. More than a segment can have is too much in any case.
            for (path, size) in sizes { listing.sizes[path] = min(max(size, 0), CircleLimits.segment + 1) }
        }
        return listing
    }

    /// Reads a file of the circle. One that no member has written is left out, because it must not keep the others away.
    private func read(
        _ path: StorePath, _ listing: inout StoreListing, _ outcome: inout ExchangeOutcome
    ) throws(Failure) -> [UInt8]? {
        do throws(StoreError) { return try store.read(path) } catch {
            guard [.strange, .tooLarge].contains(error.code) else { throw .store(error) }
            outcome.note(strange: error.path)
            listing.damaged.insert(path)
            return nil
        }
    }

    private func fromStore<Value>(_ body: () throws(StoreError) -> Value) throws(Failure) -> Value {
        do throws(StoreError) { return try body() } catch { throw .store(error) }
    }

    private func fromBroker<Value>(_ body: () throws(Broker.Failure) -> Value) throws(Failure) -> Value {
        do throws(Broker.Failure) { return try body() } catch { throw .broker(error) }
    }
}

extension CircleExchange {
    /// Hands the broker what it lacks, the newest first: a head proves the newest records, and these prove the others.
    /// - Returns: what the vault had of other machines.
    private func takeIn(
        _ listing: inout StoreListing, _ outcome: inout ExchangeOutcome
    ) throws(Failure) -> [Sync.Held] {
        let heads = listing.heads.map(\.content)
        let room = MessageRoom.message - listing.headsSize
        var segments: [String] = []
        var paths: [StorePath] = []
        var left = room
        var held: [Sync.Held]?
        func hand(_ heads: [String]) throws(Failure) {
            let reply = try fromBroker { () throws(Broker.Failure) in
                try broker.take(Sync.Take(heads: heads, segments: segments))
            }
            outcome.add(reply)
            // What came with this exchange is not lost.
            held = held ?? reply.held ?? []
            outcome.taken += segments.count
            for place in reply.unfit ?? [] {
                guard let place = Int(exactly: place), paths.indices.contains(place) else {
                    throw .notUnderstood("it names a file that it was not given")
                }
                listing.damaged.insert(paths[place])
            }
            (segments, paths, left) = ([], [], room)
        }
        // The vault keeps those of the devices that it knows. Of a device that it learns of now, all comes the next time.
        for part in MessageRoom.parts(of: listing.furtherHeads, room: MessageRoom.message) { try hand(part) }
        var isHanded = false
        for path in try wanted(listing, heads).reversed() {
            // It can be gone: its writer may have replaced it by a longer one.
            guard let bytes = try read(path, &listing, &outcome) else { continue }
            let content = Base64.encode(bytes)
            let size = MessageRoom.size(of: content)
            if size > left || segments.count == MessageRoom.segments {
                try hand(heads)
                isHanded = true
            }
            segments.append(content)
            paths.append(path)
            left -= size
        }
        // Also with nothing: the broker looks then what was changed here.
        if !isHanded || !segments.isEmpty { try hand(heads) }
        return held ?? []
    }

    /// Which files of the listing the broker lacks. A long listing takes several calls.
    private func wanted(_ listing: StoreListing, _ heads: [String]) throws(Failure) -> [StorePath] {
        var wanted: [StorePath] = []
        for names in MessageRoom.parts(
            of: listing.segments.flatMap(\.paths).map(\.text), room: MessageRoom.message - listing.headsSize)
        {
            let reply = try fromBroker { () throws(Broker.Failure) in
                try broker.look(Sync.Look(heads: heads, names: names))
            }
            let asked = Set(names)
            for name in reply.wanted {
                guard asked.contains(name), let path = StorePath(name) else {
                    throw .notUnderstood("it wants a file that was not listed")
                }
                wanted.append(path)
            }
        }
        return wanted
    }

    /// Writes what the broker gives out. A head is written after the segments that it leads to.
    private func giveOut(_ listing: inout StoreListing, _ outcome: inout ExchangeOutcome) throws(Failure) {
        var heads = listing.heads
        // The broker gives out this vault's own files.
        var names = (succeeded + [own]).flatMap { listing.sound(of: $0).map(\.text) }
        var had = Set(names)
        var hasMore = true
        var written = 0
        var ended: [String] = []
        let all = Set(listing.segments.flatMap(\.paths))
        let listed = all.subtracting(listing.damaged)
        while hasMore {
            let size = names.reduce(0) { $0 + MessageRoom.size(of: $1) }
            guard size + heads.reduce(0, { $0 + MessageRoom.size(of: $1.content) }) <= MessageRoom.message else {
                throw .store(StoreError(.tooMany, at: "\(Hex.encode(circle.bytes))/\(Hex.encode(own.bytes))"))
            }
            let sizes = MessageRoom.hasRoom(for: names.count, beside: size) ? listing.sizes(of: names) : nil
            let reply = try fromBroker { () throws(Broker.Failure) in
                try broker.give(Sync.Give(heads: heads.map(\.content), names: names, sizes: sizes))
            }
            let files = try ordered(reply.files)
            var (isNew, isMistaken) = (false, false)
            for file in files {
                // A broker of an earlier version gives out again what was this vault's before it renewed its keys. If that
                // were written, the others would be told of news for ever.
                let isNews: Bool
                switch file.path {
                case .head(_, let device):
                    let content = Base64.encode(file.content)
                    isNews = !listing.heads.contains { $0 == (device, content) }
                    heads.removeAll { $0.device == device }
                    heads.append((device, content))
                default: isNews = !listed.contains(file.path)
                }
                var isLost = isNews
                if !isNews, listing.isDoubtful(file) {
                    isLost = try read(file.path, &listing, &outcome) != file.content
                    // Some servers say other lengths. What is right is never written again.
                    if !isLost { listing.sizes = [:] }
                    isMistaken = isMistaken || !isLost
                    isNew = true
                }
                if isLost {
                    listing.replaces(file)
                    written += try write(file, over: all, &outcome)
                }
                if case .segment = file.path {
                    if isLost { outcome.givenSegments += 1 }
                    guard had.insert(file.path.text).inserted else { continue }
                    names.append(file.path.text)
                    isNew = true
                }
            }
            guard !reply.more || isNew else { throw .notUnderstood("it gives out the same files again") }
            // Without these lengths, the broker says what else there is to do.
            (hasMore, ended) = (reply.more || isMistaken, reply.ended ?? [])
        }
        outcome.given += written
        if written > 0 { try ring() }
        try remove(ended, of: listing)
    }

    /// Writes a file that the store lacks or has damaged. A folder in its place must not keep the others away.
    /// - Returns: how many files were written.
    private func write(
        _ file: (path: StorePath, content: [UInt8]), over listed: Set<StorePath>, _ outcome: inout ExchangeOutcome
    ) throws(Failure) -> Int {
        do throws(StoreError) { try store.write(file.content, to: file.path) } catch {
            guard error.code == .strange, listed.contains(file.path) else { throw .store(error) }
            outcome.note(strange: error.path)
            return 0
        }
        return 1
    }

    /// Removes this vault's own files that others have taken the place of. It is no news for the other machines.
    private func remove(_ ended: [String], of listing: StoreListing) throws(Failure) {
        let own = Set(listing.paths(of: self.own))
        for name in ended.prefix(limits.putBack) {
            guard let path = StorePath(name), own.contains(path) else {
                throw .notUnderstood("it ends a file that is not its own")
            }
            do throws(StoreError) { try store.remove(path) } catch {
                // Who may only write has more files than needed. Nothing is lost.
                guard [.notPermitted, .readOnly, .refused].contains(error.code) else { throw .store(error) }
                return
            }
        }
    }

    /// Tells the others that there is something new.
    private func ring() throws(Failure) {
        try fromStore { () throws(StoreError) in try store.ring(circle) }
    }

    /// Writes what the store has lost of other machines, so that a new machine and those that were off find it.
    private func putBack(
        _ held: [Sync.Held], _ listing: inout StoreListing, _ outcome: inout ExchangeOutcome
    ) throws(Failure) {
        let before = outcome.putBack
        var doubted = 0
        for one in held {
            guard let device = WriterID(bytes: Hex.decode(one.device) ?? []), device != own else {
                throw .notUnderstood("it has files of no machine")
            }
            let all = Set(listing.paths(of: device))
            var names = listing.sound(of: device).map(\.text)
            var hasHead = listing.headed.contains(device)
            var hasMore =
                names.count < Int(clamping: one.segments) || !hasHead || listing.differs(one.bytes, of: device)
            // Who hides files from this machine is served a few at a time.
            while hasMore, outcome.putBack < before + limits.putBack {
                guard doubted < limits.putBack else { break }
                let size = names.reduce(0) { $0 + MessageRoom.size(of: $1) }
                let sizes = MessageRoom.hasRoom(for: names.count, beside: size) ? listing.sizes(of: names) : nil
                let reply = try fromBroker { () throws(Broker.Failure) in
                    try broker.putBack(Sync.PutBack(device: one.device, names: names, sizes: sizes, head: hasHead))
                }
                let had = Set(names)
                for file in try ordered(reply.files) {
                    switch file.path {
                    case .segment(_, device, _, _) where !had.contains(file.path.text):
                        listing.replaces(file)
                        names.append(file.path.text)
                    case .segment(_, device, _, _) where listing.isDoubtful(file):
                        listing.replaces(file)
                        doubted += 1
                        let present = try read(file.path, &listing, &outcome)
                        // Only its own machine replaces a file that has the form: it can be right and longer.
                        if let present, Self.isSegment(present, at: file.path) { continue }
                    case .head(_, device) where !hasHead: hasHead = true
                    default: throw .notUnderstood("it puts back what was not lost")
                    }
                    outcome.putBack += try write(file, over: all, &outcome)
                }
                hasMore = reply.more && !reply.files.isEmpty
            }
        }
        if outcome.putBack > before { try ring() }
    }

    /// Whether these bytes have the form of the segment that belongs into a place.
    private static func isSegment(_ bytes: [UInt8], at path: StorePath) -> Bool {
        // `try?`: bytes without the form are none, for each reason alike.
        guard let segment = try? KnownSegment(decoding: bytes) else { return false }
        return path
            == .segment(circle: segment.circle, device: segment.device, number: segment.number, run: segment.run)
    }

    /// The files with their places, the heads last.
    private func ordered(_ files: [Sync.File]) throws(Failure) -> [(path: StorePath, content: [UInt8])] {
        var segments: [(path: StorePath, content: [UInt8])] = []
        var heads: [(path: StorePath, content: [UInt8])] = []
        for file in files {
            guard let path = StorePath(file.path), let content = Base64.decode(file.content) else {
                throw .notUnderstood("it gives out a file that has no place in a store")
            }
            switch path {
            case .segment(circle, _, _, _): segments.append((path, content))
            case .head(circle, _): heads.append((path, content))
            default: throw .notUnderstood("it gives out a file of something else than this circle")
            }
        }
        return segments + heads
    }
}
