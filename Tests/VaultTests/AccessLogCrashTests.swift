import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import Vault

/// The access log on a disk that fails, and after a crash before anything vouches for it.
struct AccessLogCrashTests {
    private let fixture: VaultFixture

    init() throws { fixture = try VaultFixture() }

    private var path: String { VaultFile.logPath(of: fixture.record.owner, in: fixture.folder.path) }

    private func read(_ name: String) -> AccessRecord {
        AccessRecord(
            .read, by: .init(uid: 1000, pid: 7, name: "program", isResolved: false, controlGroup: "/group"),
            of: .init(item: nil, service: name, account: "me", require: []))
    }

    /// Else an access that must be recorded would happen without a record.
    @Test("a record that the disk does not take is an error, and the next one counts it")
    func aDiskThatTakesNothing() throws {
        let vault = try fixture.open()
        try vault.note(read("a"), .written)
        try withoutWriting(path, flags: O_WRONLY | O_APPEND) {
            for _ in 0..<2 { #expect(vaultError { try vault.note(read("lost"), .written) } == .storage) }
        }
        try vault.note(read("b"), .written)
        let records = try vault.logPage().records
        #expect(records.map(\.event) == [.start, .read, .read] && records.map(\.sequence) == [1, 2, 3])
        #expect(records.last?.missed == 2 && records.last?.subject?.service == "b")
        #expect(try vault.verifyLog().problem == nil)
    }

    /// The vault must not vouch for a record that a power cut can take.
    @Test("a record that cannot be synced is an error, and the vault does not vouch for it")
    func aDiskThatDoesNotSync() throws {
        let vault = try fixture.open()
        try vault.note(read("a"), .synced)
        try withoutSyncing(path, flags: O_RDWR | O_APPEND) {
            // What is on the disk needs no other sync.
            try vault.log.sync()
            #expect(vault.log.headToAnchor() != nil)
        }
        try vault.note(read("b"), .written)
        try withoutSyncing(path, flags: O_RDWR | O_APPEND) {
            #expect(vaultError { try vault.log.sync() } == .storage)
            #expect(vault.log.headToAnchor() == nil)
            #expect(vaultError { try vault.anchorLog() } == .storage)
        }
        try vault.log.sync()
        #expect(vault.log.headToAnchor() != nil)
    }

    @Test("records that were lost before the log was taken away are counted in the new one")
    func lostAndTakenAway() throws {
        let vault = try fixture.open()
        try vault.note(read("a"), .written)
        try withoutWriting(path, flags: O_WRONLY | O_APPEND) {
            #expect(vaultError { try vault.note(read("lost"), .written) } == .storage)
        }
        try FileManager.default.removeItem(atPath: path)
        try vault.note(read("b"), .written)
        let records = try vault.logPage().records
        #expect(records.map(\.event) == [.broken, .read] && records.map(\.missed) == [nil, 1])
    }

    @Test("a record that the vault was to vouch for is an error if the vault cannot be written, or was changed")
    func aVaultThatVouchesForNothing() throws {
        let vault = try fixture.open()
        try vault.note(read("a"), .anchored)
        try withoutWriting(fixture.path) {
            #expect(vaultError { try vault.note(read("b"), .anchored) } == .storage)
        }
        try vault.note(read("c"), .anchored)
        #expect(try vault.verifyLog().problem == nil)
        try vault.database.write { (rows) throws(VaultError) in try rows.put(TreeNode.root, [1]) }
        #expect(vaultError { try vault.note(read("d"), .anchored) } == .damaged)
    }

    @Test("a log that cannot be begun says why")
    func aLogThatDoesNotBegin() throws {
        let vault = try fixture.open()
        try FileManager.default.createDirectory(atPath: path + ".writing/something", withIntermediateDirectories: true)
        let error = #expect(throws: VaultError.self) { try vault.note(read("a"), .written) }
        #expect(error?.code == .storage && error?.cause is SystemError)
    }

    @Test("a crash within the very first record leaves a log that begins with what was cut off")
    func theFirstRecordIsTorn() throws {
        let vault = try fixture.open()
        try vault.note(read("a"), .written)
        try vault.database.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try bytes.prefix(LogStart.count + 5).write(to: URL(fileURLWithPath: path))
        let again = try fixture.open()
        let records = try again.logPage().records
        #expect(records.map(\.event) == [.cut] && records.map(\.sequence) == [1])
        #expect(records.first?.detail == "5 bytes at the end could not be read")
        #expect(try again.verifyLog().problem == nil)
    }

    @Test("a full log that cannot be written anew stays as it is, and drops its older half once it can")
    func boundedLater() throws {
        let limit = 256 << 10
        let vault = try OpenVault(
            directory: fixture.folder.path, record: fixture.record, sealer: fixture.sealer,
            now: { 1_800_000_000_000 }, logLimit: limit)
        try vault.note(read("first"), .written)
        // A folder is where the new file would be written first.
        let obstacle = path + ".writing"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        #expect(vaultError { for number in 0..<1200 { try vault.note(read("\(number)"), .written) } } == .storage)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(before.count > limit - AccessLogLimits.record && before.count <= limit)
        #expect(vaultError { try vault.note(read("refused"), .written) } == .storage)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        try FileManager.default.removeItem(atPath: obstacle)
        try vault.note(read("last"), .synced)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < before.count)
        let verification = try vault.verifyLog()
        #expect(verification.problem == nil && verification.first ?? 0 > 1)
        let last = try vault.logPage(after: (verification.last ?? 0) - 2).records
        #expect(last.map(\.event) == [.dropped, .read])
        // One ended the loop above, and one was refused.
        #expect(last.last?.subject?.service == "last" && last.last?.missed == 2)
    }
}
