import CTSS2

/// The functions with which ESYS reaches a TPM, as a table over one `Channel`.
enum TCTITable {
    /// Makes the table for a channel, which must outlive it. Free it with `free(_:)`.
    static func make(for channel: Channel) -> UnsafeMutablePointer<COFFER_TCTI> {
        let tcti = UnsafeMutablePointer<COFFER_TCTI>.allocate(capacity: 1)
        unsafe tcti.initialize(to: COFFER_TCTI())
        unsafe tcti.pointee.owner = Unmanaged.passUnretained(channel).toOpaque()
        unsafe tcti.pointee.table.v1.magic = 0x434F_4646_4552_5450  // "COFFERTP"
        unsafe tcti.pointee.table.v1.version = 2
        unsafe tcti.pointee.table.v1.transmit = { context, size, command in
            guard let channel = unsafe TCTITable.owner(of: context), let command = unsafe command else {
                return COFFER_TCTI_RC_BAD_REFERENCE
            }
            do {
                try channel.send(unsafe [UInt8](UnsafeBufferPointer(start: command, count: size)))
                return 0
            } catch {
                // The channel keeps its failure, and `Engine.check` reads it there.
                return COFFER_TCTI_RC_IO_ERROR
            }
        }
        unsafe tcti.pointee.table.v1.receive = { context, size, response, _ in
            guard let channel = unsafe TCTITable.owner(of: context), let size = unsafe size else {
                return COFFER_TCTI_RC_BAD_REFERENCE
            }
            guard let response = unsafe response else {
                unsafe size.pointee = Channel.maximumSize
                return 0
            }
            do {
                let answer = try channel.receive()
                guard unsafe answer.count <= size.pointee else { return COFFER_TCTI_RC_INSUFFICIENT_BUFFER }
                unsafe response.update(from: answer, count: answer.count)
                unsafe size.pointee = answer.count
                return 0
            } catch {
                return COFFER_TCTI_RC_IO_ERROR
            }
        }
        unsafe tcti.pointee.table.v1.cancel = { _ in COFFER_TCTI_RC_NOT_IMPLEMENTED }
        unsafe tcti.pointee.table.v1.getPollHandles = { _, _, _ in COFFER_TCTI_RC_NOT_IMPLEMENTED }
        unsafe tcti.pointee.table.v1.setLocality = { _, _ in COFFER_TCTI_RC_NOT_IMPLEMENTED }
        unsafe tcti.pointee.table.makeSticky = { _, _, _ in COFFER_TCTI_RC_NOT_IMPLEMENTED }
        return unsafe tcti
    }

    static func free(_ tcti: UnsafeMutablePointer<COFFER_TCTI>) {
        unsafe tcti.deinitialize(count: 1)
        unsafe tcti.deallocate()
    }

    private static func owner(of context: OpaquePointer?) -> Channel? {
        guard let context = unsafe context else { return nil }
        let tcti = unsafe UnsafePointer<COFFER_TCTI>(context)
        return unsafe tcti.pointee.owner.map { unsafe Unmanaged<Channel>.fromOpaque($0).takeUnretainedValue() }
    }
}
