import Foundation
import Glibc
import Platform
import Testing

/// Meanwhile this process has a file's descriptors open for reading only.
///
/// - Parameter flags: how they are open otherwise.
func withoutWriting(_ path: String, flags: Int32 = O_RDWR, _ body: () throws -> Void) throws {
    let folder = "/proc/self/fd"
    let numbers = try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
        // One of them is gone again: the folder's own.
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) == path
    }.compactMap { Int32($0) }
    try #require(!numbers.isEmpty)
    func reopen(_ flags: Int32) throws {
        let file = try Descriptor.open(path, flags)
        for number in numbers { try #require(dup2(file.number, number) == number) }
    }
    try reopen(O_RDONLY)
    try body()
    try reopen(flags)
}
