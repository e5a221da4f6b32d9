import Foundation
import Glibc
import Platform
import Testing

/// Meanwhile this process has a file's descriptors open for reading only.
///
/// - Parameter flags: how they are open otherwise.
func withoutWriting(_ path: String, flags: Int32 = O_RDWR, _ body: () throws -> Void) throws {
    try replacing(path, flags: flags, by: path, O_RDONLY, body)
}

/// Meanwhile this process has a file's descriptors open for writing only.
///
/// - Parameter flags: how they are open otherwise.
func withoutReading(_ path: String, flags: Int32 = O_RDWR, _ body: () throws -> Void) throws {
    try replacing(path, flags: flags, by: path, O_WRONLY, body)
}

/// Meanwhile this process has, in a file's place, one that cannot be synced.
///
/// - Parameter flags: how it is open otherwise.
func withoutSyncing(_ path: String, flags: Int32 = O_RDWR, _ body: () throws -> Void) throws {
    try replacing(path, flags: flags, by: "/dev/null", O_RDWR, body)
}

private func replacing(
    _ path: String, flags: Int32, by other: String, _ otherFlags: Int32, _ body: () throws -> Void
) throws {
    let folder = "/proc/self/fd"
    let numbers = try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
        // One of them is gone again: the folder's own.
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) == path
    }.compactMap { Int32($0) }
    try #require(!numbers.isEmpty)
    func reopen(_ path: String, _ flags: Int32) throws {
        let file = try Descriptor.open(path, flags)
        for number in numbers { try #require(dup2(file.number, number) == number) }
    }
    try reopen(other, otherFlags)
    try body()
    try reopen(path, flags)
}
