import Cryptography
import TestSupport
import Testing

@testable import TPM

/// What a log proves to hold command line and initrd, and what it does not prove.
struct BootChainTests {
    private let initrd = [UInt8](repeating: 7, count: 32)
    private let standard: Set<Int> = [4, 7]

    /// The machine of a log, as its TPM sees it.
    /// - Parameter later: further measurements that are not in the log.
    private func chain(_ events: [FirmwareLogMaker.Event], later: [(register: UInt32, digest: [UInt8])] = []) throws
        -> BootChain
    {
        let rig = try Rig()
        let context = try rig.access.open()
        for event in events { try context.extend(event.register, event.digest) }
        for event in later { try context.extend(event.register, event.digest) }
        let log = try MeasurementLog(parsing: FirmwareLogMaker.log(events))
        return try withExtendedLifetime(rig) {
            try BootChain(log, values: context.measurements(PCRSelection(BootChain.witnesses)))
        }
    }

    @Test func gRUBMeasuresCommandsAndFiles() throws {
        let chain = try chain(BootLoaderLog.grub("/vmlinuz root=/dev/sda1", initrd: initrd))
        #expect(chain.registers == [8, 9] && chain.hasGRUB)
        #expect(chain.holds(\.commandLine, [4, 7, 8]) && chain.holds(\.initrd, [4, 7, 9]))
        #expect(!chain.holds(\.commandLine, standard) && !chain.holds(\.initrd, standard))
        // A boot loader that is not identified measures into the other registers what it likes.
        #expect(!chain.holds(\.commandLine, [7, 8, 9]) && !chain.holds(\.initrd, [7, 8, 9]))
    }

    @Test func aKernelThatIsAProgramMeasuresItsOptions() throws {
        let chain = try chain(BootLoaderLog.kernelStub("root=/dev/sda1", initrd: initrd))
        #expect(chain.registers == [9] && !chain.hasGRUB)
        #expect(chain.holds(\.commandLine, [4, 9]) && chain.holds(\.initrd, [4, 9]))
        #expect(!chain.holds(\.commandLine, [4, 7, 8]))
        // An older one measures its initrd only.
        let older = try self.chain([try BootLoaderLog.kernelStub("", initrd: initrd)[1]])
        #expect(older.registers == [9] && older.commandLine.isEmpty && older.holds(\.initrd, [4, 9]))
    }

    @Test(arguments: ["rw", nil]) func aUnifiedImageIsHeldWithWhatIsGivenToIt(commandLine: String?) throws {
        let sections = [".linux", ".osrel", ".cmdline", ".initrd"]
        let events = try BootLoaderLog.systemdStub(sections, commandLine: commandLine)
        // The progress of the start is measured after the log has ended.
        for phases in [[], ["enter-initrd", "leave-initrd", "sysinit"], ["sysinit", "ready"]] {
            let chain = try chain(events, later: phases.map { (11, try SHA256.digest(Array($0.utf8))) })
            #expect(chain.registers == [12, 13])
            #expect(chain.holds(\.commandLine, [4, 12]) && chain.holds(\.initrd, [4, 12, 13]))
            #expect(!chain.holds(\.initrd, [4, 12]) && !chain.holds(\.commandLine, standard))
        }
        let strange = try chain(events, later: [(11, initrd)])
        #expect(!strange.registers.contains(13) && strange.unexplained == [11])
    }

    @Test func systemdBootMeasuresTheCommandLineThatItGives() throws {
        let last = try #require(BootLoaderLog.systemdStub([], commandLine: "root=/dev/sda1").last)
        let chain = try chain([last])
        #expect(chain.registers == [12] && chain.holds(\.commandLine, [4, 12]) && chain.initrd.isEmpty)
    }

    @Test func whatTheRegistersDoNotVouchForHoldsNothing() throws {
        let events = try BootLoaderLog.grub("/vmlinuz root=/dev/sda1", initrd: initrd)
        // The log conceals a measurement. Then nobody knows whether GRUB read the files in 9, and which.
        let concealed = try chain(events, later: [(8, initrd)])
        #expect(concealed.registers.isEmpty && !concealed.hasGRUB && concealed.unexplained == [8])
        #expect(concealed.commandLine.isEmpty && concealed.initrd.isEmpty)
        // A concealed file does not affect the commands.
        let files = try chain(events, later: [(9, initrd)])
        #expect(files.registers == [8] && files.hasGRUB && files.unexplained == [9])
        #expect(files.holds(\.commandLine, [4, 8]) && files.initrd.isEmpty)
        // A log of another machine: no register matches it.
        let log = try MeasurementLog(parsing: FirmwareLogMaker.log(events))
        let rig = try Rig()
        let context = try rig.access.open()
        let empty = try BootChain(log, values: context.measurements(PCRSelection(BootChain.witnesses)))
        withExtendedLifetime(rig) {}
        #expect(empty.registers.isEmpty && empty.unexplained == [8, 9])
        #expect(try BootChain(log, values: [:]).unexplained == BootChain.witnesses)
    }

    @Test func aTextThatWasNotMeasuredIsNoCommandLine() throws {
        var grub = try BootLoaderLog.grub("/vmlinuz root=/dev/sda1", initrd: initrd)
        grub[2].data = Array("kernel_cmdline: /vmlinuz init=/bin/sh\0".utf8)
        #expect(try chain(grub).registers.isEmpty)
        #expect(try !chain(grub).holds(\.commandLine, [4, 7, 8, 9]))
        var stub = try BootLoaderLog.systemdStub([".linux"], commandLine: "rw")
        stub[0].digest = initrd
        stub[1].digest = initrd
        stub[2].digest = initrd
        #expect(try chain(stub).registers.isEmpty)
        // Other texts, in other registers or of another kind, do not count either.
        for (register, type) in [(7, 0xD), (9, 0xD), (8, 1)] as [(UInt32, UInt32)] {
            var moved = try BootLoaderLog.grub("/vmlinuz", initrd: initrd)
            moved[2].register = register
            moved[2].type = type
            #expect(try chain(moved).commandLine.isEmpty)
        }
        var tags = try BootLoaderLog.kernelStub("rw", initrd: initrd)
        for index in tags.indices { tags[index].data.removeLast() }
        #expect(try chain(tags).registers.isEmpty)
        for count in 0..<12 {
            for index in tags.indices { tags[index].data = Array(tags[index].data.prefix(count)) }
            #expect(try MeasurementLog(parsing: FirmwareLogMaker.log(tags)).events.allSatisfy { $0.tag == nil })
        }
    }
}
