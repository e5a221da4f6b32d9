import Authorization
import Circle
import Cryptography

/// Seals what a circle's paper needs to begin with (docs/sync-format.md, “Paper”).
enum PaperSealing {
    /// - Parameters:
    ///   - paper: its public keys.
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

    /// - Returns: nil for what is not for this paper, or was not made by Coffer.
    static func open(
        _ envelope: PaperEnvelope, with keys: PaperKeys, in circle: StatementName
    ) throws(VaultError) -> PaperContent? {
        let (device, receiving) = (keys.member.device, keys.receiving[2])
        guard envelope.device == device else { return nil }
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

    /// The generations whose keys this device has to send to the paper: nobody who may write has sent them, and the paper
    /// is no receiver. Their maker sends them, or else the first of those that may write.
    var owedToPaper: [KeyGeneration] {
        guard let paper else { return [] }
        let writers = membership.members.filter(\.role.mayWrite).map(\.keys.device)
        let sent = Set(
            envelopes.filter { $0.envelope.device == paper.device && writers.contains($0.by) }
                .flatMap(\.envelope.generations))
        return openGenerations.filter { generation in
            let sender = writers.contains(generation.maker) ? generation.maker : writers.first
            return sender == device.id && !sent.contains(generation.name)
                && !generation.receivers.contains { $0.device == paper.device }
        }
    }

    /// When the paper was made, by the clock of who made it.
    var paperMade: UInt64? {
        guard let paper else { return nil }
        return envelopes.filter { $0.envelope.device == paper.device }.map(\.envelope.time).min()
    }
}
