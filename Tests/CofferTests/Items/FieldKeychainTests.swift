import Coffer
import CofferTestKit
import Testing

/// A keychain of one field stays one when another is made from it. Otherwise a note would overwrite the password.
struct FieldKeychainTests {
    @Test("Another prompter, service or class keeps the field")
    func keepsItsField() async throws {
        let notes = Keychain(service: "app", backend: InMemoryKeychain()).field(.notes)
        for other in [notes.prompting(.never), notes.of(service: "other"), notes.items(ofClass: .key)] {
            let secret = other.field(.secret)
            try await secret.set("password", for: "me")
            try await other.set("note", for: "me")
            #expect(try await secret.string(for: "me") == "password")
            #expect(try await other.string(for: "me") == "note")
            #expect(try await secret.attributes(of: "me").fields.map(\.name) == [.secret, .notes])
        }
    }
}
