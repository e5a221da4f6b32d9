import Authorization
import BrokerProtocol
import Cryptography
import Platform
import RootConfiguration
import TPM
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// The events of a boot, as the firmware's log and the registers agree on them.
private struct Boot {
    let events: [FirmwareLogMaker.Event]
    let log: MeasurementLog

    init(_ events: [FirmwareLogMaker.Event]) throws {
        self.events = events
        log = try MeasurementLog(parsing: FirmwareLogMaker.log(events))
    }

    /// A program that the firmware has started.
    static func image(_ name: String, _ digest: [UInt8]) -> FirmwareLogMaker.Event {
        .init(4, 0x8000_0003, digest, FirmwareLogMaker.image("/\(name)"))
    }

    /// A file that the boot loader has read.
    static func file(_ name: String, _ digest: [UInt8]) -> FirmwareLogMaker.Event {
        .init(9, 0xD, digest, Array("(hd0,gpt2)/\(name)\0".utf8))
    }

    func values(_ registers: some Sequence<Int>) throws -> [Int: [UInt8]] {
        try log.values(PCRSelection(Set(registers)))
    }

    /// - Parameter others: further boots that are approved.
    func standing(_ pin: BootPin, isApproved: Bool = true, others: [[UInt8]] = []) throws -> BootStanding {
        let values = try values(pin.registers)
        let now = try pin.digest(of: values)
        let digests = (isApproved ? [now] : []) + others
        return BootStanding(values: values, now: now, inForce: digests.map { ApprovedBoot(digest: $0, approved: 1) })
    }
}

private func digest(_ text: String) throws -> [UInt8] { try SHA256.digest(Array(text.utf8)) }

/// The files of a boot, as they are on the disk now.
struct BootFilesTests {
    private let folders: [TemporaryFolder]

    init() throws { folders = [try TemporaryFolder(), try TemporaryFolder()] }

    private func put(_ bytes: [UInt8], _ name: String, in place: Int = 0) throws {
        try DurableFile.write(bytes, to: "\(folders[place].path)/\(name)", mode: 0o644)
    }

    private func look(_ events: [FirmwareLogMaker.Event], _ registers: [Int] = [4, 9]) throws -> BootFiles {
        BootFiles(try Boot(events).log, registers: registers, folders: folders.map(\.path))
    }

    /// A program as the firmware starts it. What it measures leaves out the checksum and the place of a signature.
    private static let program: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: 0xE0)
        bytes.replaceSubrange(0..<2, with: [0x4D, 0x5A])
        bytes[0x3C] = 0x40
        bytes.replaceSubrange(0x40..<0x44, with: [0x50, 0x45, 0, 0])
        bytes.replaceSubrange(0x58..<0x5A, with: [0x0B, 0x01])
        bytes[0x94] = 0xE0
        bytes.replaceSubrange(0x98..<0x9C, with: [1, 2, 3, 4])
        return bytes
    }()

    @Test("a program counts by its image, a file that the boot loader read by its bytes, and both may be unchanged")
    func digests() throws {
        let (whole, image) = (
            try SHA256.digest(Self.program),
            try SHA256.digest(Array(Self.program[..<0x98] + Self.program[0x9C..<0xD8]))
        )
        try put(Self.program, "a")
        for event in [Boot.image("a", image), Boot.image("a", whole), Boot.file("a", whole), Boot.file("a", image)] {
            let files = try look([event])
            #expect(files.unchanged == 1 && files.changed == [] && files.unseen == [])
        }
        let old = try digest("old")
        let path = folders[0].path + "/a"
        #expect(try look([Boot.image("a", old)]).changed == [BootFiles.Changed(path: path, old: old, new: image)])
        #expect(try look([Boot.file("a", old)]).changed == [BootFiles.Changed(path: path, old: old, new: whole)])
        // What is no program has no image.
        try put(Array("text".utf8), "b")
        let text = try digest("text")
        #expect(try look([Boot.image("b", old)]).changed.map(\.new) == [text])
    }

    @Test("each name is looked for once, in one folder after the other, if it was measured into one of the registers")
    func places() throws {
        try put(Array("second".utf8), "a", in: 1)
        try put(Array("first".utf8), "b", in: 0)
        try put(Array("other".utf8), "b", in: 1)
        let (second, first) = (try digest("second"), try digest("first"))
        let events = [
            Boot.file("a", second), Boot.file("a", first), Boot.file("b", first), Boot.image("c", first),
        ]
        let files = try look(events)
        #expect(files.unchanged == 2 && files.changed == [] && files.unseen == ["/c"])
        #expect(try look(events, [9]).unseen == [])
        #expect(try look(events, [4]).unchanged == 0)
    }

    @Test("so many files are read, and of the others it is said that they were not seen")
    func number() throws {
        let names = (0...BootLimits.files).map { "file-\($0)" }
        for name in names { try put(Array(name.utf8), name) }
        let files = try look(try names.map { Boot.file($0, try digest($0)) })
        #expect(files.unchanged == BootLimits.files && files.unseen == ["/file-\(BootLimits.files)"])
    }

    @Test("a file that is empty is no log, as is the word that stands for none")
    func emptyLog() throws {
        var configuration = Configuration()
        configuration.bootLog = folders[0].path + "/log"
        for text in ["", "none"] {
            try put(Array(text.utf8), "log")
            guard case .failure(let error) = FirmwareLog(configuration).read() else {
                Issue.record("“\(text)” was read as a log")
                continue
            }
            #expect(error.reason == "the firmware keeps no log here")
        }
    }
}

