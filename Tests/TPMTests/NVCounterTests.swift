import Cryptography
import TestSupport
import Testing

@testable import TPM

/// The attacker reaches the TPM and knows the owner's (empty) password, but not the counter's.
struct NVCounterTests {
    private let password = [UInt8](repeating: 0xA5, count: 31) + [0]

    private func secret() throws -> SecretBytes { try SecretBytes(copying: password) }

    private func define(_ rig: Rig) throws -> (EpochCounterIdentity, UInt64) {
        let context = try rig.access.open()
        return try context.defineCounter(password: secret(), under: context.storageKey(rig.storageKey))
    }

    private func increment(_ rig: Rig, _ counter: EpochCounterIdentity) throws -> UInt64 {
        let context = try rig.access.open()
        return try context.incrementCounter(counter, password: secret(), under: context.storageKey(rig.storageKey))
    }

    private func read(_ rig: Rig, _ counter: EpochCounterIdentity, _ password: SecretBytes? = nil) throws -> UInt64 {
        let context = try rig.access.open()
        return try context.readCounter(
            counter, password: password ?? secret(), under: context.storageKey(rig.storageKey))
    }

    @Test func aCounterCountsInFewCommands() throws {
        let rig = try Rig()
        let (counter, first) = try define(rig)
        #expect(
            rig.recorder.names == [
                "TPM2_StartAuthSession", "TPM2_GetCapability", "TPM2_NV_DefineSpace", "TPM2_NV_Increment",
                "TPM2_NV_Read",
            ])
        #expect(NVHandle.range.contains(counter.handle.rawValue))
        rig.recorder.reset()
        #expect(try read(rig, counter) == first)
        #expect(rig.recorder.names == ["TPM2_NV_ReadPublic", "TPM2_StartAuthSession", "TPM2_NV_Read"])
        rig.recorder.reset()
        #expect(try increment(rig, counter) == first + 1)
        #expect(rig.recorder.count == 4)
        #expect(try read(rig, counter) == first + 1)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func theTPMComputesTheSameName() throws {
        let rig = try Rig()
        let (counter, _) = try define(rig)
        let context = try rig.access.open()
        let index = try context.index(counter)
        #expect(try context.name(of: index.reference) == counter.name())
        var handle: [UInt8] = []
        handle.append(counter.handle.rawValue)
        var reader = MarshalledReader(try context.engine.channel.exchange(.nvReadPublic, handle))
        #expect(try NVPublicArea(body: reader.sized()) == counter.area.written)
        #expect(try reader.sized() == counter.name())
    }

    @Test func aCounterMadeAgainStartsAboveTheOldOne() throws {
        let rig = try Rig()
        let (counter, _) = try define(rig)
        for _ in 0..<5 { _ = try increment(rig, counter) }
        let last = try read(rig, counter)
        try rig.access.open().undefine(counter)
        #expect(code { _ = try read(rig, counter) } == .indexReplaced)
        let (again, first) = try define(rig)
        #expect(again == counter)
        #expect(first > last)
    }

    @Test func aCounterThatSomebodyElseMadeIsNotBelieved() throws {
        let rig = try Rig()
        let (counter, _) = try define(rig)
        let handle = counter.handle.description
        let tools = ["-T", rig.tpm.tools]
        try Tool.output("tpm2_nvundefine", tools + ["-Q", "-C", "o", handle])
        try Tool.output(
            "tpm2_nvdefine",
            tools + ["-Q", "-C", "o", "-s", "8", "-a", "authwrite|authread|nt=counter|no_da", "-p", "theirs", handle])
        // Not written, so it has another Name.
        #expect(code { _ = try read(rig, counter) } == .indexReplaced)
        try Tool.output("tpm2_nvincrement", tools + ["-Q", "-P", "theirs", handle])
        // Written: the Name is the same, but the password is not.
        _ = try rig.access.open().index(counter)
        #expect(code { _ = try read(rig, counter) } == .indexReplaced)
        #expect(code { _ = try increment(rig, counter) } == .indexReplaced)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func theOwnerNeitherCountsNorReads() throws {
        let rig = try Rig()
        let (counter, first) = try define(rig)
        let handle = counter.handle.description
        for name in ["tpm2_nvincrement", "tpm2_nvread"] {
            for hierarchy in ["o", handle] {
                let result = try Tool.run(name, ["-T", rig.tpm.tools, "-C", hierarchy, handle])
                #expect(result.status != 0)
            }
        }
        #expect(try read(rig, counter) == first)
        // Wrong passwords do not lead into the TPM's lockout.
        for _ in 0..<40 {
            let wrong = try SecretBytes.random(count: 32)
            #expect(code { _ = try read(rig, counter, wrong) } == .indexReplaced)
        }
        #expect(try read(rig, counter) == first)
    }

    @Test func anIndexWithOtherAttributesIsNotOurs() throws {
        let rig = try Rig()
        let (counter, _) = try define(rig)
        let handle = counter.handle.description
        let tools = ["-T", rig.tpm.tools]
        try Tool.output("tpm2_nvundefine", tools + ["-Q", "-C", "o", handle])
        // With a right for the owner, which somebody may find convenient. It is refused before it is used, and left
        // alone.
        try Tool.output(
            "tpm2_nvdefine",
            tools + ["-Q", "-C", "o", "-s", "8", "-a", "ownerwrite|authwrite|authread|nt=counter|no_da", handle])
        try Tool.output("tpm2_nvincrement", tools + ["-Q", "-C", "o", handle])
        rig.recorder.reset()
        #expect(code { _ = try read(rig, counter) } == .indexReplaced)
        #expect(rig.recorder.names == ["TPM2_NV_ReadPublic"])
        try rig.access.open().undefine(counter)
        #expect(code { _ = try read(rig, counter) } == .indexReplaced)
        #expect(try Tool.output("tpm2_getcap", tools + ["handles-nv-index"]).lowercased().contains("1b0c000"))
    }

    @Test func thePasswordTravelsOnlyEncrypted() throws {
        let rig = try Rig()
        let (counter, _) = try define(rig)
        _ = try increment(rig, counter)
        #expect(!rig.recorder.contains([UInt8](password[..<8])))
        // The recorder does see what travels in clear.
        let area = counter.area.body
        #expect(rig.recorder.contains(area))
    }

    @Test func handlesInUseAreLeftAlone() throws {
        let rig = try Rig()
        let foreign = ["0x01B0C000", "0x01B0C002"]
        for handle in foreign {
            try Tool.output(
                "tpm2_nvdefine",
                ["-T", rig.tpm.tools, "-Q", "-C", "o", "-s", "8", "-a", "ownerwrite|ownerread", handle])
        }
        #expect(try define(rig).0.handle.rawValue == 0x01B0_C001)
        #expect(try define(rig).0.handle.rawValue == 0x01B0_C003)
        #expect(NVHandle(rawValue: 0x01C0_0002) == nil)
        #expect(NVHandle(rawValue: 0x0180_0000) == nil)
    }

    @Test func roomForACounterIsMadeOnlyWhereNothingOrACounterIs() throws {
        let rig = try Rig()
        let (counter, _) = try define(rig)
        func present() throws -> [NVHandle] { try rig.access.open().condition().handles.ownIndexes }
        func makeGeneration() throws -> GenerationIdentity {
            let context = try rig.access.open()
            return try context.defineGeneration(under: context.storageKey(rig.storageKey))
        }
        #expect(try present() == [counter.handle])
        try rig.access.open().makeRoom(for: counter)
        #expect(try present() == [])
        try rig.access.open().makeRoom(for: counter)
        // A power cut leaves a counter that was never counted.
        try Tool.output(
            "tpm2_nvdefine",
            [
                "-T", rig.tpm.tools, "-Q", "-C", "o", "-s", "8", "-a", "authwrite|authread|nt=counter|no_da",
                "\(counter.handle)",
            ])
        #expect(try present() == [counter.handle])
        try rig.access.open().makeRoom(for: counter)
        #expect(try present() == [])
        // Something depends on any other index.
        let generation = try makeGeneration()
        #expect(generation.handle == counter.handle)
        #expect(code { try rig.access.open().makeRoom(for: counter) } == .other)
        #expect(try present() == [counter.handle])
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func anIndexIsTheOneWithItsPolicy() throws {
        let rig = try Rig()
        func makeGeneration() throws -> GenerationIdentity {
            let context = try rig.access.open()
            return try context.defineGeneration(under: context.storageKey(rig.storageKey))
        }
        let index = try makeGeneration()
        let other = try GenerationIdentity(handle: index.handle, policy: [UInt8](repeating: 7, count: 32))
        #expect(try rig.access.open().has(index))
        #expect(try !rig.access.open().has(other))
        try rig.access.open().undefine(other)
        #expect(try rig.access.open().has(index))
        try rig.access.open().undefine(index)
        #expect(try !rig.access.open().has(index))
    }

    @Test func anOwnerPasswordIsSaidInWords() throws {
        let rig = try Rig()
        let (counter, first) = try define(rig)
        try Tool.output("tpm2_changeauth", ["-T", rig.tpm.tools, "-c", "owner", "hunter2"])
        #expect(code { _ = try define(rig) } == .ownerPasswordSet)
        #expect(code { try rig.access.open().undefine(counter) } == .ownerPasswordSet)
        // An existing one still works.
        #expect(try increment(rig, counter) == first + 1)
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func aPasswordNobodyHasToGuessIsRefused() throws {
        let rig = try Rig()
        let context = try rig.access.open()
        let key = try context.storageKey(rig.storageKey)
        for count in [0, 33] {
            let password = try SecretBytes(copying: [UInt8](repeating: 1, count: count))
            #expect(code { _ = try context.defineCounter(password: password, under: key) } == .other)
        }
        let zeros = try SecretBytes(copying: [UInt8](repeating: 0, count: 32))
        #expect(code { _ = try context.defineCounter(password: zeros, under: key) } == .other)
    }
}
