import Authorization
import Cryptography
import Synchronization
import TPM

/// The header as this run last saw or wrote it. It never moves back while the vault is open.
final class SeenHeader: Sendable {
    private let keys: VaultKeys
    private let seen: Mutex<AuthenticatedHeader>

    /// - Parameter header: checked.
    init(_ header: AuthenticatedHeader, keys: VaultKeys) {
        self.keys = keys
        seen = Mutex(header)
    }

    var header: Header { seen.withLock { $0.header } }

    /// Refuses a file that somebody else has changed. Only this process writes it, so the header that it wrote last must be
    /// there still.
    ///
    /// - Parameter isKept: whether anything that was verified against the header of this revision is kept.
    /// - Throws: `.damaged`, `.storage`.
    func requireUnchanged(_ rows: Rows, if isKept: (_ revision: UInt64) -> Bool) throws(VaultError) {
        let last = seen.withLock { $0 }
        guard isKept(last.header.revision) else { return }
        let found = try rows.header()
        guard found.content == last.content, found.mac == last.mac else {
            throw .damaged("it was changed while it was open")
        }
    }

    /// The file's header, checked again if it changed.
    ///
    /// - Throws: `.damaged`, `.storage`.
    func current(_ rows: Rows, _ record: @autoclosure () -> RegistryRecord) throws(VaultError) -> Header {
        let found = try rows.header()
        let last = seen.withLock { $0 }
        if found.content == last.content, found.mac == last.mac { return last.header }
        let header = try Self.check(found, keys: keys, record: record())
        guard header.revision > last.header.revision, header.epoch >= last.header.epoch,
            header.keybagDigest == last.header.keybagDigest, header.objectsDigest == last.header.objectsDigest
        else { throw .damaged("it went back to an earlier state while it was open") }
        note(AuthenticatedHeader(content: found.content, mac: found.mac, header: header))
        return header
    }

    /// This run has written or checked a header.
    func note(_ header: AuthenticatedHeader) {
        seen.withLock { seen in
            if seen.header.revision < header.header.revision { seen = header }
        }
    }

    /// The header, if it is this vault's own.
    static func check(
        _ found: (content: [UInt8], mac: [UInt8]), keys: VaultKeys, record: RegistryRecord
    ) throws(VaultError) -> Header {
        let isOurs = try cryptography { () throws(CryptographyError) in
            try HMACSHA256.isValid(found.mac, for: Header.macMessage(found.content), key: keys.integrity)
        }
        guard isOurs else { throw .damaged("its header is foreign or changed") }
        // The format is checked only after the MAC, so that a changed byte does not pass for a newer format.
        try Header.check(Header.format(of: found.content))
        let header = try Header(decoding: found.content)
        guard header.vault == record.vault, header.owner == record.owner, header.sealer == record.sealer,
            header.created == record.created
        else {
            throw VaultError(
                .damaged, "the vault is damaged: its file is not the one in the registry",
                advice: RecoveryAdvice.newestCopy)
        }
        return header
    }
}
