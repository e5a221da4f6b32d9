import Authorization
import Platform

/// Who calls, by the kernel's word, taken when the connection was made and never changed by anything that is sent over it.
struct Caller: Hashable, Sendable {
    let uid: UInt32
    let process: ProcessIdentity
    /// Tells connections of one process apart.
    let connection: UInt64

    /// Whose vault a call is about that names none.
    var owner: Owner { .user(uid) }
}
