import Foundation
import Glibc
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
            #expect(vaultError { try vault.note(read("lost"), .written) } == .storage)
        }
        try vault.note(read("b"), .written)
        let records = try vault.logPage().records
        #expect(records.map(\.event) == [.start, .read, .read] && records.map(\.sequence) == [1, 2, 3])
        #expect(records.last?.missed == 1 && records.last?.subject?.service == "b")
        #expect(try vault.verifyLog().problem == nil)
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
}
