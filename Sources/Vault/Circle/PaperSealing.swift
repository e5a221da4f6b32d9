import Authorization
import Circle
import Cryptography

/// Seals what a circle's paper needs to begin with (docs/sync-format.md, “Paper”), and keys that a member lacks.
enum PaperSealing {
    /// - Parameters:
    ///   - paper: the public keys of the paper, or of another member.
    ///   - generations: it gets their keys. This vault must have all of them.
    ///   - room: about how many bytes one envelope seals. A larger part has one of its own.
    /// - Throws: `.locked` if a half of one is missing.
    static func envelopes(
        for paper: MemberKeys, _ statements: [SignedStatement], _ generations: [KeyGeneration], by view: CircleView,
        at time: UInt64, room: Int = 500_000
    ) throws(VaultError) -> [PaperEnvelope] {
        var envelopes: [PaperEnvelope] = []
        var (content, size) = (PaperContent(), 0)
        func close() throws(VaultError) {
            guard !content.isEmpty else { return }
            envelopes.append(try seal(content, for: paper, in: view.device.circle, at: time))
            (content, size) = (PaperContent(), 0)
        }
        for signed in statements {
            if size + signed.bytes.count > room { try close() }
            content.statements.append(signed)
            size += signed.bytes.count + 4
        }
        for generation in generations {
            guard let halves = view.halves[generation.name] else { continue }
            // A half of it alone opens nothing whole.
            _ = try halves.whole()
            if size + generation.bytes.count > room { try close() }
            content.generations.append((generation, try halves.sealed(to: paper, in: view.device.circle)))
            size += generation.bytes.count + KeyGeneration.Receiver.sealedCount
        }
        try close()
        return envelopes
    }

    static func seal(
        _ content: PaperContent, for paper: MemberKeys, in circle: StatementName, at time: UInt64
    ) throws(VaultError) -> PaperEnvelope {
        let names = content.generations.map(\.generation.name).sorted()
        let ephemeral = try cryptography { () throws(CryptographyError) in try X25519.PrivateKey.generate() }
        func envelope(_ sealed: [UInt8]) throws(VaultError) -> PaperEnvelope {
            do throws(CircleFormError) {
                return try PaperEnvelope(
                    for: paper.device, time: min(time, PartStamp.last), generations: names,
                    ephemeral: ephemeral.publicKey, sealed: sealed)
            } catch { throw .impossible(error) }
        }
        let (open, receiving) = (try envelope([]), paper.receiving[2])
        let info = info(circle, paper.device, receiving, ephemeral.publicKey)
        return try envelope(
            cryptography { () throws(CryptographyError) in
                try AESGCM.seal(
                    SecretBytes(copying: content.bytes), key: Agreement.key(ephemeral, receiving, info),
                    associatedData: circle.bytes + open.header)
            })
    }

    /// - Returns: nil for what is not for this device, for want of its key, and for what was not made by Coffer.
    static func open(
        _ envelope: PaperEnvelope, for device: WriterID, by keys: ReceivingKeys, in circle: StatementName
    ) throws(VaultError) -> PaperContent? {
        guard envelope.device == device, keys.keys.count == 3, let receiving = keys.keys[2] else { return nil }
        let plain: SecretBytes
        do throws(CryptographyError) {
            let info = info(circle, device, receiving.publicKey, envelope.ephemeral)
            plain = try AESGCM.open(
                envelope.sealed, key: Agreement.key(receiving, envelope.ephemeral, info),
                associatedData: circle.bytes + envelope.header)
        } catch {
            guard error.code == .authenticationFailed || error.code == .invalidKey else { throw VaultError(error) }
            return nil
        }
        do throws(CircleFormError) {
            return try PaperContent(decoding: plain.withBytes { bytes in bytes.indices.map { bytes[$0] } }, for: device)
        } catch { return nil }
    }

    private static func info(
        _ circle: StatementName, _ device: WriterID, _ receiving: [UInt8], _ ephemeral: [UInt8]
    ) -> [UInt8] {
        LengthPrefixed.encode(
            Array("org.coffer.circle.envelope".utf8), circle.bytes, device.bytes, receiving, ephemeral)
    }
}

extension CircleView {
    /// The circle's paper; nil if there is none.
    var paper: MemberKeys? { membership.members.first { $0.role == .paper }?.keys }

