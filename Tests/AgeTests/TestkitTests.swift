import Cryptography
import Foundation
import TestSupport
import Testing

@testable import Age

/// The test vectors of the age format (C2SP/CCTV, published under 0BSD), but those for newer kinds of recipients.
@Suite struct TestkitTests {
    private struct Vector {
        var facts: [String: [String]] = [:]
        var file: [UInt8] = []

        init(_ url: URL) throws {
            let bytes = Array(try Data(contentsOf: url))
            var start = 0
            while let end = bytes[start...].firstIndex(of: 0x0A) {
                let line = String(decoding: bytes[start..<end], as: UTF8.self)
                start = end + 1
                guard let colon = line.firstRange(of: ": ") else { break }
                facts[String(line[..<colon.lowerBound]), default: []].append(String(line[colon.upperBound...]))
            }
            file = Array(bytes[start...])
            guard facts["compressed"] == ["zlib"] else { return }
            let folder = try TemporaryFolder()
            try Data(file).write(to: URL(fileURLWithPath: folder.path + "/in"))
            try Tool.output(
                "python3",
                [
                    "-c",
                    "import sys,zlib; open(sys.argv[2],'wb').write(zlib.decompress(open(sys.argv[1],'rb').read()))",
                    folder.path + "/in", folder.path + "/out",
                ])
            file = Array(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/out")))
        }

        /// What the vectors call the outcome.
        func outcome() throws -> String {
            do throws(AgeError) {
                let content = try opened()
                let digest = try cryptographic { () throws(CryptographyError) in try SHA256.digest(content) }
                return "success " + digest.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
            } catch {
                switch error.code {
                case .malformedHeader, .tooCostly: return "header failure"
                case .wrongMAC: return "HMAC failure"
                case .noMatch: return "no match"
                case .damagedPayload: return "payload failure"
                case .malformedArmor: return "armor failure"
                case .malformedKey, .failed: return error.reason
                }
            }
        }

        private func opened() throws(AgeError) -> [UInt8] {
            // What does not begin as armor is read as bytes, and refused as such.
            let age = try AgeFile(facts["armored"] == nil ? file : AgeArmor.decode(file))
            guard let phrases = facts["passphrase"], age.takesPassphrase || facts["identity"] == nil else {
                var identities: [AgeIdentity] = []
                for text in facts["identity"] ?? [] { identities.append(try AgeIdentity(text)) }
                return try age.open(.identities(identities))
            }
            var last = AgeError(.noMatch, "no passphrase")
            for phrase in phrases {
                do throws(AgeError) { return try age.open(.passphrase(AgePassphrase(phrase))) } catch { last = error }
            }
            throw last
        }
    }

    private static var vectors: [URL] {
        get throws {
            let folder = try #require(Bundle.module.url(forResource: "testkit", withExtension: nil))
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        }
    }

    @Test func everyVectorHasItsOutcome() throws {
        let vectors = try Self.vectors
        #expect(vectors.count == 121)
        for url in vectors {
            let vector = try Vector(url)
            var expected = try #require(vector.facts["expect"]?.first)
            if expected == "success" { expected += " " + (try #require(vector.facts["payload"]?.first)) }
            #expect(try vector.outcome() == expected, "\(url.lastPathComponent)")
        }
    }
}
