import CTSS2
import Cryptography

/// One ESYS context over one channel: opened for one operation, gone with it. Handles keep it alive until they are flushed.
@safe
final class Engine {
    let channel: Channel
    let esys: OpaquePointer
    private let tcti: UnsafeMutablePointer<COFFER_TCTI>
    /// TPM handles that are ours and must be flushed.
    private var live: Set<UInt32> = []
    private let leftovers: Leftovers

    init(_ channel: Channel, leftovers: Leftovers) throws(TPMError) {
        self.channel = channel
        self.leftovers = leftovers
        unsafe tcti = TCTITable.make(for: channel)
        var context: OpaquePointer?
        let code = unsafe Esys_Initialize(&context, OpaquePointer(tcti), nil)
        guard code == 0, let context = unsafe context else {
            unsafe TCTITable.free(tcti)
            throw TPMError(.other, "the TPM library could not be initialised", responseCode: code)
        }
        unsafe esys = context
    }

    deinit {
        var context: OpaquePointer? = unsafe esys
        unsafe Esys_Finalize(&context)
        unsafe TCTITable.free(tcti)
        // A command that was not answered may have left a handle nobody knows.
        if !live.isEmpty || channel.failure != nil { leftovers.note() }
    }

    /// What leaves something in the TPM that is to be flushed.
    private static let makers: Set<CommandCode> = [.startAuthSession, .load, .loadExternal, .createPrimary]

    /// TPM_RC_OBJECT_MEMORY to TPM_RC_OBJECT_HANDLES: there is no room. What takes it may be another program's, which is not ours to flush.
    private static let noRoom: ClosedRange<TSS2_RC> = 0x902...0x906

    /// The gate for ESYS calls: a broken channel explains itself better than the code ESYS made of it.
    func check(_ code: TSS2_RC, _ command: CommandCode) throws(TPMError) {
        // An answer that was changed on the way hides what the TPM made.
        if code != 0, !Self.noRoom.contains(code), Self.makers.contains(command) { leftovers.note() }
        if code != 0, var failure = channel.failure {
            failure.responseCode = code
            throw failure
        }
        try ResponseGate.check(code, command)
    }

    /// Takes note of what the TPM made, and returns its TPM handle.
    func adopt(_ reference: ESYS_TR, _ command: CommandCode) throws(TPMError) -> UInt32 {
        var handle: UInt32 = 0
        try check(unsafe Esys_TR_GetTpmHandle(esys, reference, &handle), command)
        live.insert(handle)
        return handle
    }

    /// The TPM itself ended this session.
    func forget(_ handle: UInt32) { live.remove(handle) }

    /// Flushes a handle unless it is gone already. Goes past ESYS, which refuses every call after an answer it did not like.
    func flush(_ handle: UInt32) {
        guard live.contains(handle) else { return }
        do {
            try Leftovers.flush(handle, channel)
            live.remove(handle)
        } catch {
            // Still in `live`: the next opening flushes it.
        }
    }

    /// Wipes the answer ESYS keeps in clear after it has decrypted it.
    func wipeAnswer() {
        var system: OpaquePointer?
        var size = 0
        var buffer: UnsafePointer<UInt8>?
        guard unsafe Esys_GetSysContext(esys, &system) == 0,
            unsafe Tss2_Sys_GetRpBuffer(system, &size, &buffer) == 0,
            let buffer = unsafe buffer
        else { return }
        // TSS takes the size from the answer itself: whoever changes that on the way must not choose what is overwritten.
        unsafe wipe(UnsafeMutableRawPointer(mutating: buffer), min(max(size, 0), channel.parametersInAnswer))
    }
}
