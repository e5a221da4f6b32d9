import CTSS2
import Glibc

/// What ESYS allocated for one output: wiped and freed exactly once, on every path.
@safe
struct ESYSOutput<Pointee>: ~Copyable {
    var pointer: UnsafeMutablePointer<Pointee>?

    init() { unsafe pointer = nil }

    deinit {
        guard let pointer = unsafe pointer else { return }
        unsafe wipe(pointer, MemoryLayout<Pointee>.size)
        unsafe Esys_Free(pointer)
    }

    /// The output, checked to be there.
    func value<Result>(
        _ command: CommandCode, _ body: (UnsafePointer<Pointee>) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
        guard let pointer = unsafe pointer else { throw TPMError(.other, "\(command.name) returned no output") }
        return try unsafe body(UnsafePointer(pointer))
    }
}

/// Overwrites memory in a way the compiler keeps.
func wipe(_ address: UnsafeMutableRawPointer, _ count: Int) { unsafe explicit_bzero(address, count) }
