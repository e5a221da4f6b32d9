import Foundation
import TestSupport
import Testing

/// What the programs hold that everybody talks to.
@Suite struct ProgramLinkageTests {
    /// Full Foundation brings ICU: 40 MB in each process that links it.
    @Test(arguments: ["cofferd", "coffer-authenticator", "coffer", "coffer-secret-service"])
    func noProgramHoldsICU(name: String) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/" + name
        let libraries = try Tool.output("ldd", [program])
        // The list is that of the program: this much of it is known to be there.
        #expect(libraries.contains("libswiftCore.so"))
        for library in ["libFoundation.so", "FoundationICU", "FoundationInternationalization", "libicu"] {
            #expect(!libraries.contains(library), "\(name) links \(library)")
        }
    }

    /// What waits most of the time has no Foundation at all, which would be 6 MB in each process.
    @Test(arguments: ["cofferd", "coffer-authenticator", "coffer-secret-service"])
    func whatWaitsHoldsNoFoundation(name: String) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/" + name
        let libraries = try Tool.output("ldd", [program])
        #expect(libraries.contains("libswiftCore.so"))
        #expect(!libraries.contains("Foundation"))
    }

    /// `coffer` starts for each secret. libcrypto alone would make a start half as long again.
    @Test func nothingThatStartsForASecretLinksWhatOnlySomeCommandsNeed() throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/coffer"
        let libraries = try Tool.output("ldd", [program])
        #expect(libraries.contains("libswiftCore.so"))
        for library in ["libcrypto", "libssl", "libcurl", "libexpat", "libsqlite3", "libtss2"] {
            #expect(!libraries.contains(library), "coffer links \(library)")
        }
    }

    /// They always need it: without it they would end at the first secret, and not at their start.
    @Test(arguments: ["cofferd", "coffer-authenticator", "coffer-secret-service"])
    func whatAlwaysNeedsLibcryptoLinksIt(name: String) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/" + name
        #expect(try Tool.output("readelf", ["-d", program]).contains("[libcrypto.so.3]"))
    }
}
