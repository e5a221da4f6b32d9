import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing
import Varlink

@testable import CofferClient
@testable import coffer_cli

/// `coffer edit --join`: what was beside a login becomes a field of it, is never easier to read, and is never lost.
@Suite struct JoinTests {
    private static func item(
        _ account: String, _ revision: String, fields: [String] = ["secret"],
        require: [AccessControl.Requirement] = []
    ) -> Keychain.Item {
        var item = FakeCoffer.item("github", account, require: require)
        item.revision = revision
        item.fields = fields.map { Keychain.Field(name: $0, kind: .secret, set: 1_700_000_000_000) }
        return item
    }

    private static func values(_ pairs: (String, Keychain.Item)...) -> FakeServer.Step {
        .answer(
            Keychain.GetAll.Reply(
                items: pairs.map {
                    Keychain.ItemValue(value: Data($0.0.utf8).base64EncodedString(), item: $0.1)
                }))
    }

    private static let done = FakeServer.Step.answer(
        Keychain.Apply.Reply(results: [Keychain.ChangeResult(deleted: 1)]))

    private func joining(
        _ target: Keychain.Item, _ companion: Keychain.Item, values: FakeServer.Step,
        set: FakeServer.Step? = nil, apply: FakeServer.Step = done
    ) throws -> (FakeCoffer, Program.Result) {
        let fixture = try FakeCoffer(broker: [
            "List": [.answer(Keychain.ItemsReply(items: [target, companion]))], "GetAll": [values],
            "Set": [set ?? .answer(Keychain.Set.Reply(item: target))], "Apply": [apply],
            "Show": [.answer(Keychain.ItemReply(item: target))],
        ])
        return (fixture, try fixture.program.run("edit", "--join"))
    }

