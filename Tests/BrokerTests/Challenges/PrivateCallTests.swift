import BrokerProtocol
import Foundation
import TestSupport
import Testing

@testable import Broker

/// Which call of the authenticator may come when, and how often.
struct PrivateCallTests {
    /// Life without a store: nothing of it needs a socket, a clock or a TPM.
    private func described(_ request: Challenge.Request) throws -> ChallengeLife {
        var life = ChallengeLife(request)
        try life.describe(over: 1)
        return life
    }

    @Test("the document's table is the broker's")
    func document() throws {
        let requests = try Challenge.Request.oneOfEach()
        let rows = PrivateCall.allCases.map { call in
            let permitted = requests.filter { call.frequency(for: $0) != .never }
            let (some, rest) = (
                Self.names(permitted), Self.names(requests.filter { call.frequency(for: $0) == .never })
            )
            let purposes =
                rest.isEmpty
                ? "all" : rest.count < 4 ? "all but " + rest.joined(separator: ", ") : some.joined(separator: ", ")
            let before = Set(permitted.flatMap { call.predecessors(for: $0) })
            let after = PrivateCall.allCases.filter(before.contains).map { "`\($0.rawValue)`" }.joined(
                separator: " or ")
            let isOnce = permitted.allSatisfy { call.frequency(for: $0) == .once }
            return "| `\(call.rawValue)` | \(purposes) | \(after) | \(isOnce ? "once" : "often") |"
        }
        let table = (["| call | purposes | after | how often |", "|---|---|---|---|"] + rows).joined(separator: "\n")
        let document = try SourceTree.text("docs/broker-protocol.md")
        let isThere = document.contains(table + "\n\n")
        #expect(isThere, "docs/broker-protocol.md should have:\n\(table)")
    }

    private static func names(_ requests: [Challenge.Request]) -> [String] {
        requests.reduce(into: []) { names, request in
            let name = "`" + request.purposes.map(\.rawValue).joined(separator: " + ") + "`"
            if !names.contains(name) { names.append(name) }
        }
    }

    @Test("no request permits a call of another")
    func otherRequests() throws {
        for request in try Challenge.Request.oneOfEach() {
            for call in PrivateCall.allCases where call.frequency(for: request) == .never {
                var life = try described(request)
                #expect(throws: ChallengeRefusal.anotherRequest, "\(call) \(request.purposes)") {
                    try life.permit(call, over: 1)
                }
            }
        }
    }

    @Test("what may come once comes once, and not before its turn")
    func order() throws {
        for request in try Challenge.Request.oneOfEach() {
            for call in PrivateCall.allCases where call.frequency(for: request) != .never {
                let predecessors = call.predecessors(for: request)
                var life = try described(request)
                if !predecessors.isEmpty {
                    #expect(throws: ChallengeRefusal.outOfOrder, "\(call) \(request.purposes)") {
                        try life.permit(call, over: 1)
                    }
                    try Self.bring(&life, to: call)
                }
                #expect(throws: ChallengeRefusal.outOfOrder) { try life.permit(call, over: 2) }
                try life.permit(call, over: 1)
                if call.frequency(for: request) == .once {
                    #expect(throws: ChallengeRefusal.outOfOrder, "\(call) \(request.purposes)") {
                        try life.permit(call, over: 1)
                    }
                } else {
                    try life.permit(call, over: 1)
                }
            }
        }
    }

    /// Makes the calls that must come before this one, the first of each choice that the request permits.
    private static func bring(_ life: inout ChallengeLife, to call: PrivateCall) throws {
        let request = life.request
        let possible = call.predecessors(for: request).first { $0.frequency(for: request) != .never }
        guard let before = possible else { return }
        try bring(&life, to: before)
        try life.permit(before, over: 1)
    }

    @Test("nothing is called about a challenge that was not described, or was granted")
    func outside() throws {
        for request in try Challenge.Request.oneOfEach() {
            var issued = ChallengeLife(request)
            for call in PrivateCall.allCases {
                #expect(throws: ChallengeRefusal.outOfOrder) { try issued.permit(call, over: 1) }
            }
        }
        var granted = try described(.enrolment([.biometryAny]))
        #expect(try granted.confirm(over: 1) == .startGrant)
        for call in PrivateCall.allCases {
            #expect(throws: ChallengeRefusal.outOfOrder) { try granted.permit(call, over: 1) }
        }
        #expect(granted.isGranted)
    }

    @Test("a call that the request never permits ends the challenge, on the wire")
    func ended() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Lock())
        let id = try await challenge { try await client.call(Keychain.Unlock()) }
        let line = try await broker.authenticator.described(id)
        let refused = try await fault { try await line.call(BrokerInterface.ConfirmAcceptance(challenge: id)) }
        #expect(refused.name == .brokerNotPermitted)
        let late = try await fault { try await line.call(BrokerInterface.Prepare(challenge: id, authorization: 0)) }
        #expect(late.name == .brokerChallengeRefused)
        let last = try await client.call(Keychain.Log()).records.last
        #expect(last?.event == "unlock" && last?.outcome == "not-permitted")
        await line.close()
        await broker.stop()
    }
}
