import Cryptography
import TestSupport
import Testing

@testable import TPM

struct ConditionTests {
    @Test func aFreshTPMIsDescribedInEightCommands() throws {
        let rig = try Rig()
        let condition = try rig.access.open().condition()
        #expect(rig.recorder.count == 8)
        #expect(Set(rig.recorder.names) == ["TPM2_GetCapability"])
        #expect(condition.description == (try rig.access.open().describe()))
        #expect(condition.description.manufacturer == "IBM")
        #expect(condition.revision >= 138)
        #expect(condition.firmware.count == 17)
        #expect(condition.passwords == TPMCondition.Passwords(owner: false, endorsement: false, lockout: false))
        #expect(!condition.lockout.isActive)
        #expect(condition.lockout.secondsLeft == 0)
        #expect(condition.lockout.allowedFailures > 0)
        #expect(condition.handles.persistent == [0x8100_0002])
        #expect(condition.handles.nvIndexes == [])
        #expect(condition.handles.transient == [])
        #expect(condition.handles.sessions == [])
        #expect(condition.handles.roomForTransient >= 3)
        #expect(condition.supportsPINIndexes)
        #expect(condition.supportsPolicyIndexes)
    }

    @Test(arguments: ["owner", "endorsement", "lockout"])
    func aPasswordIsSeen(hierarchy: String) throws {
        let rig = try Rig()
        try Tool.output("tpm2_changeauth", ["-T", rig.tpm.tools, "-c", hierarchy, "hunter2"])
        let passwords = try rig.access.open().condition().passwords
        #expect(passwords.owner == (hierarchy == "owner"))
        #expect(passwords.endorsement == (hierarchy == "endorsement"))
        #expect(passwords.lockout == (hierarchy == "lockout"))
    }

    @Test func theLockoutIsExplained() throws {
        let rig = try Rig()
        let tools = ["-T", rig.tpm.tools]
        try Tool.output("tpm2_dictionarylockout", tools + ["-s", "-n", "2", "-t", "600", "-l", "900"])
        let handle = "0x1800001"
        try Tool.output(
            "tpm2_nvdefine", tools + ["-Q", "-C", "o", "-s", "8", "-a", "authread|authwrite", "-p", "x", handle])
        for failures in 1...2 as ClosedRange<UInt32> {
            _ = try Tool.run("tpm2_nvwrite", tools + ["-C", handle, "-P", "wrong", "-i", "/etc/hostname", handle])
            let lockout = try rig.access.open().condition().lockout
            #expect(lockout.failures == failures)
            #expect(lockout.isActive == (failures == 2))
            #expect(lockout.secondsLeft == (failures == 2 ? 600 : 0))
            #expect(lockout.secondsOfRecovery == 900)
        }
    }

    @Test func whatIsInUseIsListed() throws {
        let boot = try BootRig()
        try Tool.output(
            "tpm2_nvdefine",
            ["-T", boot.rig.tpm.tools, "-Q", "-C", "o", "-s", "8", "-a", "ownerread|ownerwrite", "0x1800001"])
        let context = try boot.rig.access.open()
        let key = try context.storageKey(boot.rig.storageKey)
        let session = try context.startHMACSession(saltedTo: key)
        let verification = try context.loadVerificationKey(boot.rig.policy)
        let handles = try context.condition().handles
        #expect(handles.nvIndexes == [0x0180_0001, boot.index.handle.rawValue])
        #expect(handles.ownIndexes == [boot.index.handle])
        #expect(handles.sessions == [session.handle])
        #expect(handles.transient == [verification.handle])
    }
}
