import CPAMModule

/// The name of the user who has logged in, as the transaction gives it.
@safe struct User {
    let name: UnsafePointer<CChar>
    let count: Int

    /// - Returns: nil if there is no name, or if it would need escaping. No account with such a name can have a vault.
    init?(of handle: OpaquePointer?) {
        guard let handle = unsafe handle else { return nil }
        var item: UnsafeRawPointer?
        guard unsafe pam_get_item(handle, PAM_USER, &item) == PAM_SUCCESS, let item = unsafe item else { return nil }
        unsafe name = item.assumingMemoryBound(to: CChar.self)
        unsafe count = strnlen(name, LoginWire.longestUser + 1)
        guard count > 0, count <= LoginWire.longestUser else { return nil }
        for index in 0..<count {
            let byte = unsafe UInt8(bitPattern: name[index])
            if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F { return nil }
        }
    }
}
