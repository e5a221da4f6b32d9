import Authorization
import BrokerProtocol
import Testing

@testable import Authenticator

/// Which requests a broker can describe, and which fields each of them takes.
struct PersonRequestTests {
    private static let foreign = "the challenge asks for other signatures than its purpose needs"
    private static let unnamed = "the challenge reads more items than it names"
    private static let unclear = "the challenge does not say which fingers to bind an item to"

    /// A description with every field that these purposes take.
    private func facts(_ purposes: [Keychain.Purpose]) throws -> BrokerInterface.Describe.Reply {
        let isOfSeveral = purposes == [.lease] || purposes == [.releaseToCircle]
        var facts = BrokerInterface.Describe.Reply(
            owner: "user:0", purposes: purposes, service: isOfSeveral ? nil : "github",
            account: isOfSeveral ? nil : "me", authorizations: [],
            alternatives: [[]], enrolment: purposes.contains(.enrolment) ? ["biometry-any"] : nil,
            items: purposes.contains(.rotate) || purposes.contains(.lease) || purposes.contains(.releaseToCircle)
                ? [.init(service: "github", account: "me")] : nil,
            lease: purposes.contains(.lease) ? .init(seconds: 60) : nil,
            newService: "gitlab", newAccount: "you",
            machines: purposes.contains(.releaseToCircle) ? ["laptop"] : nil)
        if let purpose = purposes.first(where: Self.ofCircles.contains) {
            facts.ask(purpose, try CircleSample.one.get())
            facts.purposes = purposes
        }
        return facts
    }

    private static let ofCircles: [Keychain.Purpose] = [
        .foundCircle, .addToCircle, .paperToCircle, .joinCircle, .removeFromCircle,
    ]

    /// The message of the refusal; nil if the description is accepted.
    private func refusal(
        _ purposes: [Keychain.Purpose], _ change: (inout BrokerInterface.Describe.Reply) -> Void = { _ in }
    ) throws -> String? {
        var facts = try facts(purposes)
        change(&facts)
        do throws(ConversationError) {
            _ = try PersonRequest(facts)
            return nil
        } catch {
            #expect(error.fault?.name == .authenticationChallengeRefused)
            return error.fault?.details.message ?? ""
        }
    }

    /// All sets of one, two and three purposes, each in both directions.
    private static let combinations: [[Keychain.Purpose]] = {
        let all = Keychain.Purpose.allCases
        var sets = all.map { [$0] }
        for first in all.indices {
            for second in all.indices.dropFirst(first + 1) {
                sets.append([all[first], all[second]])
                for third in all.indices.dropFirst(second + 1) { sets.append([all[first], all[second], all[third]]) }
            }
        }
        return sets.flatMap { [$0, $0.reversed()] }
    }()

    @Test func exactlyTheseCombinationsAreRequests() throws {
        let samples = try PersonRequest.samples
        var accepted: Set<Set<Keychain.Purpose>> = []
        for purposes in Self.combinations {
            guard let request = samples[Set(purposes)] else {
                #expect(try refusal(purposes) == Self.foreign, "\(purposes)")
                continue
            }
            #expect(try PersonRequest(facts(purposes)) == request, "\(purposes)")
            // The broker's words are in the log and in the list of shared prompts, in one order.
            #expect(request.purposes == purposes.map(\.rawValue).sorted())
            accepted.insert(Set(purposes))
        }
        #expect(accepted == Set(samples.keys))
        #expect(Self.combinations.count == 2 * (21 + 210 + 1330))
        // Each purpose is part of a request.
        #expect(Set(accepted.joined()) == Set(Keychain.Purpose.allCases))
    }

    @Test func aPurposeIsNamedOnce() throws {
        let unclear = "the challenge has no clear purpose"
        #expect(try refusal([]) == unclear)
        for purpose in Keychain.Purpose.allCases {
            #expect(try refusal([purpose, purpose]) == unclear, "\(purpose)")
            #expect(try refusal([.unlock, purpose, .unlock]) == unclear, "\(purpose)")
        }
        #expect(try refusal(Keychain.Purpose.allCases) == Self.foreign)
    }

    @Test(arguments: [[.read], [.change], [.rename], [.unlock, .read]] as [[Keychain.Purpose]])
    func anItemHasAName(purposes: [Keychain.Purpose]) throws {
        let unnamed = "the challenge does not name the item to read"
        #expect(try refusal(purposes) { $0.service = nil } == unnamed)
        #expect(try refusal(purposes) { $0.account = nil } == unnamed)
    }

    @Test func aNewNameIsGivenWhole() throws {
        let unnamed = "the challenge does not give the item's new name"
        #expect(try refusal([.rename]) { $0.newService = nil } == unnamed)
        #expect(try refusal([.unlock, .rename]) { $0.newAccount = nil } == unnamed)
        #expect(try refusal([.read]) { $0.newService = nil } == nil)
    }

