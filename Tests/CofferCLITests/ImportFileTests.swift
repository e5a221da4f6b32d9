import BrokerProtocol
import Foundation
import TestSupport
import Testing

/// What `coffer import` says of a file, and of what it did or would do.
@Suite struct ImportFileTests {
    private static let fields = #""login":{"uris":[{"uri":"https://shop.example"}],"username":"me","password":"pw"}"#
    private static let login = #"{"type":1,"name":"Shop",\#(fields)}"#
    private static let loginWithNote = #"{"type":1,"name":"Shop","notes":"n",\#(fields)}"#
    private static let card = #"{"type":3,"name":"Visa","card":{"number":"4111"}}"#

    private func run(
        _ entries: [String], present: [Keychain.Item] = [], value: String? = nil, apply: FakeServer.Step? = nil,
        _ options: String...
    ) throws -> Program.Result {
        let values = value.map { value in present.map { Keychain.ItemValue(value: value, item: $0) } } ?? []
        var script: [String: [FakeServer.Step]] = [
            "List": [.answer(Keychain.ItemsReply(items: present))],
            "GetAll": [.answer(Keychain.GetAll.Reply(items: values))],
        ]
        if let apply { script["Apply"] = [apply] }
        let fixture = try FakeCoffer(broker: script)
        let path = fixture.scratch.file("export.json")
        let text = #"{"encrypted":false,"items":[\#(entries.joined(separator: ","))]}"#
        try Data(text.utf8).write(to: URL(filePath: path))
        return try fixture.program.run(["import", "bitwarden", path] + options)
    }

    private static let keep = "not all of it is in your vault, so keep the file until you have the rest"
    private static let remove = "remove it with: rm "

    /// To remove the only copy of what was left out would lose it.
    @Test func aFileIsKeptUntilAllOfItIsInTheVault() throws {
        var same = FakeCoffer.item("shop.example", "me")
        (same.label, same.attributes) = ("Shop", ["url": "https://shop.example"])
        let complete = try run([Self.login], present: [same], value: "cHc=")
        #expect(complete.status == 0 && complete.errors.contains(Self.remove), "\(complete)")
        let leftOut = try run([Self.card])
        #expect(leftOut.errors.contains(Self.keep) && !leftOut.errors.contains(Self.remove), "\(leftOut)")
        let guarded = FakeCoffer.item("shop.example", "me", require: [.userPresence])
        let other = try run([Self.login], present: [guarded], "--skip")
        #expect(other.status == 1 && other.errors.contains(Self.keep), "\(other)")
        #expect(!other.errors.contains(Self.remove))
    }

    /// What the file says beside a value that is there already goes with the file.
    @Test func aFileIsKeptForItsTitlesAndAddresses() throws {
        var present = FakeCoffer.item("shop.example", "me")
        let result = try run([Self.login], present: [present], value: "cHc=", "--remove")
        #expect(result.status == 0 && result.errors.contains("it was not removed"), "\(result)")
        #expect(result.text.contains("your vault does not have its title, url)"), "\(result)")
        (present.label, present.attributes) = ("My shop", ["url": "https://shop.example", "folder": "mine"])
        let other = try run([Self.login], present: [present], value: "cHc=")
        #expect(other.text.contains("your vault does not have its title)"), "\(other)")
        #expect(other.errors.contains(Self.keep) && !other.errors.contains(Self.remove), "\(other)")
    }

    /// The other name would keep the secrets, in the clear.
    @Test func aFileOfTwoNamesIsNotRemoved() throws {
        var present = FakeCoffer.item("shop.example", "me")
        (present.label, present.attributes) = ("Shop", ["url": "https://shop.example"])
        let fixture = try FakeCoffer(broker: [
            "List": [.answer(Keychain.ItemsReply(items: [present]))],
            "GetAll": [.answer(Keychain.GetAll.Reply(items: [Keychain.ItemValue(value: "cHc=", item: present)]))],
        ])
        let paths = ["one.json", "two.json"].map(fixture.scratch.file)
        try Data(#"{"encrypted":false,"items":[\#(Self.login)]}"#.utf8).write(to: URL(filePath: paths[0]))
        try FileManager.default.linkItem(atPath: paths[0], toPath: paths[1])
        let kept = try fixture.program.run(["import", "bitwarden", paths[0], "--remove"])
        #expect(kept.status == 1 && kept.errors.contains("the file has another name"), "\(kept)")
        #expect(FileManager.default.fileExists(atPath: paths[0]))
        try FileManager.default.removeItem(atPath: paths[1])
        let removed = try fixture.program.run(["import", "bitwarden", paths[0], "--remove"])
        #expect(removed.status == 0 && removed.errors.contains("Removed"), "\(removed)")
    }

    /// Who removes the store after an import would lose what its names hide.
    @Test func namesOfPassThatAreNoTextAreNamed() throws {
        var fixture = try FakeCoffer(broker: ["List": [.answer(Keychain.ItemsReply(items: []))]])
        let store = fixture.scratch.file("store")
        let gpg = fixture.scratch.file("gpg")
        try Data("#!/bin/sh\ncat\n".utf8).write(to: URL(filePath: gpg))
        #expect(unsafe chmod(gpg, 0o700) == 0)
        try FileManager.default.createDirectory(atPath: "\(store)/web", withIntermediateDirectories: true)
        try Data("pw".utf8).write(to: URL(filePath: "\(store)/web/me.gpg"))
        // Latin-1, as older systems wrote it.
        let made =
            Array("\(store)/web/caf".utf8CString.dropLast()) + [CChar(bitPattern: 0xE9)] + Array(".gpg".utf8CString)
        let file = unsafe creat(made, 0o600)
        #expect(file >= 0 && close(file) == 0)
        fixture.program.environment["PATH"] = "\(fixture.scratch.path):/usr/bin:/bin"
        let result = try fixture.program.run(["import", "pass", store])
        #expect(
            result.status == 1 && result.errors.contains("web: it has 1 name that is not UTF-8; rename it"), "\(result)"
        )
        #expect(result.errors.contains("nothing was imported"), "\(result)")
    }

