import Authorization
import BrokerProtocol
import Foundation
import JSON
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// A lease is asked for and kept: its words, its time, and the room for it.
@Suite(.timeLimit(.minutes(30))) struct LeaseGrantTests {
    /// A broker that asks for a lease of these items.
    private func fixture(_ accounts: [String] = ["me"], seconds: Int64 = 60, settings: String = "") throws -> Fixture {
        let fixture = try Fixture(.init(settings: settings))
        fixture.broker.change { script in
            script.facts.purposes = [.lease]
            (script.facts.service, script.facts.account) = (nil, nil)
            script.facts.items = accounts.map { .init(service: "github", account: $0) }
            script.facts.lease = .init(seconds: seconds, command: nil)
            script.facts.authorizations = accounts.map {
                .init(kind: "presence", point: Data($0.utf8).base64EncodedString())
            }
            script.facts.alternatives = [Array(0..<Int64(accounts.count))]
        }
        return fixture
    }

    /// Takes all places of a user for leases.
    private static func fill(_ directory: String, _ uid: UInt32) throws {
        let book = try LeaseFile(registryDirectory: directory, uid: uid)
        let process = try ProcessIdentity.current()
        for _ in 0..<SignedLeaseLimits.perUser {
            let asked = BootTime.milliseconds
            let record = LeaseRecord(
                boot: book.boot, owner: "user:\(uid)", vault: "", leader: process.pid, leaderStart: process.startTime,
                signatures: [], asked: asked, ends: asked + 600_000)
            try book.note(record, of: .user(uid), lastLock: 0)
        }
    }

    @Test func theOnlyItemIsInTheFirstLine() throws {
        let fixture = try fixture()
        var client = try fixture.client()
        let text = try client.begin().message?.text.unbroken ?? ""
        #expect(
            text.hasPrefix("Read \"github\" / \"me\" for 1 minute without asking you again\nfor /"), "\(text)")
        #expect(text.hasSuffix(") and every program that it starts"), "\(text)")
    }

    @Test func whereRootAllowsNoneItIsDenied() throws {
        let fixture = try fixture(settings: "lease-limit = 0")
        var client = try fixture.client()
        let fault = try #require(try client.begin().fault)
        #expect(fault.name == .authenticationFailed && fault.details.reason == "denied", "\(fault)")
    }

    @Test func aLeaseLastsAsLongAsThePersonWasTold() throws {
        let fixture = try fixture(["me", "you"], seconds: 3600)
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        let path = "\(fixture.registry.directory)/leases/\(fixture.account.uid).json"
        let records = try JSONReader.readValue([LeaseRecord].self, from: DurableFile.read(path, limit: 1 << 20))
        let record = try #require(records.first)
        #expect(records.count == 1 && record.signatures.count == 2)
        // It begins with the answer, which comes after the question.
        #expect((3_600_000..<7_200_000).contains(record.ends - record.asked))
        let own = try ProcessIdentity.current()
        #expect(record.process == own)
    }

    @Test func whereThereIsNoRoomNobodyIsAsked() throws {
        let fixture = try fixture()
        try Self.fill(fixture.registry.directory, fixture.account.uid)
        var client = try fixture.client()
        #expect(try client.begin().name == .authenticationLimitExceeded)
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    /// Other conversations take the last places while the person is asked.
    @Test func aLeaseThatHasNoRoomAfterwardsIsSaid() throws {
        let fixture = try fixture()
        let (directory, uid) = (fixture.registry.directory, fixture.account.uid)
        fixture.broker.change { script in
            // `try?`: a failure shows below, because there is room then.
            script.before["Complete"] = { try? LeaseGrantTests.fill(directory, uid) }
        }
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).name == .authenticationLimitExceeded)
    }

    private func forget(_ fixture: Fixture) throws -> BrokerProtocol.Authentication.Forget.Reply {
        var client = try fixture.client()
        return try client.call(BrokerProtocol.Authentication.Forget()).get()
    }

    @Test func theBrokerIsToldOnlyOfLeasesThatThereWere() throws {
        let fixture = try fixture()
        #expect(try forget(fixture) == .init(ended: 0, leases: 0))
        #expect(fixture.broker.calls.isEmpty)
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        // They end even if the broker cannot be told, and the log says that it was not.
        fixture.broker.stop()
        #expect(try forget(fixture) == .init(ended: 0, leases: 1))
        #expect(eventually { fixture.log.contains("the broker was not told that leases have ended") })
        #expect(try forget(fixture) == .init(ended: 0, leases: 0))
    }
}
