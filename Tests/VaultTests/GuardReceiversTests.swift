import Authorization
import Circle
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
        #expect(vaultError { try opened.set(.make("bank", "me", "1", presence)) } == .damaged)
        try opened.close()
    }
}
