import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// A process of another account. It calls the broker, and lets a person say yes if one is needed.
struct OtherUser {
    let broker: ThrowAwayBroker
    let process: OtherProcess
    let uid: UInt32

    /// - Parameter groups: the groups of the process itself.
    init(_ broker: ThrowAwayBroker, _ uid: UInt32, groups: [UInt32] = []) async throws {
        self.broker = broker
        self.uid = uid
        // The folder is the tests' own. Others must reach the socket in it.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: broker.folder.path)
        process = try await OtherProcess(socket: broker.configuration.socket, uid: uid, groups: groups)
    }

    /// The answer, as text.
    func say(_ method: String, _ parameters: String = "") async throws -> String {
        try await process.say(#"{"method":"org.coffer.Keychain.\#(method)","parameters":{\#(parameters)}}"#)
    }

    /// The challenge in an answer that asks for a person.
    static func challenge(in answer: String) throws -> String {
        try #require(try Varlink.decode(Fault.self, from: Array(answer.utf8)).details.challenge, "\(answer)")
    }

    /// Calls, lets the person say yes, and calls again.
    func pass(_ method: String, _ parameters: String = "") async throws -> String {
        let id = try Self.challenge(in: try await say(method, parameters))
        try await broker.authenticator.grant(id, uid: uid, process: process.identity)
        return try await say(method, #"\#(parameters)\#(parameters.isEmpty ? "" : ",")"challenge":"\#(id)""#)
    }
}
