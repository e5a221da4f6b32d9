import Authorization
import Circle
import Cryptography
import Testing

@testable import Vault

/// What a vault keeps of its own device, of a request that waits, and of a succession. Each has one form, and nothing
/// behind it.
struct CircleDeviceTests {
    private let desk: CircleMachine

    init() throws {
        desk = try CircleMachine("desk")
        try desk.found()
    }

    private func place(_ number: UInt64) throws -> RunEnd {
        let run = try #require(RunID(bytes: [UInt8](repeating: 1, count: RunID.count)))
        let chain = try #require(ChainHash(bytes: [UInt8](repeating: 2, count: ChainHash.count)))
        return try #require(RunEnd(run: run, number: number, chain: chain))
    }

    private func isDamaged(_ bytes: [UInt8]) -> Bool {
        vaultError { _ = try CircleDevice(decoding: bytes) } == .damaged
    }

    @Test func aDeviceIsReadAsItIsWritten() throws {
        var device = try desk.view().device
        let (first, last) = (try place(3), try place(7))
        let ends: [(end: RunEnd?, predecessor: RunEnd?)] = [(nil, nil), (last, nil), (last, first)]
        for one in ends {
            (device.end, device.predecessor) = (one.end, one.predecessor)
            let bytes = device.encoded
            #expect(try CircleDevice(decoding: bytes) == device)
            #expect(isDamaged(bytes + [0]))
            #expect(isDamaged(Array(bytes.dropLast())))
        }
    }

    /// The version comes first, and then the circle.
    @Test func aDeviceOfAnotherVersionIsRefused() throws {
        let device = try desk.view().device
        let bytes = device.encoded
        #expect(bytes.starts(with: [0, 1] + device.circle.bytes))
        for version in [0, 2] as [UInt8] { #expect(isDamaged([0, version] + bytes.dropFirst(2))) }
    }

    @Test func aRequestIsReadAsItIsWritten() throws {
        let laptop = try CircleMachine("laptop")
        let request = try laptop.request()
        let row = try laptop.vault.read { (snapshot) throws(VaultError) in try snapshot.circle(.joining) }
        let bytes = try #require(row)
        let joining = try CircleJoining(decoding: bytes)
        #expect(joining.request == request)
        #expect(joining.encoded == bytes)
        for wrong in [bytes + [0], Array(bytes.dropLast())] {
            #expect(vaultError { _ = try CircleJoining(decoding: wrong) } == .damaged)
        }
    }

    @Test func aSuccessionIsReadAsItIsWritten() throws {
        let device = try desk.view().device
        let succession = CircleSuccession(
            circle: device.circle, signer: device.id, keys: device.keys, signingKeys: device.signingKeys)
        let bytes = succession.encoded
        let read = try CircleSuccession(decoding: bytes)
        #expect(read.keys == device.keys && read.proof == nil && read.signed == nil)
        #expect(read.encoded == bytes)
        for wrong in [bytes + [0], Array(bytes.dropLast())] {
            #expect(vaultError { _ = try CircleSuccession(decoding: wrong) } == .damaged)
        }
    }
}