    @Test func anItemIsBoundToBiometryOnly() throws {
        for kinds in [nil, [], ["presence"], ["biometry-any", "biometry-any"], ["biometry-any", "face"]] {
            #expect(try refusal([.enrolment]) { $0.enrolment = kinds } == Self.unclear, "\(kinds ?? [])")
        }
        #expect(try refusal([.enrolment]) { $0.enrolment = ["biometry-any", "biometry-current-set"] } == nil)
    }

    @Test func noMoreItemsAreRenewedThanAPersonCanBeShown() throws {
        func items(_ count: Int) -> [BrokerInterface.NamedItem] {
            (0..<count).map { .init(service: "github", account: "\($0)") }
        }
        #expect(try refusal([.rotate]) { $0.items = items(PromptLimits.items) } == nil)
        #expect(try refusal([.rotate]) { $0.items = items(PromptLimits.items + 1) } == Self.unnamed)
        #expect(try refusal([.rotate]) { $0.items = nil } == nil)
    }

    /// The person is shown the fields that are read, and can be.
    @Test func fieldsOfAnItem() throws {
        let impossible: [[String]] = [
            ["pin", "pin"], [""], [String(repeating: "x", count: 129)], (0...16).map { "\($0)" },
        ]
        for fields in impossible {
            #expect(try refusal([.read]) { $0.fields = fields } == Self.unnamed, "\(fields)")
            #expect(
                try refusal([.lease]) { $0.items = [.init(service: "github", account: "me", fields: fields)] }
                    == Self.unnamed, "\(fields)")
        }
        #expect(try refusal([.read]) { $0.fields = ["secret", "pin"] } == nil)
        var facts = try facts([.change])
        facts.fields = ["secret", "pin"]
        let request = try PersonRequest(facts)
        #expect(request.items.map(\.fields) == [["secret", "pin"]] && request.fieldCount == 2)
        #expect(try PersonRequest(self.facts([.read])).fieldCount == 1)
    }

    @Test func asManyFieldsAndItemsAsThereCanBeAreShown() throws {
        // Each has the longest name: 128 bytes.
        let most = (10..<26).map { String(repeating: "x", count: 126) + "\($0)" }
        #expect(try refusal([.read]) { $0.fields = most } == nil)
        #expect(try refusal([.read]) { $0.fields = most + ["pin"] } == Self.unnamed)
        for (purpose, isOfSeveral) in [(Keychain.Purpose.lease, true), (.read, true), (.unlock, false)] {
            for (count, isShown) in [(PromptLimits.items, isOfSeveral), (PromptLimits.items + 1, false)] {
                let refusal = try refusal([purpose]) { facts in
                    (facts.service, facts.account) = (nil, nil)
                    facts.items = (0..<count).map { .init(service: "github", account: "\($0)") }
                }
                #expect(refusal == (isShown ? nil : Self.unnamed), "\(purpose) \(count)")
            }
        }
        // An item without a list of fields, or with an empty one, is read for its secret.
        var facts = try facts([.read])
        facts.fields = []
        #expect(try PersonRequest(facts).fieldCount == 1)
    }

    /// A broker that was taken over gets no signature for more than the person is shown, attacker 9.
    @Test func noMoreSignaturesThanFields() throws {
        func ways(_ count: Int, _ request: PersonRequest) -> Bool {
            let authorizations = (0..<count).map { _ in BrokerInterface.Authorization(kind: "presence", point: "AA==") }
            do throws(ConversationError) {
                _ = try SignatureWays(authorizations, [Array(0..<count)], for: request)
                return true
            } catch { return false }
        }
        var facts = try facts([.change])
        let one = try PersonRequest(facts)
        #expect(ways(1, one) && !ways(2, one))
        facts.fields = ["secret", "pin"]
        let two = try PersonRequest(facts)
        #expect(ways(2, two) && !ways(3, two))
        let items: [BrokerInterface.NamedItem] = [
            .init(service: "github", account: "me", fields: ["pin"]),
            .init(service: "github", account: "me", fields: ["otp", "notes"]),
        ]
        for request in [PersonRequest.readAll(items, unlocks: false), .rotate(items, telling: nil)] {
            #expect(ways(3, request) == (request.kind == .readAll) && !ways(4, request))
        }
    }

    /// A field of another request is refused, even though the person would not be shown it.
    @Test func eachFieldBelongsToItsRequest() throws {
        for purposes in try PersonRequest.samples.keys.map(Array.init) {
            let enrols = purposes == [.enrolment]
            let rotates = [[.rotate], [.lease], [.releaseToCircle]].contains(purposes)
            #expect(
                try refusal(purposes) { $0.lease = .init(seconds: 60) } == (purposes == [.lease] ? nil : Self.foreign))
            #expect(try refusal(purposes) { $0.enrolment = ["biometry-any"] } == (enrols ? nil : Self.unclear))
            #expect(
                try refusal(purposes) { $0.items = [.init(service: "github", account: "me")] }
                    == (rotates ? nil : Self.unnamed))
        }
    }
}