    @Test func theFieldIsStoredAndThenTheCompanionIsPutAside() throws {
        let (me, pin) = (Self.item("me", "r7"), Self.item("me:pin", "r8"))
        let (fixture, result) = try joining(me, pin, values: Self.values(("1234", pin)))
        #expect(result.status == 0 && result.text == "joined  github/me:pin  (now github/me, field pin)\n", "\(result)")
        let set = try #require(try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self))
        #expect(set.account == "me" && set.field == "pin" && set.value == "MTIzNA==" && set.access == nil)
        let change = try #require(
            try fixture.broker.calls("Apply").first?.parameters(Keychain.Apply.self)?.changes.first)
        #expect(change.account == "me:pin" && change.bin == true && change.action == .delete)
    }

    /// Who follows the advice does not lose what the login requires already.
    @Test func theAdviceNamesAllThatBothRequire() throws {
        let me = Self.item("me", "r7", require: [.userPresence])
        let pin = Self.item("me:pin", "r8", require: [.userPresence, .applicationPassword])
        let (fixture, result) = try joining(me, pin, values: Self.values())
        #expect(result.status == 1 && fixture.broker.calls("GetAll").isEmpty)
        #expect(
            result.text.contains("coffer edit github me --require presence --require app-password"), "\(result.text)")
    }

    /// Attacker 4. Any program can replace a guarded item by one that is not, while the person answers the prompt.
    @Test func theValueDoesNotGetIntoAnotherItem() throws {
        let (me, pin) = (Self.item("me", "r7"), Self.item("me:pin", "r8"))
        let (fixture, result) = try joining(
            me, pin, values: Self.values(("1234", pin)), set: .fault(.changed, "it changed"))
        #expect(try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self)?.ifRevision == "r7")
        #expect(result.status == 1 && fixture.broker.calls("Apply").isEmpty, "\(result)")
    }

    @Test func aCompanionStaysIfTheFieldIsNotStored() throws {
        let (me, pin) = (Self.item("me", "r7"), Self.item("me:pin", "r8"))
        for fault in [Fault.Name.limitExceeded, .failed, .changed] {
            let (fixture, result) = try joining(
                me, pin, values: Self.values(("1234", pin)), set: .fault(fault, "it is full"))
            #expect(result.status != 0 && fixture.broker.calls("Apply").isEmpty, "\(result)")
        }
    }

    /// Somebody may store another value after it was read.
    @Test func onlyWhatWasReadIsPutAside() throws {
        let (me, pin) = (Self.item("me", "r7"), Self.item("me:pin", "r8"))
        let (fixture, result) = try joining(
            me, pin, values: Self.values(("1234", pin)), apply: .fault(.changed, "it changed"))
        let change = try fixture.broker.calls("Apply").first?.parameters(Keychain.Apply.self)?.changes.first
        #expect(change?.ifRevision == "r8" && result.status == 1, "\(result)")
    }

    @Test func anotherValueIsRefusedAndTheSameIsNotStoredAgain() throws {
        let (me, pin) = (Self.item("me", "r7", fields: ["secret", "pin"]), Self.item("me:pin", "r8"))
        let (other, refused) = try joining(me, pin, values: Self.values(("1234", pin), ("9999", me)))
        #expect(refused.status == 1 && refused.text.contains("github/me, field pin has another value"), "\(refused)")
        #expect(other.broker.calls("Set").isEmpty && other.broker.calls("Apply").isEmpty)
        let (same, result) = try joining(me, pin, values: Self.values(("1234", pin), ("1234", me)))
        #expect(result.status == 0 && same.broker.calls("Set").isEmpty, "\(result)")
        #expect(same.broker.calls("Apply").count == 1)
    }

    @Test func aTrialReadsAndChangesNothing() throws {
        let (me, pin) = (Self.item("me", "r7"), Self.item("me:pin", "r8", require: [.userPresence]))
        let fixture = try FakeCoffer(broker: ["List": [.answer(Keychain.ItemsReply(items: [me, pin]))]])
        let result = try fixture.program.run("edit", "--join", "--dry-run")
        #expect(result.text == "would join github/me:pin  (now github/me, field pin)\n", "\(result)")
        for method in ["Get", "GetAll", "Set", "Apply", "Edit"] { #expect(fixture.broker.calls(method).isEmpty) }
    }

    @Test func theStricterAccessIsThatOfBoth() throws {
        let open = AccessControl.whenUnlocked
        let presence = open.requiring(.userPresence)
        let passcode = open.requiring(.devicePasscode)
        for (one, other, both) in [
            (open, open, open), (open, presence, presence), (presence, passcode, passcode),
            (open, .whenUnlocked.thisDeviceOnly, .whenUnlocked.thisDeviceOnly), (.afterFirstUnlock, open, open),
        ] as [(AccessControl, AccessControl, AccessControl)] {
            #expect(FoldedAccess.stricter(one, other) == both && FoldedAccess.stricter(other, one) == both)
        }
        for (one, other) in [
            (presence, open.thisDeviceOnly), (open.requiring(.biometryAny), passcode), (.always, presence),
        ] as [(AccessControl, AccessControl)] {
            #expect(FoldedAccess.stricter(one, other) == nil && FoldedAccess.stricter(other, one) == nil)
        }
    }

    private func found(
        _ account: String, fields: [FieldName] = [.secret], kind: ItemKind = .genericPassword,
        attributes: [String: String] = [:], expires: Moment? = nil
    ) -> ItemAttributes {
        let times = ItemTimes(created: .now, modified: .now, expires: expires)
        return ItemAttributes(
            id: account, name: ItemName(service: "s", account: account, itemClass: kind), attributes: attributes,
            times: times, version: 1, revision: "r", fields: fields.map { Field($0, .secret, setAt: .now) })
    }

    private func names(_ items: ItemAttributes...) -> [String] {
        Companion.all(of: items).map { "\($0.item.account)>\($0.target.account)>\($0.field)\($0.isEvident ? "" : "?")" }
    }

    @Test func companionsAreFoundByTheirNames() {
        #expect(names(found("me"), found("me:otp"), found("you:otp")) == ["me:otp>me>otp"])
        #expect(names(found("me"), found("me:work")) == ["me:work>me>work?"])
        #expect(names(found("me"), found("me:a:b"), found("me:url12")) == ["me:a:b>me>a:b?", "me:url12>me>url12"])
        let described = ["url": "https://a.example", "created": "then"]
        #expect(
            names(found("me", attributes: described), found("me:x", attributes: ["url": "https://a.example"]))
                == ["me:x>me>x"])
        // An item with fields, one of another kind, and what can be no field is none.
        #expect(names(found("me"), found("me:otp", fields: [.secret, .notes]), found("me:", fields: [.notes])).isEmpty)
        #expect(names(found("me"), found("me:pin", kind: .internetPassword), found("me:secret")).isEmpty)
        #expect(names(found("me", kind: .internetPassword), found("me:pin")).isEmpty)
    }

    /// Every account of a service would be a field of the one without a name.
    @Test func otherAccountsAreNoFields() {
        let same = ["url": "https://a.example"]
        #expect(names(found("", attributes: same), found("me", attributes: same), found("otp")) == ["otp>>otp"])
    }

    /// A field has no date of its own, so the value would outlive its own, or end before it.
    @Test func whatExpiresAtAnotherTimeIsNoField() {
        let soon = Moment(secondsSince2001: 2_000_000_000)
        for (one, other) in [(soon, nil), (nil, soon)] as [(Moment?, Moment?)] {
            let companion = Companion(
                item: found("me:pin", expires: one), target: found("me", expires: other), field: "pin")
            #expect(companion.obstacle(companion.target) != nil)
        }
    }

    @Test func whatIsASeedIsOne() {
        let seed = Array("otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ".utf8)
        #expect(Companion.kind(of: seed, for: "code") == .otp && Companion.kind(of: [65], for: .otp) == .secret)
        #expect(Companion.kind(of: [255], for: "pin") == .file && Companion.kind(of: [65, 10, 66], for: "x") == .text)
        #expect(Companion.kind(of: [65], for: .notes) == .text && Companion.kind(of: [65], for: "pin") == .secret)
    }

    @Test func doctorOffersIt() {
        func message(_ items: [ItemAttributes]) -> String? {
            CompanionCheck.findings(
                DoctorFacts(
                    status: .failure(KeychainError(.failed, "")), biometry: .failure(KeychainError(.failed, "")),
                    authenticatorUser: nil, items: .success(items), diagnosis: .failure(KeychainError(.failed, "")))
            ).first?.message
        }
        #expect(message([found("me"), found("me:otp")]) == "s/me:otp can be s/me, field otp")
        #expect(
            message([found("me"), found("me:otp"), found("me:notes")])
                == "2 secrets can be fields of others, as s/me:otp of s/me")
        #expect(message([found("me"), found("me:work")]) == nil)
    }
}
