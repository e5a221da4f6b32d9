import Authorization
import Cryptography
import JSON
import Platform

/// A renewal of all keys that is under way, or was interrupted. It tells which file will replace which
/// (docs/rotation.md). It is stored beside the vault, for example as `user-1000.vault.next.json`.
public struct Succession: JSONValue, Equatable {
    /// When the registry was asked to name the successor.
    public struct Offer: JSONValue, Equatable {
        /// The boot ID of the machine's start.
        public let boot: String
        /// Milliseconds of the boot clock.
        public let time: Int64

        public init(boot: String, time: Int64) {
            self.boot = boot
            self.time = time
        }

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var boot: String?
            var time: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: ["boot", "time"]) {
                if member == 0 { boot = try reader.read() } else { time = try reader.read() }
            }
            self.init(boot: try members.required(boot, "boot"), time: try members.required(time, "time"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("boot", boot)
            writer.member("time", time)
            writer.endObject()
        }

        /// Whether the registry may still be told. `now` is the present boot clock, in milliseconds.
        public func isOpen(at now: Int64) -> Bool {
            let (age, isOutOfRange) = now.subtractingReportingOverflow(time)
            return !isOutOfRange && (0..<VaultLimits.decisionTime).contains(age)
        }
    }

    /// The registry's record of the successor, once the registry has it.
    public let record: RegistryRecord
    /// The registry's record of the former vault.
    public let former: RegistryRecord
    public var offer: Offer?

    public init(record: RegistryRecord, former: RegistryRecord) {
        self.record = record
        self.former = former
    }

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        var former: RegistryRecord?
        var offer: Offer?
        var record: RegistryRecord?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["former", "offer", "record"]) {
            switch member {
            case 0: former = try reader.read()
            case 1: offer = try reader.read()
            default: record = try reader.read()
            }
        }
        self.record = try members.required(record, "record")
        self.former = try members.required(former, "former")
        self.offer = offer
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("former", former)
        writer.member("offer", offer)
        writer.member("record", record)
        writer.endObject()
    }

    /// The vaults that vouch for a note, each with a MAC of its own. Both are needed: the former vault is already gone
    /// when its objects are removed from the TPM.
    enum Voucher: String, CaseIterable { case former, successor }

    /// The note, if this vault has vouched for it. nil if there is no note, or if somebody else wrote it.
    ///
    /// - Parameter key: the integrity key of the vault that must have vouched.
    static func read(_ path: String, by voucher: Voucher, key: SecretBytes) throws(VaultError) -> Succession? {
        let bytes: [UInt8]
        do throws(SystemError) {
            guard let status = try FileStatus.of(path), status.isRegular, status.size <= VaultLimits.note else {
                return nil
            }
            bytes = try DurableFile.read(path, limit: VaultLimits.note)
        } catch { throw VaultError(.storage, "the vault's files cannot be used", cause: error) }
        guard let note = SuccessionNote(bytes) else { return nil }
        let isOurs = try cryptography { () throws(CryptographyError) in
            try HMACSHA256.isValid(note.mac(of: voucher), for: message(note.text, voucher), key: key)
        }
        guard isOurs else { return nil }
        // `try?`: an unreadable note counts as none, so the renewal starts again.
        return try? JSONReader.read(Succession.self, from: note.text)
    }

    /// - Parameters:
    ///   - former: the integrity key of the vault in use.
    ///   - successor: the integrity key of the vault that will replace it.
    func write(_ path: String, former: SecretBytes, successor: SecretBytes) throws(VaultError) {
        let text = JSONWriter.bytes(of: self)
        let macs = try cryptography { () throws(CryptographyError) in
            try HMACSHA256.code(for: Self.message(text, .former), key: former)
                + HMACSHA256.code(for: Self.message(text, .successor), key: successor)
        }
        do throws(SystemError) { try DurableFile.write(macs + text, to: path, mode: 0o600) } catch {
            throw VaultError(
                .storage, "the renewal of the keys cannot be noted: \(error.message)",
                advice: "check the disk and its permissions", cause: error)
        }
    }

    private static func message(_ text: [UInt8], _ voucher: Voucher) -> [UInt8] {
        LengthPrefixed.encode(Array("org.coffer.succession".utf8), Array(voucher.rawValue.utf8), text)
    }
}

/// The parts of a note's file: `mac of the former vault (32) ‖ mac of the successor (32) ‖ JSON`.
struct SuccessionNote {
    private let macs: [UInt8]
    let text: [UInt8]

    /// - Returns: nil if the bytes are too short for a note.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > 2 * HMACSHA256.count else { return nil }
        macs = Array(bytes[..<(2 * HMACSHA256.count)])
        text = Array(bytes[(2 * HMACSHA256.count)...])
    }

    func mac(of voucher: Succession.Voucher) -> [UInt8] {
        switch voucher {
        case .former: Array(macs[..<HMACSHA256.count])
        case .successor: Array(macs[HMACSHA256.count...])
        }
    }
}
