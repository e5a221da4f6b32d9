import Authorization
import Testing

/// Which handles, registers, salts and lengths a record can name. Each limit is tried from both sides.
@Suite struct PinTests {
    private static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 5, count: count) }

    /// The owners' range of NV indexes.
    @Test(
        arguments: [
            (0x0100_0000, false), (0x017F_FFFF, false), (0x0180_0000, true), (0x01BF_FFFF, true), (0x01C0_0000, false),
            (.max, false),
        ] as [(UInt32, Bool)])
    func anIndexIsInTheOwnersRange(handle: UInt32, isTaken: Bool) {
        #expect((IndexPin(handle: handle, policy: Self.bytes(32)) != nil) == isTaken)
        #expect((CounterPin(handle: handle, base: 0, context: [1]) != nil) == isTaken)
    }

    @Test func aPolicyHasThirtyTwoBytes() {
        for (count, isTaken) in [(0, false), (16, false), (31, false), (32, true), (33, false), (64, false)] {
            #expect((IndexPin(handle: 0x0180_0000, policy: Self.bytes(count)) != nil) == isTaken, "\(count)")
        }
    }

    @Test func aCountersContextIsNeitherEmptyNorEndless() {
        for (count, isTaken) in [(0, false), (1, true), (1024, true), (1025, false)] {
            let pin = CounterPin(handle: 0x0180_0000, base: 7, context: Self.bytes(count))
            #expect((pin != nil) == isTaken, "\(count)")
        }
    }

    @Test func aBindingHasASaltAndACostThatAreUsed() throws {
        let index = try #require(IndexPin(handle: 0x0180_0000, policy: Self.bytes(32)))
        for (count, isTaken) in [(0, false), (8, false), (15, false), (16, true), (17, false), (32, false)] {
            #expect((BindingPin(index: index, salt: Self.bytes(count)) != nil) == isTaken, "\(count)")
        }
        for (cost, isTaken) in [(0, false), (14, false), (15, true), (18, true), (19, false), (36, false)] {
            #expect((BindingPin(index: index, salt: Self.bytes(16), cost: cost) != nil) == isTaken, "\(cost)")
        }
        #expect(BindingPin(index: index, salt: Self.bytes(16))?.cost == 17)
    }

    /// Any program may reset 16 and 23, so they identify no boot.
    @Test func onlyRegistersThatTellABootAreSelected() throws {
        let index = try #require(IndexPin(handle: 0x0180_0000, policy: Self.bytes(32)))
        for registers in [[0], [8], [15], [17], [22], [4, 7], [11, 12], Array(0...15) + Array(17...22)] {
            #expect(BootPin.areSelectable(registers), "\(registers)")
        }
        for registers in [[], [16], [23], [-1], [24], [44], [4, 4], [7, 16], [4, 7, 4]] {
            #expect(!BootPin.areSelectable(registers), "\(registers)")
            #expect(BootPin(index: index, registers: registers) == nil, "\(registers)")
        }
        #expect(BootPin(index: index, registers: [7, 4])?.registers == [4, 7])
        #expect(BootPin.standardRegisters == [4, 7])
    }

    @Test func aVaultsIdHasSixteenBytes() throws {
        for (count, isTaken) in [(0, false), (8, false), (15, false), (16, true), (17, false), (32, false)] {
            #expect((VaultID(bytes: Self.bytes(count)) != nil) == isTaken, "\(count)")
        }
        let (one, other) = (try VaultID.random(), try VaultID.random())
        #expect(one.bytes.count == 16 && one != other)
        #expect(VaultID(hex: one.hex) == one && VaultID(hex: one.hex.uppercased()) == one)
        #expect(VaultID(hex: String(one.hex.dropLast())) == nil && VaultID(hex: one.hex + "00") == nil)
    }

    @Test func hexadecimalIsReadInBothCases() {
        #expect(Hex.decode("09AFaf") == [0x09, 0xAF, 0xAF] && Hex.decode("") == [] && Hex.decode("00") == [0])
        // The neighbours of each kind of digit.
        for text in ["/0", ":0", "@0", "G0", "`0", "g0", "0/", "0:", "0@", "0G", "0`", "0g", "000"] {
            #expect(Hex.decode(text) == nil, "\(text)")
        }
        #expect(Hex.encode([0x09, 0xA0, 0xFF]) == "09a0ff")
        var digits: [UInt8] = [1]
        Hex.append(0x9A, to: &digits)
        #expect(digits == [1, UInt8(ascii: "9"), UInt8(ascii: "a")])
    }

    @Test func aNumberHasItsWidth() {
        #expect(BigEndian.bytes(0x0102 as UInt16) == [1, 2] && BigEndian.bytes(7 as UInt8) == [7])
        #expect(BigEndian.bytes(0x0102_0304 as UInt32) == [1, 2, 3, 4])
        #expect(BigEndian.bytes(0x0102_0304_0506_0708 as UInt64) == [1, 2, 3, 4, 5, 6, 7, 8])
    }
}
