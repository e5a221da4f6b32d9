import TestSupport
import Testing

@testable import TPM

/// Which registers cover what, and no fewer. A set that is too small would let another initrd start unnoticed.
struct BootChainSetTests {
    private let initrd = [UInt8](repeating: 7, count: 32)

    /// The boot of a log, with the values to which its events lead.
    /// - Parameter missing: a register that the TPM does not have.
    private func chain(_ events: [FirmwareLogMaker.Event], missing: Int? = nil) throws -> BootChain {
        let log = try MeasurementLog(parsing: FirmwareLogMaker.log(events))
        let values = try log.values(PCRSelection(BootChain.witnesses)).filter { $0.key != missing }
        return try BootChain(log, values: values)
    }

    @Test func aKernelThatIsAProgramNeedsItsLoaderAndNine() throws {
        let events = try BootLoaderLog.kernelStub("root=/dev/sda1", initrd: initrd)
        let whole = try chain(events)
        #expect(whole.commandLine == [[4, 9]] && whole.initrd == [[4, 9]] && whole.registers == [9])
        #expect(!whole.holds(\.commandLine, [4, 7]) && !whole.holds(\.initrd, [4, 7]))
        #expect(!whole.holds(\.commandLine, [7, 9]) && !whole.holds(\.initrd, [7, 9]))
        // Without an initrd, its options are there alone. An older kernel measures its initrd alone.
        let options = try chain([events[0]])
        #expect(options.commandLine == [[4, 9]] && options.initrd == [[4, 9]] && options.registers == [9])
        let older = try chain([events[1]])
        #expect(older.commandLine.isEmpty && older.initrd == [[4, 9]] && older.registers == [9])
        #expect(!older.holds(\.initrd, [4, 7]))
    }

    @Test func gRUBNeedsEightForCommandsAndNineForFiles() throws {
        let events = try BootLoaderLog.grub("/vmlinuz root=/dev/sda1", initrd: initrd)
        let whole = try chain(events)
        #expect(whole.commandLine == [[4, 8]] && whole.initrd == [[4, 9]])
        #expect(whole.registers == [8, 9] && whole.hasGRUB)
        let commands = try chain(events.filter { $0.register == 8 })
        #expect(commands.commandLine == [[4, 8]] && commands.initrd.isEmpty && commands.registers == [8])
        // A kernel that measures itself, too, is a second way.
        let both = try chain(events + BootLoaderLog.kernelStub("root=/dev/sda1", initrd: initrd))
        #expect(both.commandLine == [[4, 8], [4, 9]] && both.initrd == [[4, 9], [4, 9]])
        #expect(both.registers == [8, 9])
    }

    @Test func aUnifiedImageNeedsTwelveAndThirteen() throws {
        let events = try BootLoaderLog.systemdStub([".linux", ".initrd"], commandLine: "rw")
        let whole = try chain(events)
        #expect(whole.commandLine == [[4, 12]] && whole.initrd == [[4, 12, 13]] && whole.registers == [12, 13])
        #expect(!whole.hasGRUB && whole.unexplained.isEmpty)
        let fewer = try chain(events, missing: 13)
        #expect(fewer.commandLine == [[4, 12]] && fewer.initrd.isEmpty && fewer.registers == [12])
        #expect(fewer.unexplained == [13])
        let none = try chain(events, missing: 12)
        #expect(none.commandLine.isEmpty && none.initrd.isEmpty && none.registers.isEmpty)
    }

    @Test func systemdBootNeedsTwelveForTheCommandLine() throws {
        let events = try BootLoaderLog.systemdStub([], commandLine: "root=/dev/sda1")
        let chain = try chain(events)
        #expect(chain.commandLine == [[4, 12]] && chain.initrd.isEmpty && chain.registers == [12])
    }

    @Test func theWitnessesAreTheRegistersOfLoaders() { #expect(BootChain.witnesses == [8, 9, 11, 12, 13]) }
}