    /// Whether somebody has added a device as paper.
    func isPaper(_ device: WriterID) -> Bool {
        statements.values.contains { copies in
            guard case .addition(let keys, .paper, _)? = copies.first?.statement.content else { return false }
            return keys.device == device
        }
    }

    /// For each other member, the generations whose keys this device has to send to it: nobody who may write has sent them,
    /// and their maker did not know of that member. Their maker sends them, or else the first writer that has them for sure.
    var owed: [(member: MemberKeys, generations: [KeyGeneration])] {
        let writers = membership.members.filter(\.role.mayWrite)
        let ids = Set(writers.map(\.keys.device))
        // Otherwise a reader has the others send keys of its own to a thousand members.
        let own = openGenerations.filter(isByAWriter).map { generation in
            (generation: generation, receivers: Set(generation.receivers.map(\.device)))
        }.filter { generation, receivers in
            let sender =
                ids.contains(generation.maker)
                ? generation.maker
                : writers.first { receivers.contains($0.keys.device) || $0.given.contains(generation.name) }?.keys
                    .device
            return sender ?? device.id == device.id
        }
        var sent: [WriterID: Set<StatementName>] = [:]
        for (writer, envelope) in envelopes where ids.contains(writer) {
            sent[envelope.device, default: []].formUnion(envelope.generations)
        }
        var uses: [StatementName: [WriterID: UInt64]]?
        var room = Self.mostBytes
        var owed: [(member: MemberKeys, generations: [KeyGeneration])] = []
        for member in membership.members where member.keys.device != device.id && owed.count < Self.mostOwed {
            let id = member.keys.device
            // What a member had as it came, it says with its first head.
            guard member.role == .paper || streams[id].map({ $0.newest != nil && !$0.isSuspended }) ?? false else {
                continue
            }
            var left = own.filter { generation, receivers in
                let name = generation.name
                guard !receivers.contains(id), generation.maker != id, !(sent[id]?.contains(name) ?? false) else {
                    return false
                }
                guard member.role != .paper else { return true }
                guard !member.given.contains(name) else { return false }
                let known = uses ?? firstUses
                uses = known
                return isUnread(known[name] ?? [:], by: id)
            }
            if member.role != .paper {
                // Who leaves can have made thousands before, and written one record under each.
                var ofFormer: [WriterID: Int] = [:]
                for name in sent[id] ?? [] {
                    if let maker = generations[name]?.maker { ofFormer[maker, default: 0] += 1 }
                }
                left = left.filter { generation, _ in
                    guard !ids.contains(generation.maker) else { return true }
                    ofFormer[generation.maker, default: 0] += 1
                    return ofFormer[generation.maker, default: 0] <= Self.mostOfFormer
                }
                left = Array(
                    left.prefix { generation, _ in
                        room -= generation.bytes.count + KeyGeneration.Receiver.sealedCount
                        return room >= 0
                    })
            }
            if !left.isEmpty { owed.append((member.keys, left.map { $0.0 })) }
        }
        return owed
    }

    /// To how many members one exchange sends keys, and how many bytes. The rest comes with the next one.
    private static let (mostOwed, mostBytes) = (64, 1 << 20)
    /// How many generations of one former writer are sent to those that were not among their receivers.
    private static let mostOfFormer = 32

    /// For each generation, the number of each device's first record that is sealed to it.
    private var firstUses: [StatementName: [WriterID: UInt64]] {
        var uses: [StatementName: [WriterID: UInt64]] = [:]
        for (id, stream) in streams {
            for header in stream.counted.lazy.map(\.record.header) {
                guard let generation = header.generation else { continue }
                uses[generation, default: [:]][id] = min(uses[generation]?[id] ?? .max, header.number)
            }
        }
        return uses
    }

    /// Whether a member has said of none of these records that it has read it. It says so of whole streams.
    private func isUnread(_ records: [WriterID: UInt64], by member: WriterID) -> Bool {
        !records.isEmpty
            && !records.contains { id, number in
                id == member || named(by: member, of: id).contains { $0.number >= number }
            }
    }

    /// When the paper was made, by the clock of who made it.
    var paperMade: UInt64? {
        guard let paper else { return nil }
        return envelopes.filter { $0.envelope.device == paper.device }.map(\.envelope.time).min()
    }
}
