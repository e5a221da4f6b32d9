import CTSS2
import Cryptography

/// One ESYS context over one channel. It is opened for one operation and closed after it. Its handles keep it alive
/// until they are flushed.
@safe
final class Engine {
    let channel: Channel
    let esys: OpaquePointer
    private let tcti: UnsafeMutablePointer<COFFER_TCTI>
    /// TPM handles that this engine made and must flush.
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
        // An unanswered command may have left a handle that nobody knows.
        if !live.isEmpty || channel.failure != nil { leftovers.note() }
    }

    /// The commands that leave something in the TPM that must be flushed.
    private static let makers: Set<CommandCode> = [.startAuthSession, .load, .loadExternal, .createPrimary]

    /// TPM_RC_OBJECT_MEMORY to TPM_RC_OBJECT_HANDLES: the TPM has no room. Another program may be using the room, so
    /// Coffer must not flush it.
    private static let noRoom: ClosedRange<TSS2_RC> = 0x902...0x906

    /// Translates return codes of ESYS. If the channel is broken, its own error tells more than ESYS's code.
    func check(_ code: TSS2_RC, _ command: CommandCode) throws(TPMError) {
        // If somebody changed the answer on its way, it hides what the TPM made.
        if code != 0, !Self.noRoom.contains(code), Self.makers.contains(command) { leftovers.note() }
        if code != 0, var failure = channel.failure {
            failure.responseCode = code
            throw failure
        }
        try ResponseGate.check(code, command)
    }

    /// Notes a handle that the TPM made, and returns it.
    func adopt(_ reference: ESYS_TR, _ command: CommandCode) throws(TPMError) -> UInt32 {
        var handle: UInt32 = 0
        try check(unsafe Esys_TR_GetTpmHandle(esys, reference, &handle), command)
        live.insert(handle)
        return handle
    }

    /// Notes that the TPM itself ended this session.
    func forget(_ handle: UInt32) { live.remove(handle) }

    /// Flushes a handle if it is still there. Bypasses ESYS, which refuses every call after an answer that it rejected.
    func flush(_ handle: UInt32) {
        guard live.contains(handle) else { return }
        do {
            try Leftovers.flush(handle, channel)
            live.remove(handle)
        } catch {
            // The handle stays in `live`, so the next opening flushes it.
        }
    }

    /// Wipes the plain answer that ESYS keeps after decrypting it.
    func wipeAnswer() {
        var system: OpaquePointer?
        var size = 0
        var buffer: UnsafePointer<UInt8>?
        guard unsafe Esys_GetSysContext(esys, &system) == 0,
            unsafe Tss2_Sys_GetRpBuffer(system, &size, &buffer) == 0,
            let buffer = unsafe buffer
        else { return }
        // TSS takes the size from the answer itself. An attacker who changes it must not choose how much is
        // overwritten.
        unsafe wipe(UnsafeMutableRawPointer(mutating: buffer), min(max(size, 0), channel.parametersInAnswer))
    }
}

/// One opening of the TPM. The commands are in extensions, by chapter of the TPM specification.
public struct TPMContext: ~Copyable {
    let engine: Engine
    /// The handles that no new index takes, even if they are free.
    let reserved: @Sendable () -> Set<UInt32>
}
