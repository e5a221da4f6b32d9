import Cryptography
import Foundation
import Platform
import TestSupport
import Testing

/// Certificates come out of a TPM, and anybody may have put it there.
struct CertificateTests {
    /// root → intermediate → leaf, made by OpenSSL's own program.
    private func chain(_ type: String) throws -> [Certificate] {
        let folder = NSTemporaryDirectory() + "coffer-certificates-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record(error) } }
        let script = """
            cd "$1"; set -e
            new() { openssl req -new -newkey $2 -nodes -subj "/CN=$1" -keyout $1.key -out $1.csr 2>/dev/null; }
            new root "\(type)"; new middle "\(type)"; new leaf "\(type)"
            printf 'basicConstraints=critical,CA:TRUE\\n' > ca; printf 'extendedKeyUsage=2.23.133.8.1\\n' > end
            openssl x509 -req -in root.csr -signkey root.key -extfile ca -days 2 -outform DER -out root.der 2>/dev/null
            openssl x509 -req -in root.csr -signkey root.key -extfile ca -days 2 -out root.pem 2>/dev/null
            openssl x509 -req -in middle.csr -CA root.pem -CAkey root.key -extfile ca -days 2 -out middle.pem 2>/dev/null
            openssl x509 -in middle.pem -outform DER -out middle.der
            openssl x509 -req -in leaf.csr -CA middle.pem -CAkey middle.key -extfile end -days 2 -outform DER -out leaf.der 2>/dev/null
            """
        try #require(try Subprocess("/bin/sh", ["-c", script, "sh", folder]).finish() == 0)
        return try ["root", "middle", "leaf"].map {
            try Certificate(der: [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0).der"))))
        }
    }

    private static let types = [
        "ec -pkeyopt ec_paramgen_curve:prime256v1", "rsa:2048", "ec -pkeyopt ec_paramgen_curve:secp384r1",
    ]

    @Test(arguments: types)
    func aChainHoldsOnlyWhole(type: String) throws {
        let chain = try chain(type)
        let (root, middle, leaf) = (chain[0], chain[1], chain[2])
        #expect(try leaf.isIssued(under: [root], intermediates: [middle]))
        #expect(try leaf.isIssued(under: [middle]))
        #expect(try !leaf.isIssued(under: [root]))
        #expect(try !leaf.isIssued(under: [], intermediates: [middle, root]))
        #expect(try !root.isIssued(under: [leaf]))
        let other = try self.chain(type)
        #expect(try !leaf.isIssued(under: [other[0]], intermediates: [middle, other[1]]))
        switch leaf.subjectKey {
        case .p256(let point): #expect(point.count == 65 && type.contains("prime256v1"))
        case .rsa(let modulus): #expect(modulus.count == 256 && type.contains("rsa"))
        case .other: #expect(type.contains("secp384r1"))
        }
        #expect(leaf.subjectKey == .other || leaf.subjectKey != middle.subjectKey)
        #expect(try leaf.isFor(purpose: [0x06, 0x05, 0x67, 0x81, 0x05, 0x08, 0x01]) == true)
        #expect(try leaf.isFor(purpose: [0x06, 0x05, 0x67, 0x81, 0x05, 0x08, 0x02]) == false)
        #expect(try root.isFor(purpose: [0x06, 0x05, 0x67, 0x81, 0x05, 0x08, 0x01]) == nil)
    }

    @Test func noAlteredCertificateIsBelieved() throws {
        let chain = try chain("ec -pkeyopt ec_paramgen_curve:prime256v1")
        let leaf = chain[2].der
        for count in stride(from: 0, to: leaf.count, by: 5) {
            #expect(throws: CryptographyError.self) { try Certificate(der: [UInt8](leaf[..<count])) }
        }
        #expect(throws: CryptographyError.self) { try Certificate(der: leaf + [0]) }
        #expect(throws: CryptographyError.self) { try Certificate(der: [UInt8](repeating: 0x30, count: 1 << 17)) }
        for index in leaf.indices {
            var altered = leaf
            altered[index] ^= 1
            do {
                #expect(try !Certificate(der: altered).isIssued(under: [chain[1]]))
            } catch {
                #expect([.invalidKey, .invalidLength, .library].contains(error.code))
            }
        }
    }
}
