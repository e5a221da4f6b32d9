import Foundation
import Synchronization
import Testing

@testable import Coffer
@testable import CofferFiles
@testable import CofferSettings

struct HybridStoreTests {
    let fixture: HybridFixture

    init() throws { fixture = try HybridFixture() }

    private let whole = [
        "item user/@manifest", "item user/password", "item user/token", "setting user.@fields",
        "setting user.@revision", "setting user.nickname", "setting user.theme", "file user/notes", "file user/picture",
    ]

    @Test("A record is saved, loaded and deleted as a whole, and each part is in its store")
    func verbs() async throws {
        let store = fixture.store()
        #expect(try await store.load() == nil)
        try await store.save(Person(1))
        #expect(try await fixture.store().load() == Person(1))
        #expect(try await fixture.traces() == whole)
        #expect(
            try await fixture.keychain.attributes(of: "user/password").access == .whenUnlocked.requiring(.userPresence))
        #expect(try await store.delete())
        #expect(try await store.load() == nil)
        #expect(try await fixture.traces().isEmpty)
        #expect(fixture.backend.edit { $0.items.isEmpty }, "the files' keys are gone, too")
        #expect(try await store.delete() == false)
    }

    @Test("A save replaces every part, and leaves nothing of the former record")
    func replaces() async throws {
        let store = fixture.store()
        try await store.save(Person(1))
        try await store.save(Person(3))
        #expect(try await fixture.store().load() == Person(3))
        #expect(try await fixture.traces().count == whole.count)
        var other = Person(4)
        other.token = nil
        other.picture = nil
        try await store.save(other)
        #expect(try await fixture.store().load() == other)
        #expect(try await fixture.keychain.accounts() == ["user/@manifest", "user/password"])
        #expect(try await fixture.files.list(recursively: true).count { !$0.isFolder } == 1)
        #expect(fixture.backend.edit { $0.items.count } == 3)
    }

    @Test("The secrets take one prompt")
    func onePrompt() async throws {
        try await fixture.store().save(Person(1))
        #expect(fixture.backend.edit { $0.prompts } == 0)
        _ = try await fixture.store().load(reason: "Show your account")
        #expect(fixture.backend.edit { $0.prompts } == 1)
    }

    @Test("A setting of the record can be read and changed as a setting")
    func settingsAreSettings() async throws {
        try await fixture.store().save(Person(1))
        let settings = Settings(backend: fixture.settings)
        let theme = SettingKey("user.theme", default: "")
        #expect(try settings.value(for: theme) == "theme 1")
        try settings.set("dark", for: theme)
        try await settings.flush()
        #expect(try await fixture.store().load()?.theme == "dark")
    }

    @Test("A save that ends at any step leaves the former record or the new one, whole", arguments: HybridStep.allCases)
    func crashWhileSaving(step: HybridStep) async throws {
        try await fixture.store().save(Person(1))
        await #expect(throws: Crash.self) { try await fixture.store(crash: step).save(Person(3)) }
        #expect(try await fixture.store().load() == Person(step == .filesWritten ? 1 : 3))
        // The next use finishes or removes what was left.
        try await fixture.store().save(Person(5))
        #expect(try await fixture.store().load() == Person(5))
        #expect(try await fixture.traces().count == whole.count)
        #expect(fixture.backend.edit { $0.items.count } == 5)
    }

    @Test("A first save that ends at any step leaves no record or a whole one", arguments: HybridStep.allCases)
    func crashWhileSavingFirst(step: HybridStep) async throws {
        await #expect(throws: Crash.self) { try await fixture.store(crash: step).save(Person(3)) }
        #expect(try await fixture.store().load() == (step == .filesWritten ? nil : Person(3)))
        try await fixture.store().delete()
        #expect(try await fixture.traces().isEmpty)
        #expect(fixture.backend.edit { $0.items.isEmpty })
    }

    @Test(
        "A deletion that ends at any step is finished by the next one",
        arguments: [HybridStep.committed, .settingsWritten])
    func crashWhileDeleting(step: HybridStep) async throws {
        try await fixture.store().save(Person(1))
        await #expect(throws: Crash.self) { try await fixture.store(crash: step).delete() }
        #expect(try await fixture.store().load() == nil)
        #expect(try await fixture.traces().allSatisfy { $0.hasPrefix("file") })
        try await fixture.store().delete()
        #expect(try await fixture.traces().isEmpty)
        #expect(fixture.backend.edit { $0.items.isEmpty })
    }

    @Test("A record that was left by a deletion does not shine through the next one")
    func saveAfterCrashedDeletion() async throws {
        try await fixture.store().save(Person(1))
        await #expect(throws: Crash.self) { try await fixture.store(crash: .committed).delete() }
        await #expect(throws: Crash.self) { try await fixture.store(crash: .committed).save(Person(2)) }
        #expect(try await fixture.store().load() == Person(2))
    }

    @Test("A store that refuses its part leaves the former record whole", arguments: ["items", "settings", "files"])
    func refusals(which: String) async throws {
        try await fixture.store().save(Person(1))
        var failed = true
        do {
            switch which {
            case "items":
                fixture.backend.edit { $0.failingChange = 2 }
                try await fixture.store().save(Person(3))
            case "settings":
                fixture.settings.fail(with: SettingsError(.busy, "busy"))
                try await fixture.store().save(Person(3))
            default:
                try FileManager.default.removeItem(atPath: fixture.folder + "/user")
                try Data().write(to: URL(fileURLWithPath: fixture.folder + "/user"))
                try await fixture.store().save(Person(3))
            }
            failed = false
        } catch {}
        #expect(failed)
        fixture.backend.edit { $0.failingChange = nil }
        fixture.settings.fail(with: nil)
        if which == "files" {
            #expect(await keychainCode { _ = try await fixture.store().load() } == .damaged)
            #expect(try await fixture.keychain.string(for: "user/token") == "\"token 1\"")
        } else {
            #expect(try await fixture.store().load() == Person(1))
        }
    }

    @Test("Programs that save at the same time leave one whole record, and readers see only whole ones")
    func concurrent() async throws {
        try await fixture.store().save(Person(0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...8 {
                group.addTask {
                    for step in 0..<3 { try await fixture.store().save(Person(number * 10 + step)) }
                }
                group.addTask {
                    for _ in 0..<6 {
                        let person = try #require(try await fixture.store().load())
                        let number = try #require(person.token?.split(separator: " ").last.flatMap { Int($0) })
                        #expect(person == Person(number))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await fixture.store().load() != nil)
        try await fixture.store().save(Person(1))
        #expect(try await fixture.traces().count == whole.count)
    }

    @Test("A record that another program saves while it is loaded is loaded anew, and never mixed")
    func otherSaveWhileLoading() async throws {
        // Without files and settings, nothing but the manifest tells one save from another.
        struct Pair: HybridRecord, Equatable {
            var one: String?
            var two: String?

            static let fields: [HybridField<Pair>] = [.secret("one", \.one), .secret("two", \.two)]
        }
        let fixture = fixture
        let (former, later) = (Pair(one: "1"), Pair(one: "2", two: "2"))
        try await fixture.store(Pair.self).save(former)
        try await fixture.store(name: "person").save(Person(1))
        beforeSecondRead { try await fixture.store(Pair.self).save(later) }
        #expect(try await fixture.store(Pair.self).load() == later)
        beforeSecondRead { try await fixture.store(name: "person").save(Person(3)) }
        #expect(try await fixture.store(name: "person").load() == Person(3))
    }

    /// The first read of a load is of the manifest, the second one of the secrets.
    private func beforeSecondRead(_ body: @escaping @Sendable () async throws -> Void) {
        let fixture = fixture
        fixture.backend.edit { $0.beforeRead = { fixture.backend.edit { $0.beforeRead = body } } }
    }

    @Test("A program that cleans up takes no file of a save that is under way")
    func cleaningSparesSaves() async throws {
        let fixture = fixture
        let (written, go) = (Gate(), Gate())
        let slow = Task {
            let root = try FileRoot.making(fixture.files.place())
            let writers = try await FolderState(in: root).lock(.writers, isShared: true)
            defer { writers.keep() }
            try await fixture.files.write([1], to: "user/picture-new")
            written.open()
            await go.pass()
        }
        await written.pass()
        try await fixture.store().removeOrphans()
        #expect(try await fixture.files.exists("user/picture-new"))
        go.open()
        try await slow.value
        try await fixture.store().removeOrphans()
        #expect(try await fixture.files.exists("user/picture-new") == false)
    }

    @Test("A save lets nobody clean up until its manifest names the new files")
    func saveIsAmongTheWriters() async throws {
        let fixture = fixture
        let free = Mutex<[Bool]>([])
        let store = HybridStore(
            Person.self, name: "user", keychain: fixture.keychain,
            settings: Settings(backend: fixture.settings, batch: .seconds(3600)), files: fixture.files
        ) { step in
            guard step == .filesWritten else { return }
            let state = try FolderState(in: FileRoot.making(fixture.files.place()))
            if let alone = try state.tryLock(.writers) {
                alone.keep()
                free.withLock { $0.append(true) }
            } else {
                free.withLock { $0.append(false) }
            }
        }
        try await store.save(Person(1))
        #expect(free.withLock { $0 } == [false])
    }

    @Test("A record without a file that it names is damaged, not half loaded")
    func missingFile() async throws {
        try await fixture.store().save(Person(1))
        let file = try #require(try await fixture.files.list(in: "user").first)
        try await fixture.files.delete(file.path)
        #expect(await keychainCode { _ = try await fixture.store().load() } == .damaged)
    }

    @Test("A newer version of the program gives new fields their defaults, and removes old secrets at a save")
    func otherVersion() async throws {
        struct Newer: HybridRecord, Equatable {
            var token: String?
            var theme = ""
            var color = "blue"
            var key: [UInt8]? = [7]

            static let fields: [HybridField<Newer>] = [
                .secret("token", \.token), .setting("theme", \.theme), .setting("color", \.color), .file("key", \.key),
            ]
        }
        try await fixture.store().save(Person(1))
        var newer = try #require(try await fixture.store(Newer.self).load())
        #expect(newer.token == "token 1" && newer.theme == "theme 1" && newer.color == "blue" && newer.key == [7])
        newer.key = nil
        try await fixture.store(Newer.self).save(newer)
        #expect(try await fixture.store(Newer.self).load() == newer)
        #expect(try await fixture.keychain.accounts() == ["user/@manifest", "user/token"])
    }

    @Test("Records of other names stay")
    func names() async throws {
        try await fixture.store(name: "one").save(Person(1))
        try await fixture.store(name: "two").save(Person(2))
        try await fixture.store(name: "one").delete()
        #expect(try await fixture.store(name: "two").load() == Person(2))
        for name in ["", "a/b", "..", "a.b", String(repeating: "a", count: 101)] {
            #expect(await keychainCode { try await fixture.store(name: name).save(Person(1)) } == .invalidArgument)
            #expect(await keychainCode { try await fixture.store(name: name).delete() } == .invalidArgument)
        }
    }

    /// Fills the suite but for so many settings.
    private func fillSettings(leaving room: Int) async throws {
        let settings = Settings(backend: fixture.settings)
        let present = try fixture.settings.read().values.count
        try await settings.update { (draft) throws(SettingsError) in
            for number in 0..<(SettingsLimits.count - present - room) {
                try draft.set(number, for: SettingKey("other \(number)", default: 0))
            }
        }
    }

    @Test("A record whose settings have no room in the suite is refused before anything is stored")
    func noRoom() async throws {
        try await fillSettings(leaving: 2)
        await #expect(throws: SettingsError.self) { try await fixture.store().save(Person(1)) }
        #expect(try await fixture.store().load() == nil)
        #expect(try await fixture.keychain.list().isEmpty)
    }

    @Test("A record is whole if others fill the suite before its settings are written")
    func roomIsGone() async throws {
        await #expect(throws: Crash.self) { try await fixture.store(crash: .committed).save(Person(1)) }
        try await fillSettings(leaving: 1)
        #expect(try await fixture.store().load() == Person(1))
        #expect(try await fixture.store().delete())
        #expect(try await fixture.store().load() == nil)
    }

    @Test("A record of many settings is saved and deleted")
    func manySettings() async throws {
        struct Wide: HybridRecord, Equatable {
            var text = "a"
            static let fields: [HybridField<Wide>] = (0..<130).map { .setting("f\($0)", \.text) }
        }
        try await fixture.store(Wide.self).save(Wide(text: "b"))
        #expect(try await fixture.store(Wide.self).load() == Wide(text: "b"))
        #expect(try await fixture.store(Wide.self).delete())
    }

    @Test("Names have 1 to 100 plain characters, and a record 31 secrets at most")
    func limits() async throws {
        struct One: HybridRecord {
            var a: String?
            static let fields: [HybridField<One>] = [.secret("a", \.a)]
        }
        struct Most: HybridRecord {
            var a: String?
            static let fields: [HybridField<Most>] = (0..<31).map { .secret("a\($0)", \.a) }
        }
        for name in ["n", "azAZ09-_", String(repeating: "n", count: 100)] {
            try await fixture.store(One.self, name: name).save(One(a: "x"))
            #expect(try await fixture.store(One.self, name: name).load()?.a == "x")
        }
        for name in ["", String(repeating: "n", count: 101), "a/b", "a b", "é", "a.b"] {
            let code = await keychainCode { try await fixture.store(One.self, name: name).save(One(a: "x")) }
            #expect(code == .invalidArgument, "\(name)")
        }
        try await fixture.store(Most.self).save(Most(a: "x"))
        #expect(try await fixture.store(Most.self).load()?.a == "x")
    }

    @Test("A record with two fields of one name, or with too many secrets, is refused")
    func impossibleRecords() async throws {
        struct Twice: HybridRecord {
            var a: String?
            static let fields: [HybridField<Twice>] = [.secret("a", \.a), .setting("a", \.a)]
        }
        struct Many: HybridRecord {
            var a: String?
            static let fields: [HybridField<Many>] = (0..<32).map { .secret("a\($0)", \.a) }
        }
        #expect(await keychainCode { try await fixture.store(Twice.self).save(Twice()) } == .invalidArgument)
        #expect(await keychainCode { try await fixture.store(Many.self).save(Many()) } == .limitExceeded)
    }
}
