import Authorization
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker

/// The circle of a service's vault: root decides who shares, and the service's own account carries files.
@Suite(.timeLimit(.minutes(30)), .enabled(if: OwnProcess.effectiveUser == 0, "needs root"), .serialized)
struct ServiceSharingTests {
    private let accounts: ThrowAwayAccounts

    init() throws { accounts = try ThrowAwayAccounts(2) }

    private func make(_ account: String, on broker: ThrowAwayBroker, _ root: WireClient) async throws {
        let id = try await challenge { try await root.call(Keychain.CreateVault(owner: account)) }
        try await broker.authenticator.grant(id)
        _ = try await root.call(Keychain.CreateVault(owner: account, challenge: id))
    }

    private func of<Method: VarlinkMethod>(_ account: String, _ method: Method) -> Keychain.InVault<Method> {
        Keychain.InVault(method, .init(user: account))
    }

    private static let deciding = [
        ("Found", #""name":"m""#), ("Request", #""name":"m""#), ("Prove", #""challenge":"AAAA""#),
        ("Add", #""code":"JOIN-00000-00000-00000-00000-00000-00000""#), ("Enter", #""answer":"AAAA""#),
        ("AddPaper", #""keys":"AAAA""#), ("Remove", #""devices":["00000000000000000000000000000000"]"#),
        ("Forget", ""), ("Release", #""items":[],"devices":[]"#),
    ]
    private static let carrying = [
        ("Look", #""heads":[],"names":[]"#), ("Take", #""heads":[],"segments":[]"#),
        ("Give", #""heads":[],"names":[]"#), ("State", ""), ("Conflicts", ""),
    ]

    @Test func itsOwnAccountCarriesFilesAndDecidesNothing() async throws {
        let broker = try await throwAwayBroker()
        let root = try broker.client()
        let service = accounts.names[0]
        try await make(service, on: broker, root)
        let own = try await OtherUser(broker, accounts.uids[0])
        func say(_ method: String, _ parameters: String) async throws -> String {
            try await own.process.say(#"{"method":"org.coffer.Sync.\#(method)","parameters":{\#(parameters)}}"#)
        }
        // Before there is a circle, and within one.
        for round in 0..<2 {
            for (method, parameters) in Self.deciding {
                let answer = try await say(method, parameters)
                #expect(answer.contains("org.coffer.Keychain.NotPermitted"), "\(round) \(method): \(answer)")
            }
            guard round == 0 else { break }
            let found = of(service, Sync.Found(name: "web"))
            let id = try await challenge { try await root.call(found) }
            try await broker.authenticator.grant(id)
            _ = try await root.call(of(service, Sync.Found(name: "web", challenge: id)))
        }
        for (method, parameters) in Self.carrying {
            let answer = try await say(method, parameters)
            #expect(answer.contains("parameters") && !answer.contains("error"), "\(method): \(answer)")
        }
        // It does not become root's business by a name in the call.
        let answer = try await say("State", #""user":"\#(service)""#)
        #expect(answer.contains("org.coffer.Keychain.NotPermitted"), "\(answer)")
        await broker.stop()
    }

    /// What root agreed to for one vault is of no use for another.
    @Test func anAnswerIsForOneVault() async throws {
        let broker = try await throwAwayBroker()
        let root = try broker.client()
        for account in accounts.names { try await make(account, on: broker, root) }
        try await broker.makeVault(root)
        let (one, other) = (accounts.names[0], accounts.names[1])
        let first = try await challenge { try await root.call(of(one, Sync.Found(name: "m"))) }
        try await broker.authenticator.grant(first)
        let wrong = try await fault { try await root.call(of(other, Sync.Found(name: "m", challenge: first))) }
        #expect(wrong.name == .challengeRefused)
        let second = try await challenge { try await root.call(of(one, Sync.Found(name: "m"))) }
        try await broker.authenticator.grant(second)
        let persons = try await fault { try await root.call(Sync.Found(name: "m", challenge: second)) }
        #expect(persons.name == .challengeRefused)
        let third = try await challenge { try await root.call(Sync.Found(name: "m")) }
        try await broker.authenticator.grant(third)
        let services = try await fault { try await root.call(of(one, Sync.Found(name: "m", challenge: third))) }
        #expect(services.name == .challengeRefused)
        for account in accounts.names { #expect(try await root.call(of(account, Sync.State())).circle == nil) }
        #expect(try await root.call(Sync.State()).circle == nil)
        await broker.stop()
    }

    /// Nobody would open it again, and the fleet would wait. A lock that somebody asks for counts all the same.
    @Test func wantOfUseDoesNotCloseWhatIsCarried() async throws {
        let time = TestClock()
        var options = Broker.Options.patient
        options.clock = time.clock
        let broker = try await throwAwayBroker(options: options) { $0.idleLock = 10 }
        let root = try broker.client()
        let service = accounts.names[0]
        try await make(service, on: broker, root)
        func isUnlockedAfterIdling() async throws -> Bool {
            time.advance(by: .seconds(600))
            return try await root.call(of(service, Keychain.Status())).vault.state == .unlocked
        }
        func unlock() async throws {
            let id = try await challenge { try await root.call(of(service, Keychain.Unlock())) }
            try await broker.authenticator.grant(id)
            _ = try await root.call(of(service, Keychain.Unlock(challenge: id)))
        }
        #expect(try await isUnlockedAfterIdling() == false)
        try await unlock()
        let id = try await challenge { try await root.call(of(service, Sync.Found(name: "web"))) }
        try await broker.authenticator.grant(id)
        _ = try await root.call(of(service, Sync.Found(name: "web", challenge: id)))
        #expect(try await isUnlockedAfterIdling())
        #expect(try await root.call(of(service, Keychain.Lock())).vault.state == .locked)
        try await unlock()
        #expect(try await isUnlockedAfterIdling())
        // A person's is closed also while it shares.
        let desk = try await CirclePeer("desk", on: broker)
        try await desk.found()
        time.advance(by: .seconds(600))
        #expect(try await root.call(Keychain.Status()).vault.state == .locked)
        await broker.stop()
    }

    /// Of a thousand servers, the weakest one must not own the others.
    @Test func aMachineOfAServiceIsAReaderUnlessRootSaysMore() async throws {
        let broker = try await throwAwayBroker()
        let root = try broker.client()
        let service = accounts.names[0]
        try await make(service, on: broker, root)
        let id = try await challenge { try await root.call(of(service, Sync.Found(name: "admin"))) }
        try await broker.authenticator.grant(id)
        _ = try await root.call(of(service, Sync.Found(name: "admin", challenge: id)))
        for (role, wanted) in [(nil, "reader"), ("writer", "writer"), ("admin", "admin"), ("reader", "reader")] {
            let peer = try await CirclePeer("peer")
            let asked = try await peer.request()
            func add(_ challenge: String? = nil) -> Keychain.InVault<Sync.Add> {
                of(
                    service,
                    Sync.Add(code: asked.code, request: asked.request.content, role: role, challenge: challenge))
            }
            let id = try await challenge { try await root.call(add()) }
            try await broker.authenticator.grant(id)
            let device = try await root.call(of(service, Sync.State())).machines.map(\.device)
            _ = try await root.call(add(id))
            let machines = try await root.call(of(service, Sync.State())).machines
            #expect(machines.filter { !device.contains($0.device) }.map(\.role) == [wanted])
            await peer.stop()
        }
        let peer = try await CirclePeer("peer")
        let asked = try await peer.request()
        let strange = try await fault {
            try await root.call(
                of(service, Sync.Add(code: asked.code, request: asked.request.content, role: "paper")))
        }
        #expect(strange.name == .invalidArgument)
        await peer.stop()
        await broker.stop()
    }
}
