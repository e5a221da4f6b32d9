import Foundation
import TestSupport
import Testing

@testable import TPM

/// One answer of a TPM holds 254 handles. A program, or many vaults, may have made more.
struct CapabilityTests {
    @Test("what does not fit into one answer is asked for, so a taken handle is never taken for a free one")
    func moreThanOneAnswer() throws {
        let rig = try Rig()
        let first = NVHandle.range.lowerBound
        let count: UInt32 = 300
        // One shell, because each of these programs is short.
        let script = """
            for ((i = 0; i < \(count); i++)); do
                tpm2_nvdefine -Q -T "$1" -C o -s 8 "$(printf 0x%x $((\(first) + i)))" || exit 1
            done
            """
        try Tool.output("bash", ["-c", script, "define", rig.tpm.tools])
        // The simulator serves one connection at a time.
        do {
            let context = try rig.access.open()
            let condition = try context.condition()
            #expect(condition.handles.ownIndexes.map(\.rawValue) == Array(first..<first + count))
            #expect(condition.nvRoom.defined == count)
            #expect(try context.freeNVHandle().rawValue == first + count)
            let generation = try context.defineGeneration(under: context.storageKey(rig.storageKey))
            #expect(generation.handle.rawValue == first + count)
            // What is asked for ends with the handle of interest.
            let some = try Capability.handles(from: first, through: first + 259, context.engine.channel)
            #expect(some == Array(first...first + 259))
        }
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test("a reserved handle is not taken, though the TPM has nothing there")
    func reserved() throws {
        let rig = try Rig()
        let first = NVHandle.range.lowerBound
        let access = TPMAccess.patient(rig.tpm.configuration, reserved: { [first, first + 2] })
        for expected in [first + 1, first + 3] {
            let context = try access.open()
            let generation = try context.defineGeneration(under: context.storageKey(rig.storageKey))
            #expect(generation.handle.rawValue == expected)
        }
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test("the TPM's own words about its room are read")
    func room() throws {
        let silent = NVRoom(fixed: [:], variable: [:])
        #expect(silent.left == nil)
        #expect(NVRoom(fixed: [0x116: 0], variable: [0x20A: 5, 0x20B: 7]).left == 7)
        #expect(NVRoom(fixed: [0x116: 8], variable: [0x20A: 5, 0x20B: 7]).left == 3)
        #expect(NVRoom(fixed: [0x116: 8], variable: [0x20A: 9, 0x20B: 7]).left == 0)
        let rig = try Rig()
        let room = try rig.access.open().nvRoom()
        // The simulator ends with the rig.
        #expect(try rig.tpm.leftovers() == [])
        #expect(room.defined != nil && room.left.map { $0 > 0 } == true, "\(room)")
    }
}
