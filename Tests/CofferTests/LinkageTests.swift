import Foundation
import Platform
import TestSupport
import Testing

@Suite("what an application links that imports only Coffer")
struct LinkageTests {
    /// The settings writer imports only `Coffer`.
    private static var program: String {
        get throws {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/settings-writer"
        }
    }

    /// What the kernel, the C library and the Swift runtime bring.
    private static let allowed = [
        "linux-vdso.", "ld-linux", "libc.", "libm.", "libstdc++.", "libgcc_s.", "libswift", "libdispatch.",
        "libBlocksRuntime.", "libFoundationEssentials.",
    ]

    @Test("It links the Swift runtime, FoundationEssentials and the C library, and nothing else")
    func libraries() throws {
        let lines = try Tool.output("ldd", [Self.program]).split(separator: "\n")
        let names = lines.compactMap { $0.split(whereSeparator: \.isWhitespace).first }
            .compactMap { $0.split(separator: "/").last }
        #expect(names.contains { $0.hasPrefix("libc.") })
        let others = names.filter { name in !Self.allowed.contains { name.hasPrefix($0) } }
        #expect(others.isEmpty)
    }

    @Test("Nothing of SwiftNIO, SQLite, the TPM or PAM is inside of it either")
    func symbols() throws {
        let symbols = try Tool.output("nm", ["--defined-only", "--format=just-symbols", Self.program])
        for part in ["NIOCore", "NIOPosix", "sqlite3_open", "Esys_", "pam_start"] {
            #expect(!symbols.contains(part), "\(part)")
        }
        // The list is that of the program: this much of it is known to be there.
        #expect(symbols.contains("6Coffer"))
    }
}
