import CTSS2
import Glibc

/// Memory that ESYS allocated for one output. It is wiped and freed exactly once, on every path.
@safe
struct ESYSOutput<Pointee>: ~Copyable {
    var pointer: UnsafeMutablePointer<Pointee>?

    init() { unsafe pointer = nil }

    deinit {
        guard let pointer = unsafe pointer else { return }
        unsafe wipe(pointer, MemoryLayout<Pointee>.size)
        unsafe Esys_Free(pointer)
    }

    /// Passes on the output, or throws if there is none.
    func value<Result>(
        _ command: CommandCode, _ body: (UnsafePointer<Pointee>) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
        guard let pointer = unsafe pointer else { throw TPMError(.other, "\(command.name) returned no output") }
        return try unsafe body(UnsafePointer(pointer))
    }
}

/// Overwrites memory in a way that the compiler does not remove.
func wipe(_ address: UnsafeMutableRawPointer, _ count: Int) { unsafe explicit_bzero(address, count) }
