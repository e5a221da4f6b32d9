import Foundation
import TestSupport
import Testing

/// Machines that share their secrets over a folder: each has a TPM simulator, a broker, an authenticator and PAM of its
/// own, and people type the commands of docs/how-to/two-laptops.md.
@Suite struct SeveralMachinesTests {
    private static let password = "sandbox"

    private let folder = "/tmp/coffer-shared-\(UUID().uuidString.prefix(8))"

    /// A folder that goes with the test.
    private final class Folder {
        let path: String
        init(_ path: String) throws {
            self.path = path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        // `try?`: a test that failed has said so already.
        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// Every file, by its path in the folder.
        func files() throws -> [String: Data] {
            var files: [String: Data] = [:]
            for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
                var isFolder: ObjCBool = false
                let whole = "\(path)/\(name)"
                guard unsafe FileManager.default.fileExists(atPath: whole, isDirectory: &isFolder), !isFolder.boolValue
                else { continue }
                files[name] = try Data(contentsOf: URL(fileURLWithPath: whole))
            }
            return files
        }
    }

    @discardableResult
    private func succeed(
        _ machine: Sandbox, _ arguments: String..., input: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let outcome = try machine.coffer(arguments, input: Array(input.utf8), password: Self.password)
        try #require(outcome.code == 0, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
        return outcome
    }

    private func begin(_ desk: Sandbox, _ name: String) throws {
        let begun = try succeed(desk, "sync", "init", folder, "--name", name)
        #expect(begun.all.contains("coffer sync join"), "\(begun)")
    }

    /// - Returns: the five words that each of the two machines has shown.
    private func join(_ machine: Sandbox, _ name: String, by member: Sandbox) throws -> (there: String, here: String) {
        let asked = try succeed(machine, "sync", "join", folder, "--name", name, "--no-wait")
        let code = try #require(asked.all.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("JOIN-") })
        let added = try succeed(member, "sync", "add", input: "\(code)\n")
        #expect(added.all.contains(name), "\(added)")
        let joined = try succeed(machine, "sync", "join", folder, "--name", name)
        return (added.all, joined.all)
    }

    @Test func threeMachinesShareAndNobodyElseReads() throws {
        let shared = try Folder(folder)
        let (desk, laptop, spare) = (try Sandbox(), try Sandbox(), try Sandbox())
        try succeed(desk, "set", "github", "me", input: "from the desk")
        try succeed(desk, "set", "bank", "me", "--require", "presence", input: "guarded")
        try succeed(laptop, "set", "github", "me", input: "from the laptop")
        try succeed(laptop, "set", "wifi", "home", input: "radio")
        try begin(desk, "desk")
        let words = try join(laptop, "laptop", by: desk)
        #expect(words.there.contains("The new machine must show the same words"))
        try succeed(desk, "sync", "now")
        // What both had is together. The later value is shown by both.
        for machine in [desk, laptop] {
            #expect(try succeed(machine, "get", "github", "me").text == "from the laptop")
            #expect(try succeed(machine, "get", "wifi", "home").text == "radio")
        }
        // What requires a person is where it was, and says so.
        #expect(try laptop.coffer("get", "bank", "me", password: Self.password).code == 3)
        #expect(try succeed(desk, "sync", "now").all.contains("coffer sync release"))
        // Each change travels by itself: a field here, a comment there, a name, the bin.
        try succeed(desk, "set", "github", "me", "--field", "pin", input: "1234")
        try succeed(laptop, "edit", "github", "me", "--comment", "ours")
        try succeed(laptop, "rename", "wifi", "home", "radio", "home")
        for machine in [desk, laptop, desk, laptop] { try succeed(machine, "sync", "now") }
        for machine in [desk, laptop] {
            #expect(try succeed(machine, "get", "github", "me", "--field", "pin").text == "1234")
            #expect(try succeed(machine, "show", "github", "me").text.contains("ours"))
            #expect(try succeed(machine, "get", "radio", "home").text == "radio")
        }
        try succeed(desk, "rm", "-f", "radio", "home")
        // A third machine comes in while the laptop is away.
        _ = try join(spare, "spare", by: desk)
        try succeed(spare, "set", "late", "comer", input: "3")
        for machine in [spare, desk, laptop, spare, desk] { try succeed(machine, "sync", "now") }
        for machine in [desk, laptop, spare] {
            #expect(try succeed(machine, "get", "late", "comer").text == "3")
            #expect(try machine.coffer("get", "radio", "home").code == 3)
            let status = try succeed(machine, "sync", "status").text
            for name in ["desk", "laptop", "spare"] { #expect(status.contains(name), "\(status)") }
        }
        let digests = try [desk, laptop, spare].map { machine in
            try #require(
                JSONSerialization.jsonObject(with: Data(succeed(machine, "sync", "status", "--json").output))
                    as? [String: Any])["digest"] as? String
        }
        #expect(Set(digests).count == 1)
        // Who keeps the folder reads nothing.
        for (name, content) in try shared.files() {
            for text in ["github", "from the", "radio", "desk", "laptop", "1234"] {
                #expect(content.range(of: Data(text.utf8)) == nil, "\(name) has \(text)")
            }
        }
        for machine in [desk, laptop, spare] {
            let doctor = try machine.coffer("doctor")
            #expect(doctor.all.contains("the whole vault was checked"), "\(doctor)")
        }
    }

