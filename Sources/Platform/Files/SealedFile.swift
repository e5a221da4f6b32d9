import CLinux
import Glibc

/// A file in memory that has no name, and whose content nobody can change (memfd_create(2)). It is gone with the last process that has it open.
public final class SealedFile: Sendable {
    private let descriptor: Descriptor

    /// Scripts use the small numbers for themselves (`exec 3>…`), and some shells those up to 63.
    private static let leastNumber: Int32 = 100

    /// - Parameter bytes: the content.
    public init(_ bytes: [UInt8]) throws(SystemError) {
        // Everybody who can see the process's descriptors can read the name, so it says nothing.
        let made = Descriptor(
            adopting: try checked("make a file in memory") { unsafe coffer_sealable_file("coffer") })
        let number = made.number
        var written = 0
        while written < bytes.count {
            written += try checked("write a file in memory") {
                unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.write(number, $0.baseAddress! + written, $0.count - written)
                }
            }
        }
        // Programs refuse private keys that others may read.
        try checked("set the mode of a file in memory") { fchmod(number, 0o400) }
        try checked("seal a file in memory") { coffer_seal(number) }
        descriptor = Descriptor(adopting: try Self.moved(number))
    }

    /// A process that may have only a few descriptors gets a smaller number.
    private static func moved(_ number: Int32) throws(SystemError) -> Int32 {
        do throws(SystemError) {
            return try checked("move a descriptor") { coffer_duplicate_above(number, leastNumber) }
        } catch {
            guard error.errno == EINVAL else { throw error }
            return try checked("move a descriptor") { coffer_duplicate_above(number, 3) }
        }
    }

    /// The descriptor. Programs that this process starts do not inherit it by itself.
    var number: Int32 { descriptor.number }

    /// The path by which a process that has inherited the file opens it.
    public var path: String { "/proc/self/fd/\(number)" }

    /// Lets the program that takes this process's place inherit the file.
    func handOn() throws(SystemError) {
        try checked("hand a file in memory on") { fcntl(number, F_SETFD, 0) }
    }
}
