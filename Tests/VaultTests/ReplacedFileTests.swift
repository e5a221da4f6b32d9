import Authorization
import Foundation
import Platform
import TestSupport
import Testing

@testable import Vault

/// Somebody removes a vault's file while it is open, or puts something else in its place: root with a backup, or
/// attacker 5. Nobody would find what is stored then. So it is refused, and reading goes on.
struct ReplacedFileTests {
    enum Way: CaseIterable { case copy, nothing, link, folder }

    private let fixture: VaultFixture
    private let vault: OpenVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
        try vault.set(.make("s", "a", "one"))
    }

    private var path: String { fixture.path }
    private var former: String { path + ".former" }

    private func replace(_ way: Way) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.moveItem(atPath: path, toPath: former)
        switch way {
        case .copy: try bytes.write(to: URL(fileURLWithPath: path))
        case .nothing: break
        case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: former)
        case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
    }

    private func putBack(_ way: Way) throws {
        if way != .nothing { try FileManager.default.removeItem(atPath: path) }
        try FileManager.default.moveItem(atPath: former, toPath: path)
    }

    @Test(arguments: Way.allCases) func nothingIsStoredAndEverythingIsRead(way: Way) throws {
        let item = try vault.find(service: "s", account: "a")
        try replace(way)
        let error = #expect(throws: VaultError.self) { _ = try vault.set(.make("s", "b", "two")) }
        #expect(error?.code == .replaced && error?.reason.contains(path) == true, "\(String(describing: error))")
        #expect(error?.reason.contains(way == .nothing ? "was removed" : "was replaced") == true)
        #expect(error?.advice.contains("coffer export") == true)
        #expect(vaultError { try vault.delete(item) } == .replaced)
        #expect(vaultError { _ = try vault.edit(item, changes: MetadataChanges(label: "l")) } == .replaced)
        #expect(vaultError { try vault.checkFile() } == .replaced)
        #expect(vaultError { _ = try vault.verify() } == .replaced)
        #expect(try fixture.value(vault, "s", "a") == Array("one".utf8))
        #expect(try vault.list().map(\.metadata.account) == ["a"])
        // With the former file in its place, nothing is lost.
        try putBack(way)
        try vault.set(.make("s", "b", "two"))
        #expect(try vault.verify().items == 2)
        try vault.close()
        #expect(try fixture.value(fixture.open(), "s", "b") == Array("two".utf8))
    }

    /// Such a read would not be, if its record could not be written.
    @Test func aReadThatMustBeRecordedGoesOn() throws {
        try replace(.nothing)
        try vault.note(AccessRecord(.read), .anchored)
        #expect(!vault.isLogAnchored)
        #expect(try vault.logPage().records.last?.event == .read)
        try putBack(.nothing)
        try vault.anchorLog()
        #expect(vault.isLogAnchored)
        #expect(try vault.verifyLog().problem == nil)
    }

    /// The registry would name a vault that nobody has.
    @Test func aSuccessorThatWasRemovedIsNotFilled() throws {
        let successor = try fixture.successor(of: vault)
        let item = RenewedItem.plain(
            try vault.find(service: "s", account: "a"), [FieldValue(.secret, try secret("one"))])
        let place = VaultFile.successorPath(of: fixture.record.owner, in: fixture.folder.path)
        try FileManager.default.removeItem(atPath: place)
        #expect(vaultError { try successor.checkFile() } == .replaced)
        #expect(vaultError { try successor.takeUp([item]) } == .replaced)
        #expect(vaultError { try successor.complete(from: vault, recording: AccessRecord(.rotate)) } == .replaced)
        // The vault itself is another file.
        try vault.set(.make("s", "b", "two"))
    }

    /// The log of a change that fails can be as long as the room that the disk had. Reads need some of it, too.
    @Test func aChangeThatFailsGivesItsRoomBack() throws {
        var longest: Int64 = 0
        let refused = vaultError {
            try vault.database.write { (rows) throws(VaultError) -> Void in
                // More than SQLite keeps in memory, so that a part of it is written before the change ends.
                for number in 0..<8 {
                    try rows.put(sealedValue: [UInt8](repeating: 7, count: 1 << 20), under: [UInt8(number)])
                }
                // `try?`: a log that cannot be looked at has no length.
                longest = (try? FileStatus.of(path + "-wal"))?.size ?? 0
                throw VaultError(.storage, "the disk is full, so nothing was changed")
            }
        }
        #expect(refused == .storage && longest > 1 << 20)
        #expect(try FileStatus.of(path + "-wal")?.size == 0)
        try vault.set(.make("s", "b", "two"))
        #expect(try vault.verify().items == 2)
    }
}
