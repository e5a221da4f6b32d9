import Coffer
import CofferTestKit
import Foundation
import Testing

/// Errors come into logs. None of them quotes a value, also if Foundation's own error does.
@Suite("No error quotes a value")
struct QuotedValueTests {
    private enum Level: String, Codable { case low }

    /// What it throws has the value in it.
    private struct Odd: Encodable {
        let text: String

        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(text, .init(codingPath: [], debugDescription: "\(text) is odd"))
        }
    }

    private let keychain = Keychain(service: "app", backend: InMemoryKeychain())

    /// The code of the error, and all that can be printed of it.
    private func failure(
        _ body: () async throws(KeychainError) -> Void
    ) async -> (code: KeychainError.Code?, text: String) {
        do throws(KeychainError) {
            try await body()
            return (nil, "")
        } catch {
            var text = "\(error) \(error.message) \(error.advice) \(error.cause ?? "")"
            dump(error, to: &text)
            return (error.code, text)
        }
    }

    @Test("A value of another type is named by its item alone")
    func reading() async throws {
        try await keychain.set(#""s3cret""#, for: "json")
        let json = await failure { () throws(KeychainError) in _ = try await keychain.value(Level.self, for: "json") }
        #expect(json.code == .notDecodable && !json.text.contains("s3cret"), "\(json.text)")
        try await keychain.set(Array("s3cret".utf8) + [0xFF], for: "bytes")
        let bytes = await failure { () throws(KeychainError) in _ = try await keychain.string(for: "bytes") }
        #expect(bytes.code == .notText && !bytes.text.contains("s3cret"), "\(bytes.text)")
    }

    @Test("A value that cannot be stored is named by its type alone")
    func writing() async throws {
        let odd = Odd(text: "s3cret")
        let found = await failure { () throws(KeychainError) in _ = try await keychain.set(value: odd, for: "odd") }
        #expect(found.code == .invalidArgument && !found.text.contains("s3cret"), "\(found.text)")
        #expect(try await keychain.exists("odd") == false)
    }
}
