import Authorization
import Cryptography
import Foundation
import Item
import JSON
import Recovery
import TestSupport

@testable import Vault

/// A vault as an earlier Coffer has made it, from Tests/Vaults, in a folder of its own.
struct EarlierVault {
    let record: RegistryRecord
    let recoveryCode: RecoveryCode
    /// The file as it was.
    let file: Data
    let folder: TemporaryFolder
    private let authenticator: P256.PrivateKey
    private let sealer: SoftwareSealer

    /// - Parameter format: of the file, 1 or 2.
    init(format: Int) throws { try self.init(reading: "Tests/Vaults/format-\(format).json") }

    /// - Parameter path: from the root of the sources.
    init(reading path: String) throws {
        let stored = try JSONReader.read(Stored.self, from: Array(SourceTree.text(path).utf8))
        record = stored.record
        file = stored.file
        recoveryCode = try RecoveryCode(reading: secret(stored.recoveryCode))
        authenticator = try P256.PrivateKey(rawRepresentation: SecretBytes(copying: Array(stored.authenticatorKey)))
        folder = try TemporaryFolder()
        sealer = SoftwareSealer(directory: folder.path)
        let key = folder.path + "/" + SoftwareSealer.keyFile
        try stored.machineKey.write(to: URL(fileURLWithPath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        try restore()
    }

    var path: String { VaultFile.path(of: record.owner, in: folder.path) }

    /// A minute after the file was written last, in milliseconds since 1970-01-01 UTC.
    var now: UInt64 { record.created + 60_000 }

    /// Puts the file of that time back.
    ///
    /// - Parameter log: what SQLite has left beside it.
    func restore(log: Data? = nil) throws {
        try file.write(to: URL(fileURLWithPath: path))
        // There may be none.
        try? FileManager.default.removeItem(atPath: path + "-wal")
        if let log { try log.write(to: URL(fileURLWithPath: path + "-wal")) }
    }

    func open() throws -> OpenVault {
        let now = now
        return try OpenVault(directory: folder.path, record: record, sealer: sealer, now: { now })
    }

    /// The same vault for tests that do more with it.
    func fixture() throws -> VaultFixture { try VaultFixture(of: record, in: folder, sealer, authenticator, at: now) }

    func keys() throws -> VaultKeys {
        let objects = try VaultDatabase(path: path).read { (rows) throws(VaultError) in try rows.objects() }
        return try VaultKeys(deviceRoot: sealer.openDeviceRoot(objects, record: record), vault: record.vault)
    }

    func unlock(_ vault: OpenVault) throws -> ClassKeys {
        let root = try sealer.open(.unlockRoot, vault.objects, record: record) { (request) throws(SigningRefusal) in
            try sign(request)
        }
        return try vault.classKeys(unlockRoot: root)
    }

    /// A value, with a person's consent if it needs one.
    ///
    /// - Parameters:
    ///   - version: of a former value; nil for the present one.
    ///   - way: which of several ways of reading.
    func value(
        _ vault: OpenVault, _ service: String, _ account: String, _ field: FieldName? = nil,
        kind: ItemKind = .genericPassword, version: UInt64? = nil, way: Int = 0
    ) throws -> String {
        let keys = try unlock(vault)
        let choice = field.map { FieldChoice.one($0) }
        return try vault.look(service: service, account: account, kind: kind, choice, version: version) { item in
            var agreements: Agreements = [:]
            for agreement in try item.plan().alternatives[way].agreements {
                agreements[agreement.point] = try sealer.agree(
                    agreement.role, point: agreement.point, vault.objects, record: record
                ) { (request) throws(SigningRefusal) in try sign(request) }
            }
            let value = try item.value(classKeys: keys, agreements: agreements)
            return String(decoding: revealed(value), as: UTF8.self)
        }
    }

    private func sign(_ request: SigningRequest) throws(SigningRefusal) -> [UInt8] {
        do { return try authenticator.signature(for: request.message()) } catch { throw SigningRefusal("\(error)") }
    }

    /// What a file of Tests/Vaults has. The keys are those of a machine that never was.
    private struct Stored: JSONReadable {
        var record: RegistryRecord
        var machineKey: Data
        var authenticatorKey: Data
        var recoveryCode: String
        var file: Data

        init(from reader: inout JSONReader) throws(JSONFailure) {
            var record: RegistryRecord?
            var texts: [String: String] = [:]
            let names = ["authenticatorKey", "file", "machineKey", "record", "recoveryCode"]
            var members = try reader.members()
            while let member = try reader.next(&members, of: names) {
                if member == 3 { record = try reader.read() } else { texts[names[member]] = try reader.read() }
            }
            func data(_ name: String) -> Data { texts[name].flatMap { Data(base64Encoded: $0) } ?? Data() }
            self.record = try members.required(record, "record")
            (machineKey, authenticatorKey, file) = (data("machineKey"), data("authenticatorKey"), data("file"))
            recoveryCode = texts["recoveryCode"] ?? ""
        }
    }
}