/// What doctor says of a vault that is tied to the boot.
struct MeasuredBootFindingsTests {
    private let folder: TemporaryFolder
    private let owner = Owner.user(OwnProcess.effectiveUser)
    private let record: RegistryRecord
    private let pin: BootPin

    init() throws {
        folder = try TemporaryFolder()
        record = try RegistryRecord.tpmSample(owner).boundAndTied(to: [4, 9])
        pin = try #require(record.boot)
    }

    private func facts(_ boot: Boot, _ standing: BootStanding? = nil) throws -> DiagnosisFacts {
        var configuration = Configuration()
        configuration.bootFolders = [folder.path]
        var facts = DiagnosisFacts.sample(configuration, owner: owner)
        facts.record = record
        facts.sealer = .success(.sample())
        facts.boot = .success(try standing ?? boot.standing(pin))
        facts.firmwareLog = .success(boot.log)
        return facts
    }

    private func put(_ text: String, _ name: String) throws {
        try DurableFile.write(Array(text.utf8), to: "\(folder.path)/\(name)", mode: 0o644)
    }

    @Test("files are counted, and of many that cannot be seen four are named")
    func names() throws {
        for (count, words) in [(1, "(1 file)"), (2, "(2 files)")] {
            let names = (0..<count).map { "file-\($0)" }
            for name in names { try put(name, name) }
            let found = MeasuredBootCheck.findings(try facts(Boot(try names.map { Boot.file($0, try digest($0)) })))
            #expect(found.map(\.verdict) == [.ok, .ok], "\(found)")
            #expect(found.last?.message.contains("have not changed since \(words)") == true, "\(found)")
            #expect(found.first?.message.contains("(registers 4, 9)") == true, "\(found)")
        }
        let unseen = try (0..<6).map { Boot.file("away-\($0)", try digest("\($0)")) }
        func last(_ count: Int) throws -> Keychain.Finding? {
            MeasuredBootCheck.findings(try facts(Boot(Array(unseen.prefix(count))))).last
        }
        let four = try #require(try last(4))
        #expect(four.verdict == .note)
        #expect(four.message.contains("cannot see /away-0, /away-1, /away-2, /away-3; "), "\(four)")
        #expect(try last(5)?.message.contains("/away-3 and 1 more; ") == true)
        #expect(try last(6)?.message.contains("/away-3 and 2 more; ") == true)
    }

    @Test("a changed file is a problem with the command that mends it, unless a start with the change is approved")
    func changed() throws {
        let (old, new) = (try digest("old"), try digest("new"))
        try put("new", "kernel")
        let boot = try Boot([Boot.file("kernel", old)])
        let path = folder.path + "/kernel"
        let found = MeasuredBootCheck.findings(try facts(boot))
        #expect(found.map(\.verdict) == [.ok, .problem], "\(found)")
        #expect(found.last?.message == "\(path) changed since this start: after a restart the vault will not open")
        let command = "coffer boot approve --replace \(Hex.encode(old))=\(Hex.encode(new))"
        #expect(found.last?.advice == "before the restart: \(command)")
        let next = try pin.digest(of: Boot([Boot.file("kernel", new)]).values(pin.registers))
        let approved = MeasuredBootCheck.findings(try facts(boot, boot.standing(pin, others: [next])))
        #expect(approved.map(\.verdict) == [.ok, .note, .ok], "\(approved)")
        #expect(approved.dropFirst().first?.message.hasPrefix("2 boots are approved") == true, "\(approved)")
        let others = MeasuredBootCheck.findings(try facts(boot, boot.standing(pin, others: [old])))
        #expect(others.map(\.verdict) == [.ok, .note, .problem], "\(others)")
    }

