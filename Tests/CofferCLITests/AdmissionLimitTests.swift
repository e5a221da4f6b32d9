import Circle
import Foundation
import Platform
import TestSupport
import Testing

@testable import coffer_cli

/// Attacker 10, who keeps the store, puts many files where invited machines knock.
@Suite struct AdmissionLimitTests {
    /// An admin host looks at 1024 strange files in one go. What lies behind them has to wait.
    @Test(arguments: [1023, 1024]) func oneLookReadsSoManyStrangeFiles(count: Int) throws {
        var fixture = try SyncFixture(["State": [SyncFixture.shared]])
        defer { fixture.remove() }
        // The account of the vault must be there, and the folder its own.
        let own = try #require(try Account.withUID(geteuid())).name
        let circle = try #require(StatementName(bytes: Array(repeating: 0xAB, count: StatementName.count)))
        let key = try Invitation(to: circle).key
        let invitations = fixture.fake.scratch.file("invitations")
        try InvitationFolder(path: invitations).add(
            IssuedInvitation(
                circle: SyncFixture.circle, key: Self.hex(key.point), role: "reader", until: 4_102_444_800_000,
                count: 1, attested: false),
            as: String(repeating: "0", count: InvitationLimits.name))
        fixture.fake.program.environment["COFFER_INVITATIONS"] = invitations
        let name = try key.place
        let place = "\(SyncFixture.circle)/knocks/\(Self.hex(name.bytes))"
        // None of the invited machines has written them.
        for number in 0..<count {
            try fixture.put([UInt8](repeating: 0, count: 64), place + String(format: "%032x", number))
        }
        // The last one is no file, which is told when it is looked at.
        let last = "\(fixture.folder)/\(place)" + String(repeating: "f", count: 32)
        try FileManager.default.createDirectory(atPath: last, withIntermediateDirectories: false)
        let result = try fixture.fake.program.run("sync", "admit", "--once", "--user", own)
        #expect(result.status == 0, "\(result)")
        #expect(result.errors.contains("was not let in") == (count == 1023), "\(result)")
        #expect(fixture.fake.broker.calls("Add").isEmpty)
    }

    private static func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
}
