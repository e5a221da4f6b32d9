import Circle

/// What the slots of a value are made for, if another machine has made them: this vault as a device of a circle. A value
/// keeps it for as long as it is sealed so, also once the vault has left the circle (docs/vault-format.md, “slot”).
struct SlotAddress: Sendable, Equatable {
    static let count = StatementName.count + SharedItemID.count + randomCount
    private static let randomCount = 32

    let circle: StatementName
    let device: WriterID
    /// The random bytes of the device's keys, which its receiving keys are derived with.
    let random: [UInt8]

    init(circle: StatementName, _ keys: MemberKeys) {
        (self.circle, device, random) = (circle, keys.device, keys.random)
    }

    var encoded: [UInt8] { circle.bytes + device.bytes + random }

    /// - Throws: `.damaged`.
    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "the address of a slot")
        guard let circle = StatementName(bytes: try reader.bytes(StatementName.count)),
            let device = WriterID(bytes: try reader.bytes(SharedItemID.count))
        else { throw .damaged("a slot is for no device") }
        (self.circle, self.device) = (circle, device)
        random = try reader.bytes(Self.randomCount)
        try reader.end()
    }
}