    @Test("a log that the registers do not confirm, or that was not read, predicts nothing")
    func unforeseen() throws {
        let boot = try Boot([Boot.file("kernel", try digest("a"))])
        var facts = try facts(boot)
        func last() -> String { MeasuredBootCheck.findings(facts).last?.message ?? "" }
        facts.firmwareLog = .success(try Boot([Boot.file("kernel", try digest("b"))]).log)
        #expect(last().hasSuffix("the firmware's log does not match what the TPM holds in register 9"))
        facts.firmwareLog = .failure(FirmwareLogError(reason: "no log"))
        #expect(last().hasSuffix(": no log"))
        facts.firmwareLog = nil
        #expect(last().hasSuffix("the firmware's log was not read"))
    }

    @Test("what keeps the vault shut after the next start is a problem, each with its own advice")
    func standings() throws {
        let boot = try Boot([])
        var facts = try facts(boot, boot.standing(pin, isApproved: false))
        func only() -> Keychain.Finding? {
            let found = MeasuredBootCheck.findings(facts)
            #expect(found.map(\.verdict) == [.problem], "\(found)")
            return found.first
        }
        #expect(only()?.advice?.hasSuffix("coffer boot approve") == true)
        let cases = [
            ("boot", "this boot was not approved", "coffer boot approve"),
            ("boot-index", "record of the approved boots is gone", "how to restore the secrets"),
            ("deadline", "not known whether this boot is approved: late", "wait"),
        ]
        for (kind, message, advice) in cases {
            facts.boot = .failure(Fault(.tpm, Fault.Details(message: "late", advice: "wait", kind: kind)))
            let found = try #require(only())
            #expect(found.message.hasSuffix(message) && found.advice?.hasSuffix(advice) == true, "\(found)")
        }
        facts.boot = nil
        #expect(MeasuredBootCheck.findings(facts).map(\.verdict) == [.note])
        facts.sealer = nil
        #expect(MeasuredBootCheck.findings(facts).isEmpty)
        facts.sealer = .success(.sample())
        facts.record = nil
        #expect(MeasuredBootCheck.findings(facts).isEmpty)
    }

    @Test("whether the tie holds the command line is told only where it does not, or where it is not known")
    func coverage() throws {
        var facts = try facts(Boot([]))
        func told(_ part: Keychain.BootCoverage.Part) -> [Keychain.Finding] {
            facts.bootCoverage = Keychain.BootCoverage(
                registers: [4, 9], commandLine: part, initrd: .held, changesWithMenu: false, reason: "why")
            return MeasuredBootCheck.findings(facts).filter { $0.message.contains("command line") }
        }
        #expect(told(.held).isEmpty)
        #expect(told(.open).map(\.verdict) == [.problem])
        let unknown = told(.unknown)
        #expect(unknown.map(\.verdict) == [.note] && unknown.first?.message.hasSuffix(": why") == true)
    }
}

