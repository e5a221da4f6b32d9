import Cryptography
import TestSupport
import Testing

@testable import TPM

struct MeasurementLogTests {
    private let selection = [0, 4, 7]

    private func log(_ events: [(register: UInt32, type: UInt32, digest: [UInt8])], locality: UInt8? = nil) -> [UInt8] {
        FirmwareLogMaker.log(events.map { .init($0.register, $0.type, $0.digest) }, locality: locality)
    }

    private func digest(_ text: String) throws -> [UInt8] { try SHA256.digest(Array(text.utf8)) }

    @Test func aLogGivesWhatTheTPMHolds() throws {
        let rig = try Rig()
        let events: [(register: UInt32, type: UInt32, digest: [UInt8])] = [
            (0, 8, try digest("firmware")), (7, 0x8000_0001, try digest("SecureBoot")),
            (4, 0x8000_0003, try digest("kernel 1")), (7, 4, try digest("separator")), (9, 13, try digest("initrd")),
        ]
        do {
            let context = try rig.access.open()
            for event in events { try context.extend(event.register, event.digest) }
        }
        let parsed = try MeasurementLog(parsing: log(events))
        let wanted = try PCRSelection(Set(selection))
        #expect(try parsed.values(wanted) == rig.access.open().measurements(wanted))
        #expect(try parsed.predicted(wanted) == rig.access.open().state(of: wanted))
    }

    @Test func whatWillBeMeasuredIsPredicted() throws {
        let boot = try BootRig()
        let (old, new) = (try digest("kernel 1"), try digest("kernel 2"))
        let parsed = try MeasurementLog(parsing: log([(7, 1, try digest("keys")), (4, 2, old), (4, 4, old)]))
        let predicted = try parsed.predicted(boot.selection, replacing: [old: new])
        try boot.approve(ApprovedBoots([predicted]))
        // The boot that was predicted.
        try boot.measure(7, digest("keys"))
        try boot.measure(4, new)
        try boot.measure(4, new)
        #expect(try boot.now() == predicted)
        #expect(try boot.open(ApprovedBoots([predicted])) == boot.secret)
        #expect(throws: TPMError(.damaged, "")) { try parsed.predicted(boot.selection, replacing: [new: old]) }
    }

    @Test func moreThanEightRegistersAreRead() throws {
        let rig = try Rig()
        let all = try PCRSelection(Set(0..<24))
        let values = try rig.access.open().measurements(all)
        #expect(values.count == 24)
        #expect(rig.recorder.names == ["TPM2_PCR_Read", "TPM2_PCR_Read", "TPM2_PCR_Read"])
        #expect(try MeasurementLog(parsing: log([])).values(all) == values)
    }

    @Test func theLocalityOfTheStartCounts() throws {
        let parsed = try MeasurementLog(parsing: log([], locality: 3))
        #expect(try parsed.values(PCRSelection([0, 1]))[0] == [UInt8](repeating: 0, count: 31) + [3])
        #expect(try parsed.values(PCRSelection([0, 1]))[1] == [UInt8](repeating: 0, count: 32))
        #expect(parsed.events.isEmpty)
    }

    @Test func aBankThatIsSwitchedOffIsSaid() throws {
        let rig = try Rig()
        let tap = try WireTap(
            rig.tpm,
            answer: { command, answer in
                // The TPM answers with an empty selection for a bank that it does not keep.
                guard isCommand(.readPCR, command) else { return }
                answer = [0x80, 0x01, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 11, 3, 0, 0, 0, 0, 0, 0, 0]
            })
        let selection = try PCRSelection([7])
        let attempt = code { _ = try TPMAccess.patient(tap.configuration).open().measurements(selection) }
        #expect(attempt == .unsupported)
    }

    @Test func noDamagedLogIsReadOrCrashesTheReader() throws {
        let whole = log([(7, 1, try digest("keys")), (4, 2, try digest("kernel"))])
        #expect(try MeasurementLog(parsing: whole).events.count == 2)
        var accepted = 0
        // The log itself does not show a cut between two events. The registers do. Any other cut is an error.
        for count in 0..<whole.count where (try? MeasurementLog(parsing: [UInt8](whole[..<count]))) != nil {
            accepted += 1
        }
        #expect(accepted == 2)
        for index in whole.indices {
            for bit in [0x01, 0x80] as [UInt8] {
                var altered = whole
                altered[index] ^= bit
                // The result is then an answer or one of Coffer's errors.
                _ = code { _ = try MeasurementLog(parsing: altered) }
            }
        }
        #expect(code { _ = try MeasurementLog(parsing: [UInt8](repeating: 0, count: (4 << 20) + 1)) } == .damaged)
        #expect(code { _ = try MeasurementLog(parsing: [UInt8](repeating: 0, count: 64)) } == .unsupported)
    }

    @Test func aFileIsNamedOnlyByWhatWasAFile() throws {
        func name(_ register: UInt32, _ type: UInt32, _ data: [UInt8]) throws -> String? {
            let event = FirmwareLogMaker.Event(register, type, try digest("file"), data)
            return try MeasurementLog(parsing: FirmwareLogMaker.log([event])).events[0].fileName
        }
        let image: UInt32 = 0x8000_0003
        #expect(try name(4, image, FirmwareLogMaker.image("/EFI/debian/shimx64.efi")) == "/EFI/debian/shimx64.efi")
        #expect(try name(9, 13, Array("(hd0,gpt2)/vmlinuz-6.1\0".utf8)) == "/vmlinuz-6.1")
        #expect(try name(9, 13, Array("/boot/grub/grub.cfg\0".utf8)) == "/boot/grub/grub.cfg")
        // Commands, other events, and everything that leads out of the folders that root has named.
        #expect(try name(8, 13, Array("/boot/grub/grub.cfg".utf8)) == nil)
        #expect(try name(4, 1, FirmwareLogMaker.image("/EFI/x.efi")) == nil)
        #expect(try name(9, 13, Array("(hd0)/../etc/shadow".utf8)) == nil)
        #expect(try name(9, 13, Array("grub_cmd: ls".utf8)) == nil)
        #expect(try name(4, image, FirmwareLogMaker.image("EFI/x.efi")) == nil)
        for count in 0..<60 {
            _ = try name(4, image, Array(FirmwareLogMaker.image("/EFI/x.efi").prefix(count)))
        }
        // A node that claims to be longer than the whole.
        var broken = FirmwareLogMaker.image("/EFI/x.efi")
        broken[34] = 0xFF
        broken[35] = 0xFF
        #expect(try name(4, image, broken) == nil)
    }
}