    /// Each machine's own TPM and its own authenticator ask its own person.
    @Test func guardedSecretsAskOnEachMachine() throws {
        let shared = try Folder(folder)
        let (desk, laptop, spare) = (try Sandbox(), try Sandbox(), try Sandbox())
        try succeed(desk, "set", "old", "me", "--require", "presence", input: "from before")
        try begin(desk, "desk")
        _ = try join(laptop, "laptop", by: desk)
        try succeed(desk, "sync", "now")
        try succeed(laptop, "sync", "now")
        // What is set from now on asks on both.
        try succeed(desk, "set", "bank", "me", "--require", "presence", input: "guarded")
        try succeed(laptop, "set", "card", "me", "--require", "passcode", input: "1234")
        for machine in [desk, laptop, desk] { try succeed(machine, "sync", "now") }
        for machine in [desk, laptop] {
            #expect(try machine.coffer("get", "bank", "me", "--no-prompt").code == 4)
            #expect(try machine.coffer("get", "bank", "me", password: "wrong").code == 4)
            #expect(try succeed(machine, "get", "bank", "me").text == "guarded")
            #expect(try succeed(machine, "get", "card", "me").text == "1234")
        }
        // What was there before is released by a person.
        #expect(try laptop.coffer("get", "old", "me", password: Self.password).code == 3)
        #expect(try desk.coffer("sync", "release", "--no-prompt").code == 4)
        #expect(try desk.coffer("sync", "release", password: "wrong").code == 4)
        let asked = try succeed(desk, "sync", "release")
        #expect(asked.all.contains("Released 1 secret to laptop"), "\(asked)")
        try succeed(laptop, "sync", "now")
        #expect(try succeed(laptop, "get", "old", "me").text == "from before")
        #expect(try succeed(desk, "sync", "release").all.contains("nothing to release"))
        // A machine that comes later gets them from one that did not make them.
        _ = try join(spare, "spare", by: desk)
        #expect(try succeed(spare, "sync", "now").all.contains("released to this machine"))
        try succeed(laptop, "sync", "now")
        let all = try succeed(laptop, "sync", "release", "--to", "spare")
        #expect(all.all.contains("Released 3 secrets to spare"), "\(all)")
        try succeed(spare, "sync", "now")
        for (service, value) in [("old", "from before"), ("bank", "guarded"), ("card", "1234")] {
            #expect(try spare.coffer("get", service, "me", "--no-prompt").code == 4)
            #expect(try succeed(spare, "get", service, "me").text == value)
        }
        // Renamed and guarded otherwise, each once by a person.
        try succeed(spare, "rename", "bank", "me", "savings", "me")
        for machine in [spare, desk, laptop] { try succeed(machine, "sync", "now") }
        for machine in [desk, laptop] { #expect(try succeed(machine, "get", "savings", "me").text == "guarded") }
        #expect(try succeed(desk, "log").text.contains("released to laptop"))
        for machine in [desk, laptop, spare] {
            let doctor = try machine.coffer("doctor")
            #expect(doctor.all.contains("the whole vault was checked"), "\(doctor)")
        }
        _ = shared
    }

    /// A machine renews all its keys, and stays with the others. What waits there is said before.
    @Test func renewedKeysStayWithTheOthers() throws {
        let shared = try Folder(folder)
        let (desk, laptop) = (try Sandbox(), try Sandbox())
        try begin(desk, "desk")
        _ = try join(laptop, "laptop", by: desk)
        try succeed(desk, "set", "github", "me", input: "from the desk")
        try succeed(laptop, "set", "bank", "me", "--require", "presence", input: "guarded")
        for machine in [desk, laptop, desk] { try succeed(machine, "sync", "now") }
        try succeed(laptop, "set", "late", "me", input: "not given out yet")
        #expect(try laptop.coffer("rotate", "--all", password: "wrong").code == 4)
        let renewed = try succeed(laptop, "rotate", "--all")
        #expect(renewed.all.contains("The other machines are told"), "\(renewed)")
        for machine in [laptop, desk, laptop] { try succeed(machine, "sync", "now") }
        try succeed(desk, "set", "after", "me", "--require", "presence", input: "afterwards")
        for machine in [desk, laptop] { try succeed(machine, "sync", "now") }
        for machine in [desk, laptop] {
            for (service, value) in [("github", "from the desk"), ("bank", "guarded"), ("late", "not given out yet")] {
                #expect(try succeed(machine, "get", service, "me").text == value)
            }
            #expect(try succeed(machine, "get", "after", "me").text == "afterwards")
            #expect(try !succeed(machine, "sync", "now").all.contains("coffer sync release"))
            let status = try succeed(machine, "sync", "status").text
            #expect(status.contains("desk") && status.contains("laptop"), "\(status)")
            let doctor = try machine.coffer("doctor")
            #expect(doctor.all.contains("the whole vault was checked"), "\(doctor)")
        }
        _ = shared
    }

    /// Two people set the same secret while they are apart. Both values are read, and one decision is everybody's.
    @Test func whatBothChangeIsKeptUntilSomebodyDecides() throws {
        let shared = try Folder(folder)
        let (desk, laptop) = (try Sandbox(), try Sandbox())
        try begin(desk, "desk")
        _ = try join(laptop, "laptop", by: desk)
        try succeed(desk, "set", "github", "me", input: "before")
        for machine in [desk, laptop] { try succeed(machine, "sync", "now") }
        try succeed(desk, "set", "github", "me", input: "from the desk")
        try succeed(laptop, "set", "github", "me", input: "from the laptop")
        for machine in [desk, laptop, desk] { try succeed(machine, "sync", "now") }
        for machine in [desk, laptop] {
            #expect(try succeed(machine, "get", "github", "me").text == "from the laptop")
            for command in ["now", "status"] {
                let told = try succeed(machine, "sync", command).text
                #expect(told.contains("1 thing was changed") && told.contains("coffer sync conflicts"), "\(told)")
            }
            let listed = try succeed(machine, "sync", "conflicts").text
            #expect(listed.contains("desk") && listed.contains("laptop") && !listed.contains("from the"), "\(listed)")
            let read = try succeed(machine, "sync", "conflicts", "github", "me", "--values").text
            #expect(read.contains("secret of desk: from the desk\n"), "\(read)")
            #expect(read.contains("secret of laptop: from the laptop\n"), "\(read)")
        }
        try succeed(laptop, "sync", "resolve", "github", "me", "--take", "desk")
        for machine in [laptop, desk] { try succeed(machine, "sync", "now") }
        for machine in [desk, laptop] {
            #expect(try succeed(machine, "get", "github", "me").text == "from the desk")
            #expect(try succeed(machine, "sync", "conflicts", "--json").text == "[\n\n]\n")
            #expect(try !succeed(machine, "sync", "status").text.contains("Conflicts"))
        }
        // Somebody has decided already.
        #expect(try desk.coffer("sync", "resolve", "github", "me", "--both", password: Self.password).code == 3)
        #expect(try succeed(laptop, "log").text.contains("decided: field secret"))
        _ = shared
    }

    /// Attacker 10 keeps the folder.
    @Test func whoKeepsTheFolderChangesNothing() throws {
        let shared = try Folder(folder)
        let (desk, laptop) = (try Sandbox(), try Sandbox())
        try begin(desk, "desk")
        _ = try join(laptop, "laptop", by: desk)
        try succeed(desk, "set", "github", "me", input: "one")
        try succeed(desk, "sync", "now")
        let older = try shared.files()
        try succeed(laptop, "sync", "now")
        try succeed(desk, "set", "github", "me", input: "two")
        try succeed(desk, "sync", "now")
        try succeed(laptop, "sync", "now")
        // An older state of everything.
        let newer = try shared.files()
        try put(older)
        #expect(try succeed(laptop, "get", "github", "me").text == "two")
        try succeed(laptop, "sync", "now")
        #expect(try succeed(laptop, "get", "github", "me").text == "two")
        // The desk puts again what is its own.
        try succeed(desk, "sync", "now")
        #expect(try Set(shared.files().keys).isSuperset(of: newer.keys))
        // Each file with one byte changed, and all of them gone.
        for name in newer.keys.sorted() where !name.hasSuffix("beacon") {
            var content = try #require(newer[name])
            content[content.count / 2] ^= 1
            try content.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            #expect(try laptop.coffer("sync", "now", password: Self.password).code == 0, "\(name)")
            try put(newer)
        }
        for name in newer.keys { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        for machine in [laptop, desk, laptop] { _ = try machine.coffer("sync", "now", password: Self.password) }
        for machine in [desk, laptop] {
            #expect(try succeed(machine, "get", "github", "me").text == "two")
            #expect(try machine.coffer("doctor").all.contains("the whole vault was checked"))
        }
        try succeed(laptop, "set", "gitlab", "me", input: "three")
        for machine in [laptop, desk] { try succeed(machine, "sync", "now") }
        #expect(try succeed(desk, "get", "gitlab", "me").text == "three")
    }

    private func put(_ files: [String: Data]) throws {
        for (name, content) in files {
            let url = URL(fileURLWithPath: "\(folder)/\(name)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try content.write(to: url)
        }
    }

    /// A machine is lost, is found again, and another one leaves (attacker 11).
    @Test func aLostMachineIsRemovedAndComesBack() throws {
        let shared = try Folder(folder)
        let (desk, laptop, spare) = (try Sandbox(), try Sandbox(), try Sandbox())
        try begin(desk, "desk")
        for (machine, name) in [(laptop, "laptop"), (spare, "spare")] { _ = try join(machine, name, by: desk) }
        try succeed(desk, "set", "github", "me", input: "one")
        for machine in [desk, laptop, spare] { try succeed(machine, "sync", "now") }
        #expect(try desk.coffer("sync", "remove", "nobody", password: Self.password).code == 3)
        #expect(try desk.coffer("sync", "remove", "laptop", password: "wrong").code == 4)
        #expect(try succeed(desk, "sync", "status").text.contains("laptop"))
        let removed = try succeed(desk, "sync", "remove", "laptop")
        #expect(removed.all.contains("coffer sync exposed laptop"), "\(removed)")
        #expect(
            try succeed(desk, "sync", "exposed", "laptop").text
                == "SECRET\tFIELDS\tMACHINE\tREADABLE\ngithub/me\tsecret\tlaptop\tthere\n")
        try succeed(desk, "set", "github", "me", input: "two")
        #expect(try succeed(desk, "sync", "exposed", "laptop").all.contains("could read none of your secrets"))
        for machine in [desk, spare] { try succeed(machine, "sync", "now") }
        #expect(try succeed(spare, "get", "github", "me").text == "two")
        for command in ["now", "status"] {
            let outcome = try laptop.coffer("sync", command, password: Self.password)
            #expect(outcome.code == 6 && outcome.all.contains("was removed"), "\(outcome)")
        }
        #expect(try laptop.coffer("sync", "remove", "desk", password: Self.password).code == 6)
        #expect(try succeed(laptop, "get", "github", "me").text == "one")
        try succeed(laptop, "set", "own", "thing", input: "x")
        _ = try laptop.coffer("sync", "now", password: Self.password)
        try succeed(desk, "sync", "now")
        #expect(try desk.coffer("get", "own", "thing", password: Self.password).code == 3)
        // Nobody is asked, because this machine is no member.
        #expect(try laptop.coffer("sync", "leave").code == 0)
        #expect(try laptop.coffer("sync", "now", password: Self.password).code == 3)
        _ = try join(laptop, "laptop", by: spare)
        for machine in [spare, laptop, desk] { try succeed(machine, "sync", "now") }
        #expect(try succeed(laptop, "get", "github", "me").text == "two")
        #expect(try succeed(desk, "get", "own", "thing").text == "x")
        try succeed(spare, "set", "last", "word", input: "3")
        #expect(try spare.coffer("sync", "leave", password: "wrong").code == 4)
        try succeed(spare, "sync", "leave")
        for machine in [desk, laptop] {
            try succeed(machine, "sync", "now")
            let status = try succeed(machine, "sync", "status").text
            #expect(!status.contains("spare") && status.contains("laptop"), "\(status)")
            #expect(try succeed(machine, "get", "last", "word").text == "3")
        }
        #expect(try spare.coffer("sync", "now", password: Self.password).code == 3)
        #expect(try succeed(spare, "get", "github", "me").text == "two")
        for machine in [desk, laptop, spare] {
            let doctor = try machine.coffer("doctor")
            #expect(doctor.all.contains("the whole vault was checked"), "\(doctor)")
        }
        _ = shared
    }

    /// A wrong person, a wrong code, a locked vault, and a broker that was started again.
    @Test func nobodyIsLetInByMistake() throws {
        let shared = try Folder(folder)
        let (desk, laptop) = (try Sandbox(), try Sandbox())
        #expect(try desk.coffer("sync", "init", folder, password: "wrong").code == 4)
        #expect(try desk.coffer("sync", "now", password: Self.password).code == 3)
        try begin(desk, "desk")
        let asked = try succeed(laptop, "sync", "join", folder, "--no-wait")
        let code = try #require(asked.all.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("JOIN-") })
        // One character is another one.
        var mistyped = Array(code)
        mistyped[8] = mistyped[8] == "A" ? "B" : "A"
        let refused = try desk.coffer(
            "sync", "add", input: Array("\(String(mistyped))\n".utf8), password: Self.password)
        #expect(refused.code == 64, "\(refused)")
        #expect(try desk.coffer("sync", "add", input: Array("\(code)\n".utf8), password: "wrong").code == 4)
        #expect(try laptop.coffer("sync", "join", folder, "--no-wait", password: Self.password).code == 0)
        #expect(try succeed(desk, "sync", "status", "--json").text.contains("laptop") == false)
        try succeed(desk, "sync", "add", input: "\(code)\n")
        // The new person does not agree.
        #expect(try laptop.coffer("sync", "join", folder, password: "wrong").code == 4)
        #expect(try laptop.coffer("sync", "now", password: Self.password).code == 3)
        try succeed(laptop, "sync", "join", folder)
        try succeed(laptop, "lock")
        #expect(try laptop.coffer("sync", "now", "--no-prompt").code == 4)
        try desk.script("stop-broker")
        try desk.script("start-broker")
        try succeed(desk, "set", "github", "me", input: "one")
        try succeed(desk, "sync", "now")
        try succeed(laptop, "sync", "now")
        #expect(try succeed(laptop, "get", "github", "me").text == "one")
        // The one who began can renew all keys, too.
        try succeed(desk, "rotate", "--all")
        try succeed(desk, "set", "github", "me", input: "two")
        for machine in [desk, laptop, desk, laptop] { try succeed(machine, "sync", "now") }
        #expect(try succeed(laptop, "get", "github", "me").text == "two")
        let log = try succeed(desk, "log").text
        #expect(log.contains("share"), "\(log)")
        _ = shared
    }
}
