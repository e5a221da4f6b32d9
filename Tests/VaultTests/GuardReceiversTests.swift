import Authorization
import Circle
import Cryptography
import Item
import SQLite
import Testing

@testable import Vault

/// The slots that a guarded value gets for other machines as it is set: who gets them, and the room that they take.
struct GuardReceiversTests {
    private let group: CircleGroup
    private let presence: AccessControl
    private var desk: CircleMachine { group.machines[0] }

    init() throws {
        group = try CircleGroup("desk", "laptop")
        presence = try AccessControl(requirements: [.userPresence])
    }

    /// What asks nobody, what others cannot ask for, and what stays here has no slots for them.
    @Test func onlyWhatOthersCanAskForHasSlotsForThem() throws {
        let accesses: [AccessControl] = [
            presence, .whenUnlocked, .whenUnlocked.requiring(.applicationPassword), presence.thisDeviceOnly,
        ]
        let counts = try desk.vault.read { (snapshot) throws(VaultError) in
            try accesses.map { (access) throws(VaultError) in try snapshot.receivers(for: access)?.machines.count }
        }
        #expect(counts == [2, nil, nil, nil])
    }

    private func offered() throws -> [RevisionID] {
        try desk.vault.read { (snapshot) throws(VaultError) in try CircleMaterial(snapshot)?.offered ?? [] }
    }

    /// What others have written keeps nobody from storing a value. Slots that do not fit to the byte are left out, and
    /// the person can release the value later.
    @Test func slotsThatDoNotFitAreLeftOut() throws {
        try desk.set("first", "", "1", presence)
        let first = CircleRow.offered(try #require(offered().first))
        let (present, row) = try desk.vault.read { (snapshot) throws(VaultError) in
            (try snapshot.rows.circleBytes(), first.id.count + (try snapshot.circle(first)?.count ?? 0))
        }
        for (spare, count) in [(-1, 1), (0, 2)] {
            desk.fixture.room.withLock { $0.circle = present + Int64(row + spare) }
            try desk.reopen()
            try desk.set("next \(spare)", "", "1", presence)
            #expect(try offered().count == count, "\(spare)")
        }
    }

    /// Somebody who can write the file puts another machine's keys into the row, or takes the row away. A value that is
    /// set then must not be sealed for them.
    @Test(arguments: [false, true]) func aChangedRowGetsNoSlots(isGone: Bool) throws {
        let stranger = try CircleGroup("stranger").machines[0].view().device.keys
        let circle = try desk.view().device.circle
        try desk.vault.close()
        try desk.fixture.tamper { database in
            if isGone {
                try database.run("DELETE FROM circle WHERE id = ?", [.blob(CircleRow.receivers.id)])
            } else {
                try database.run(
                    "UPDATE circle SET content = ? WHERE id = ?",
                    [.blob(GuardReceivers(circle: circle, [stranger]).encoded), .blob(CircleRow.receivers.id)])
            }
        }
        let opened = try desk.fixture.open()
        // The row is checked by itself, because an open vault does not read all rows for each value.
        let code = vaultError {
            _ = try opened.read { (snapshot) throws(VaultError) in try snapshot.circle(.receivers) }
        }
        #expect(code == .damaged)
        #expect(vaultError { try opened.set(.make("bank", "me", "1", presence)) } == .damaged)
        try opened.close()
    }

    /// A machine with one broken key gets no slot at all. Its vault could use none of the others.
    @Test func aMachineWithOneBrokenKeyGetsNoSlot() throws {
        let keys = try group.machines[1].view().device.keys
        let start = 2 * P256.pointCount + 3 * X25519.count
        var bytes = keys.bytes
        bytes.replaceSubrange(
            start..<start + P256.pointCount, with: [4] + [UInt8](repeating: 7, count: P256.pointCount - 1))
        let broken = try MemberKeys(bytes: bytes)
        let either = try AccessControl(requirements: [.userPresence, .devicePasscode], anyIsEnough: true)
        let context = FieldContext(
            vault: desk.vault.format.vault, item: try .random(), field: .secret, access: either,
            seal: .third(try .random()), name: ItemName(service: "bank", account: "me"))
        let circle = try desk.view().device.circle
        let key = try SecretBytes.random(count: 32)
        #expect(try GuardReceivers(circle: circle, [keys]).slots(key, context).count == 2)
        #expect(try GuardReceivers(circle: circle, [broken]).slots(key, context).isEmpty)
    }

    /// A value is not stored without a word if its slots could not be kept: the tree does not fit at their row, or the
    /// device's row is unreadable.
    @Test func slotsThatCannotBeKeptAreAnError() throws {
        let revision = try #require(RevisionID(bytes: [UInt8](repeating: 1, count: RevisionID.count)))
        let slots = try [
            revision: [
                ValueSlot.device(desk.view().device.id, name: [UInt8](repeating: 1, count: 32), content: [2])
            ]
        ]
        func bucket(_ row: CircleRow) throws -> TreeNode {
            TreeNode(level: TreeNode.bucketLevel, above: try TreeEntry.key(circle: row.id))
        }
        let (place, own) = (try bucket(.offered(revision)), try bucket(.device))
        try #require(place != own)
        let junk = [UInt8](repeating: 1, count: TreeNode.entryCount)
        try desk.vault.database.write { (rows) throws(VaultError) in try rows.put(place, junk) }
        #expect(
            vaultError {
                try desk.vault.write { (change) throws(VaultError) in try change.offer(slots) }
            } == .damaged)
        let laptop = group.machines[1]
        #expect(
            vaultError {
                try laptop.vault.write { (change) throws(VaultError) in
                    try change.put(.device, [0])
                    try change.offer(slots)
                }
            } == .damaged)
        // Nothing of it is there.
        #expect(try laptop.view().membership.members.count == 2)
    }
}
