import Authorization
import Platform

/// The caller, as the kernel named it when the connection was made. Nothing that is sent over the connection changes
/// it.
struct Caller: Hashable, Sendable {
    let uid: UInt32
    let process: ProcessIdentity
    /// Tells connections of one process apart.
    let connection: UInt64

    /// The owner of the vault that a call means if it names none.
    var owner: Owner { .user(uid) }
}