    /// Of a file of another form, nothing is recognised, and all of it would be lost.
    @Test func aFileWithoutASecretStays() throws {
        let kept = try run([])
        #expect(kept.status == 0 && kept.errors.contains("no secret was found"), "\(kept)")
        #expect(!kept.errors.contains(Self.remove))
        let removed = try run([], "--remove")
        #expect(removed.errors.contains("so it stays as it is") && !removed.errors.contains("Removed"), "\(removed)")
    }

    @Test func aVaultThatChangedMeanwhileIsNamed() throws {
        let result = try run(
            [Self.login], apply: FakeServer.Step.fault(.alreadyExists, .init(message: "change 1: it is taken")))
        #expect(result.status == 10, "\(result)")
        #expect(result.errors.contains("because your vault changed meanwhile; run the command again"), "\(result)")
    }

    private static func export(_ items: [(name: String, require: String, isAny: Bool)]) -> [UInt8] {
        let lines = items.map {
            #"{"service":"\#($0.name)","account":"me","access":{"accessibility":"when-unlocked","require":[\#($0.require)],"any":\#($0.isAny)},"value":"dg=="}"#
        }
        let all = [#"{"cofferExport":1,"created":""}"#] + lines + [#"{"items":\#(lines.count)}"#]
        return Array(all.joined(separator: "\n").utf8)
    }

    /// The broker would refuse each whole batch that has such an item.
    @Test(arguments: [nil, "unavailable"] as [String?])
    func anItemThatNoFingerOpensHereIsLeftOut(obstacle: String?) throws {
        let reply = Authentication.Biometry.Reply(
            usable: false, type: "fingerprint", reason: "there is no reader", obstacle: obstacle)
        let fixture = try FakeCoffer(
            broker: ["List": [.answer(Keychain.ItemsReply(items: []))]],
            authenticator: ["Biometry": [.answer(reply)]])
        let export = Self.export([
            ("finger", #""biometry""#, false), ("either", #""biometry","passcode""#, true), ("open", "", false),
        ])
        let result = try fixture.program.run("import", "coffer", "-", "--dry-run", input: .bytes(export))
        // In another session of the same machine a finger can be asked for.
        let isLost = obstacle == nil
        #expect(result.status == (isLost ? 1 : 0), "\(result)")
        for name in ["finger", "either"] {
            #expect(result.text.contains("left out       \(name)/me") == isLost, "\(result)")
        }
        #expect(result.text.contains("it requires biometry, and there is no reader") == isLost, "\(result)")
        #expect(result.text.contains("would import   open/me"), "\(result)")
        #expect(fixture.authenticator.calls("Biometry").count == 1)
    }

    @Test func whatTheVaultHasNoRoomForIsRefusedAsAWhole() throws {
        let fixture = try FakeCoffer(broker: ["List": [.answer(Keychain.ItemsReply(items: []))]])
        let file = (0...10_000).map { "machine h\($0).example login me password p\n" }.joined()
        for options in [[], ["--dry-run"]] as [[String]] {
            let result = try fixture.program.run(
                ["import", "netrc", "-"] + options, input: .bytes(Array(file.utf8)))
            #expect(result.status == 1 && result.output.isEmpty, "\(result.errors)")
            #expect(result.errors.contains("your vault would have 10001 secrets"), "\(result.errors)")
        }
        #expect(fixture.broker.calls("Apply").isEmpty)
    }

    /// A program that reads the answer learns which entries are malformed.
    @Test func whatCannotBeReadIsInTheAnswer() throws {
        struct Line: Decodable { var outcome: String, reason: String? }
        let result = try run([#"{"type":1,"name":"Bad","login":{"password":4111}}"#], "--json")
        let lines = try JSONDecoder().decode([Line].self, from: Data(result.output))
        #expect(result.status == 1 && lines.map(\.outcome) == ["left out"], "\(result)")
        #expect(lines.first?.reason == "its field login.password is of another type")
    }

    /// An export counts secrets, and each can have several fields.
    @Test func aSecretWithFieldsCountsOnce() throws {
        let result = try run([Self.loginWithNote], "--dry-run")
        #expect(result.errors.hasSuffix("Would import 1 secret with 2 fields\n"), "\(result)")
    }

    /// A program takes what was imported for done.
    @Test func aTrialSaysWhatItWouldDo() throws {
        struct Line: Decodable { var outcome: String }
        let result = try run([Self.loginWithNote, Self.card], "--dry-run", "--json")
        let lines = try JSONDecoder().decode([Line].self, from: Data(result.output))
        #expect(lines.map(\.outcome) == ["would import", "would import", "left out"], "\(result)")
    }

    @Test func aNameOfAFileIsNotEmpty() throws {
        let program = try FakeCoffer().program
        for words in [["bitwarden", ""], ["coffer", "x", "--identity", ""]] {
            let result = try program.run(["import"] + words)
            #expect(result.status == 64 && result.errors.contains("the file's name must not be empty"), "\(result)")
        }
    }
}
