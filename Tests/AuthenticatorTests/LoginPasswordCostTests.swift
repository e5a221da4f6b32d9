import Authorization
import Cryptography
import Platform
import Testing

@testable import Authenticator

/// A vault's record names what a password costs. The authenticator can pay each cost that a record can have.
@Suite struct LoginPasswordCostTests {
    /// Another implementation (Python's hashlib) computed these. The highest takes 256 MiB.
    @Test(arguments: [
        (15, "5c662628ac4eb1068a287e2aa2a202ae248e98db04d61d3327e7342db6ec7097"),
        (18, "92dd350f12ccf27b9d049070b0efebdb6b591cb9c35bc594bb0dcbe89323cfec"),
    ])
    func aPasswordHasTheCostThatTheRecordNames(cost: Int, key: String) throws {
        let salt = [UInt8](0..<16)
        let index = try #require(IndexPin(handle: 0x01B0_C000, policy: [UInt8](repeating: 3, count: 32)))
        let binding = try #require(BindingPin(index: index, salt: salt, cost: cost))
        let password = try SecretBytes(copying: Array("correct horse".utf8))
        let pin = try LoginPassword.pin(of: password, salt: binding.salt, cost: binding.cost)
        let expected = try SecretBytes(copying: #require(Hex.decode(key)))
        #expect(pin == expected)
    }

    @Test func noRecordNamesAnother() throws {
        let index = try #require(IndexPin(handle: 0x01B0_C000, policy: [UInt8](repeating: 3, count: 32)))
        for cost in [14, 19] { #expect(BindingPin(index: index, salt: [UInt8](0..<16), cost: cost) == nil) }
    }
}
