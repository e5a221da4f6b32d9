import Cryptography
import Foundation
import Glibc
import Platform
import TPM
import TestSupport
import Testing

@testable import Broker

/// The certificates of TPM makers that root trusts: which files are read, and what is read of them.
struct EndorsementRootsTests {
    private let folder: TemporaryFolder
    private let user = OwnProcess.effectiveUser
    private let one: Certificate
    private let other: Certificate

    init() throws {
        folder = try TemporaryFolder()
        (one, other) = (try TPMMaker().root, try TPMMaker().root)
    }

    private func put(_ text: String, _ name: String, mode: mode_t = 0o644) throws {
        try DurableFile.write(Array(text.utf8), to: "\(folder.path)/\(name)", mode: mode)
    }

    private func body(_ certificate: Certificate) -> String {
        Data(certificate.der).base64EncodedString(options: .lineLength64Characters)
    }

    private func block(_ certificate: Certificate) -> String {
        "-----BEGIN CERTIFICATE-----\n\(body(certificate))\n-----END CERTIFICATE-----\n"
    }

    private func read(owner: UInt32? = nil) -> [Certificate] {
        EndorsementRoots.read(folder.path, owner: owner ?? user)
    }

    @Test("a file may have several certificates, with words around them, and each counts once")
    func several() throws {
        let between = "-----END CERTIFICATE-----\nwords\nOther\n"
        try put("One\n" + block(one) + between + block(other) + "end\n", "makers.pem")
        #expect(read() == [one, other])
        // Lines may end as elsewhere, and with spaces.
        try put(block(one).replacingOccurrences(of: "\n", with: "  \r\n"), "makers.pem")
        #expect(read() == [one])
    }

    @Test("what is no certificate is left out, and what is beside it is read, in the order of the names")
    func others() throws {
        try put(block(other), "b.pem")
        try put(block(one), "a.pem")
        try put("nothing", "c.txt")
        try put("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "d.pem")
        try put("-----BEGIN CERTIFICATE-----\n\(body(one))\n", "e.pem")
        try Folder.make(folder.path + "/f", mode: 0o755)
        try put(String(repeating: "#", count: DiagnosisLimits.certificateFile) + "\n" + block(one), "g.pem")
        #expect(read() == [one, other])
        #expect(EndorsementRoots.read(folder.path + "/missing", owner: user) == [])
    }

    @Test("neither a file nor a folder that others can write is trusted")
    func modes() throws {
        try put(block(one), "maker.pem", mode: 0o664)
        #expect(read() == [])
        try put(block(one), "maker.pem", mode: 0o644)
        #expect(read() == [one])
        let opened = unsafe chmod(folder.path, 0o722)
        #expect(opened == 0 && read() == [])
        let closed = unsafe chmod(folder.path, 0o700)
        #expect(closed == 0 && read() == [one])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link.pem", withDestinationPath: folder.path + "/maker.pem")
        #expect(read() == [one])
    }

    @Test(
        "a file of another account is not trusted, unless it is root's or the one that must own it",
        .enabled(if: OwnProcess.effectiveUser == 0, "needs root"))
    func owners() throws {
        try put(block(one), "maker.pem")
        let given = unsafe chown(folder.path + "/maker.pem", 1, 1)
        #expect(given == 0)
        #expect(read(owner: 0) == [] && read(owner: 2) == [])
        #expect(read(owner: 1) == [one])
    }
}
