import Coffer
import Glibc
import Platform

/// Standard input, in parts of bounded size. What was read is wiped when the next part comes.
enum HelperInput {
    /// Gives all of the input to a reader, until the reader has enough.
    /// - Parameter limit: the most bytes that are read.
    /// - Throws: `.limitExceeded` if there is more, and the reader's errors.
    static func read(
        limit: Int = CredentialInputLimits.total, _ take: (ArraySlice<UInt8>) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        var left = limit
        while true {
            var part = try part()
            defer { Wipe.bytes(&part) }
            if part.isEmpty { return }
            guard part.count <= left else {
                throw KeychainError(.limitExceeded, "the input has more than \(limit) bytes", advice: "send less")
            }
            left -= part.count
            guard try take(part[...]) else { return }
        }
    }

    /// Reads the input and drops it, so that the caller's writing does not fail.
    static func drain() throws(KeychainError) {
        while true { if try part().isEmpty { return } }
    }

    private static func part() throws(KeychainError) -> [UInt8] {
        do throws(SystemError) { return try StandardInput.read(atMost: CredentialInputLimits.part) } catch {
            throw KeychainError(
                .failed, "the input cannot be read", advice: "give the request on standard input",
                cause: error.description)
        }
    }
}
