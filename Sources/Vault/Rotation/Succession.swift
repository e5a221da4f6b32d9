import Authorization
import Cryptography
import FoundationEssentials
import Platform

/// A renewal of all keys that is under way, or was when the power went: which file is to take whose place (docs/rotation.md). Beside the vault, as
/// `user-1000.vault.next.json`.
public struct Succession: Codable, Sendable, Equatable {
    /// When the registry was asked to name the successor.
    public struct Offer: Codable, Sendable, Equatable {
        /// Which start of the machine.
        public let boot: String
        /// Milliseconds of the boot clock.
        public let time: Int64

        public init(boot: String, time: Int64) {
            self.boot = boot
            self.time = time
        }
    }

    /// For how long after an offer the registry may name the successor though the broker has ended, in milliseconds: longer than an authenticator tries.
    public static let decisionTime: Int64 = 20_000

    /// Root's word on the successor, once it has it.
    public let record: RegistryRecord
    /// Root's word on the vault that it is made from.
    public let former: RegistryRecord
    public var offer: Offer?

    public init(record: RegistryRecord, former: RegistryRecord) {
        self.record = record
        self.former = former
    }

    private static let longest = 3 * Registry.longestRecord

    /// What was written last, by whomever; nil where nothing was.
    ///
    /// - Parameter key: of the vault that it is made from: then only what that vault has vouched for.
    static func read(_ path: String, key: SecretBytes?) throws(VaultError) -> Succession? {
        let bytes: [UInt8]
        do throws(SystemError) {
            guard let status = try FileStatus.of(path), status.isRegular else { return nil }
            bytes = try DurableFile.read(path, limit: longest)
        } catch { throw VaultError(.storage, "the vault's files cannot be used", cause: error) }
        guard bytes.count > HMACSHA256.count else { return nil }
        let text = Array(bytes[HMACSHA256.count...])
        if let key {
            let isOurs = try cryptography { () throws(CryptographyError) in
                try HMACSHA256.isValid(Array(bytes[..<HMACSHA256.count]), for: message(text), key: key)
            }
            guard isOurs else { return nil }
        }
        // What cannot be read is as good as none: the renewal begins anew.
        return try? JSONDecoder().decode(Succession.self, from: Data(text))
    }

    func write(_ path: String, key: SecretBytes) throws(VaultError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let text: [UInt8]
        do { text = Array(try encoder.encode(self)) } catch {
            throw VaultError(.storage, "the renewal of the keys cannot be noted", cause: error)
        }
        let mac = try cryptography { () throws(CryptographyError) in
            try HMACSHA256.code(for: Self.message(text), key: key)
        }
        do throws(SystemError) { try DurableFile.write(mac + text, to: path, mode: 0o600) } catch {
            throw VaultError(.storage, "the renewal of the keys cannot be noted", cause: error)
        }
    }

    private static func message(_ text: [UInt8]) -> [UInt8] {
        LengthPrefixed.encode(Array("org.coffer.succession".utf8), text)
    }
}
