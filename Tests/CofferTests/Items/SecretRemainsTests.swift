import Foundation
import Platform
import TestSupport
import Testing

@testable import Coffer
@testable import CofferTestKit

/// What of a secret is left in the memory of a program that has used it.
@Suite(.timeLimit(.minutes(30)))
struct SecretRemainsTests {
    /// Only root reads the memory of another process.
    @Test(
        "nothing of a value is left that was used without a copy", .enabled(if: OwnProcess.effectiveUser == 0),
        arguments: [false, true])
    func remains(isKept: Bool) async throws {
        let sandbox = try await SandboxBroker(programs: Fixture.programs)
        let secret = (0..<120).map { _ in UInt8.random(in: 0x21...0x7E) }
        try await Keychain(service: "many", prompts: .never, backend: sandbox.backend).set(secret, for: "me")
        let process = try Subprocess(
            Fixture.programs + "/coffer-contender", ["secret", "me", isKept ? "kept" : "used"]
        ) {
            $0.environment = ProcessInfo.processInfo.environment.merging(sandbox.environment) { $1 }
            $0.input = .pipe
            $0.output = .pipe
            $0.errors = .inherited
        }
        let said = String(decoding: try process.read(limit: 64), as: UTF8.self)
        #expect(said == "\(secret.reduce(0) { $0 + Int($1) })\n")
        let image = try MemoryImage(of: process.pid)
        // The scan finds a copy that the program has kept.
        #expect(image.places(of: secret).isEmpty == !isKept, "\(image.places(of: secret))")
        let base64 = Array(Data(secret).base64EncodedString().utf8)
        #expect(image.places(of: base64).isEmpty, "\(image.places(of: base64))")
        try process.write(Array("end\n".utf8))
        #expect(try process.finish() == 0)
        await sandbox.stop()
    }
}