/// Which registers hold what, and what they will hold.
struct BootForecastTests {
    private let folder: TemporaryFolder
    private let pin: BootPin
    private let old: [UInt8]
    private let new: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        (old, new) = (try digest("old"), try digest("new"))
        let record = try RegistryRecord.tpmSample(.user(1)).boundAndTied(to: [4, 9])
        pin = try #require(record.boot)
    }

    /// - Parameter measured: what the log says was measured into register 9.
    private func predict(_ method: Keychain.ApproveBoot, measured: [[UInt8]]) throws -> [UInt8]? {
        let boot = try Boot(measured.map { Boot.file("kernel", $0) })
        var configuration = Configuration()
        configuration.bootLog = folder.path + "/log"
        try DurableFile.write(FirmwareLogMaker.log(boot.events), to: configuration.bootLog, mode: 0o644)
        return try BootForecast(boot: pin, standing: boot.standing(pin)).digest(method, FirmwareLog(configuration))
    }

    private func refusal(_ method: Keychain.ApproveBoot) throws -> Fault {
        try #require(throws: Fault.self) { try predict(method, measured: [old]) }
    }

    private func pair(_ old: [UInt8], _ new: [UInt8]) -> Keychain.Replacement {
        .init(old: Hex.encode(old), new: Hex.encode(new))
    }

    @Test("so many replacements, each with so many digests, are one update; more are refused")
    func limits() throws {
        let expected = try pin.digest(of: Boot([Boot.file("kernel", new)]).values(pin.registers))
        let most = [[Keychain.Replacement]](repeating: [pair(old, new)], count: BootLimits.replacements)
        #expect(try predict(.init(replacements: most), measured: [old]) == expected)
        #expect(try refusal(.init(replacements: most + [[pair(old, new)]])).name == .invalidArgument)
        let digests = [Keychain.Replacement](repeating: pair(old, new), count: BootLimits.digests.upperBound)
        #expect(try predict(.init(replacements: [digests]), measured: [old]) == expected)
        let tooMany = try refusal(.init(replacements: [digests + [pair(old, new)]]))
        #expect(tooMany.details.message == "there are too many replacements for one update")
        #expect(try predict(.init(), measured: [old]) == nil)
    }

    @Test("a replacement of what was not measured is named by its place; what changes nothing is nothing to approve")
    func refusals() throws {
        let second = try refusal(.init(replacements: [[pair(old, new)], [pair(new, old)]]))
        #expect(second.details.message?.hasPrefix("replacement 2 replaces something") == true, "\(second)")
        let same = try refusal(.init(values: [.init(register: 4, value: String(repeating: "0", count: 64))]))
        #expect(same.name == .invalidArgument && same.details.message?.contains("changes nothing") == true)
        for value in [String(repeating: "0", count: 62), String(repeating: "0", count: 66), "x"] {
            let bad = try refusal(.init(values: [.init(register: 4, value: value)]))
            #expect(bad.details.message == "a digest has 64 hexadecimal digits", "\(value)")
        }
        #expect(try predict(.init(values: [.init(register: 4, value: Hex.encode(new))]), measured: [old]) != nil)
    }

    @Test("without a log, a tie to the boot loader and to what it measures into may hold something, and no other")
    func coverageWithoutALog() {
        let view = BootView(.failure(FirmwareLogError(reason: "no log")))
        #expect(view.registers == BootPin.standardRegisters)
        for register in [8, 9, 12] {
            let coverage = view.coverage(of: [4, register])
            #expect(coverage.commandLine == .unknown && coverage.initrd == .unknown, "\(register)")
            #expect(coverage.reason == "no log" && coverage.registers == [4, Int64(register)])
        }
        for registers in [[4, 7], [4, 5, 6], [4, 16], [4, 18], [4, 22], [4, 11], [7, 8, 9, 12], [2, 8], [8]] {
            let coverage = view.coverage(of: registers)
            #expect(coverage.commandLine == .open && coverage.initrd == .open, "\(registers)")
            #expect(coverage.reason == nil && !coverage.changesWithMenu)
        }
    }

    @Test("GRUB's menu changes a boot only where its commands count, and what the log conceals leaves all unknown")
    func coverage() throws {
        let grub = try Boot(BootLoaderLog.grub("/vmlinuz root=/dev/sda1", initrd: new))
        let view = BootView(.success(try BootChain(grub.log, values: grub.values(BootChain.witnesses))))
        #expect(view.registers == [4, 7, 8, 9])
        let files = view.coverage(of: [4, 9])
        #expect(files.commandLine == .open && files.initrd == .held && !files.changesWithMenu && files.reason == nil)
        let commands = view.coverage(of: [4, 8])
        #expect(commands.commandLine == .held && commands.initrd == .open && commands.changesWithMenu)
        // Register 11 tells what a unified image is. It need not be among those of the tie.
        let unified = try Boot(BootLoaderLog.systemdStub([".linux"], commandLine: nil))
        var values = try unified.values(BootChain.witnesses)
        let whole = BootView(.success(try BootChain(unified.log, values: values))).coverage(of: [4, 12])
        #expect(whole.commandLine == .held)
        values[11] = new
        let concealed = BootView(.success(try BootChain(unified.log, values: values))).coverage(of: [4, 12])
        #expect(concealed.commandLine == .unknown && concealed.initrd == .unknown)
        #expect(concealed.reason?.hasSuffix("what the TPM holds in register 11") == true, "\(concealed)")
    }
}
