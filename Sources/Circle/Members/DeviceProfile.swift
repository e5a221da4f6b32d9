import Authorization

/// Where a device says that the private halves of its keys are. Nobody has checked that.
package enum KeyProtection: UInt8, Sendable {
    case tpm = 1
    case software = 2
}

/// What a device says of itself (docs/sync-format.md, “Bodies”).
package struct DeviceProfile: Hashable, Sendable {
    package let protection: KeyProtection
    package let name: MachineName

    package init(_ name: MachineName, _ protection: KeyProtection) {
        (self.name, self.protection) = (name, protection)
    }

    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        var rest = bytes[...]
        try self.init(from: &rest)
        try rest.end()
    }

    package var bytes: [UInt8] { [protection.rawValue] + name.bytes }

    init(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) {
        guard let protection = KeyProtection(rawValue: try rest.integer()) else { throw .kind }
        self.init(try MachineName(from: &rest), protection)
    }
}
