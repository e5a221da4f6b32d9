import Authorization
import BrokerProtocol
import Foundation
import Glibc
import RootConfiguration
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker
@testable import Platform

/// What doctor says of files, folders and sockets, one thing at a time.
struct FilesFindingsTests {
    private let folder: TemporaryFolder
    private let user = OwnProcess.effectiveUser
    private let owner = Owner.user(OwnProcess.effectiveUser)
    private let configuration: Configuration

    init() throws {
        folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.vaultDirectory = folder.path + "/vaults"
        configuration.registryDirectory = folder.path + "/registry"
        configuration.socket = folder.path + "/run/coffer.sock"
        configuration.authenticatorSocket = folder.path + "/run/private.sock"
        configuration.authSocket = folder.path + "/auth/auth.sock"
        self.configuration = configuration
        try Folder.make(configuration.vaultDirectory, mode: 0o700)
        for name in ["registry", "run", "auth"] { try Folder.make("\(folder.path)/\(name)", mode: 0o755) }
    }

    private func put(_ name: String, mode: mode_t = 0o600) throws {
        try DurableFile.write([0], to: "\(folder.path)/\(name)", mode: mode)
    }

    private func chmod(_ name: String, _ mode: mode_t) throws {
        let result = unsafe Glibc.chmod("\(folder.path)/\(name)", mode)
        try #require(result == 0)
    }

    // MARK: One place

    @Test("a place is judged by what it is, whose it is, and who else can reach it, in this order")
    func place() throws {
        try put("file", mode: 0o640)
        let (path, missing) = (folder.path + "/file", folder.path + "/missing")
        #expect(Place(path, .file, user, closed: 0o037).problem()?.message == nil)
        let kinds: [(Place.Kind, String)] = [(.folder, "folder"), (.socket, "socket")]
        for (kind, name) in kinds {
            #expect(Place(path, kind, user, closed: 0).problem()?.message == "\(path) is not a \(name)")
        }
        #expect(Place(folder.path, .folder, user, closed: 0o077).problem()?.message == nil)
        #expect(Place(folder.path, .file, user, closed: 0).problem()?.message == "\(folder.path) is not a file")
        let foreign = Place(path, .file, user + 1, closed: 0o077).problem()
        #expect(foreign?.message == "\(path) belongs to uid \(user) instead of \(user + 1)")
        #expect(foreign?.advice.contains("chown \(user + 1) \(path)") == true)
        let open = Place(path, .file, user, closed: 0o077).problem()
        #expect(open?.message == "\(path) is open to others (mode 640)" && open?.advice == "chmod 600 \(path)")
        #expect(Place(missing, .file, user, closed: 0).problem()?.advice == "restore it from a backup")
        #expect(
            Place(missing, .folder, user, closed: 0).problem()?.advice
                == "if \(missing) has a disk of its own, mount that first; otherwise restore it from a backup")
        #expect(Place(missing, .socket, user, closed: 0).problem()?.advice == "start Coffer's socket units")
        #expect(Place(missing, .file, user, closed: 0).problem()?.message == "\(missing) is missing")
        #expect(Place(missing, .file, user, closed: 0, mayBeMissing: true).problem()?.message == nil)
        let long = folder.path + "/" + String(repeating: "x", count: 300)
        let unknown = Place(long, .file, user, closed: 0, mayBeMissing: true).problem()
        #expect(unknown?.message.hasPrefix("\(long) cannot be examined: ") == true)
    }

    @Test("a key that others could read is renewed after it is closed, and what others could write is compared before")
    func exposed() throws {
        try put("key", mode: 0o644)
        let path = folder.path + "/key"
        let key = Place(path, .file, user, closed: 0o077, exposure: .read("renew it")).problem()
        #expect(key?.advice == "find out who could read it; then: chmod 600 \(path); then renew it")
        let foreign = Place(path, .file, user + 1, closed: 0o077, exposure: .read("renew it")).problem()
        #expect(foreign?.advice.hasSuffix("chown \(user + 1) \(path); then renew it") == true)
        try chmod("key", 0o666)
        let record = Place(path, .file, user, closed: 0o022, exposure: .written("compare it")).problem()
        #expect(record?.advice == "find out who could write it, and compare it; then: chmod 644 \(path)")
        // These are the places.
        let sample = try RegistryRecord.tpmSample(owner)
        for name in ["registry/signing-key.pem", "vaults/\(owner.fileStem).vault"] { try put(name) }
        try Folder.make(configuration.registryDirectory + "/vaults", mode: 0o755)
        try Folder.make(configuration.registryDirectory + "/former-keys", mode: 0o700)
        try put("registry/vaults/\(owner.fileStem).json", mode: 0o644)
        let cases: [(String, mode_t, mode_t, String)] = [
            (
                "registry/signing-key.pem", 0o644, 0o600,
                "coffer rotate --signing-key; then each owner runs: coffer rotate --all"
            ),
            ("registry/former-keys", 0o755, 0o700, "runs: coffer rotate --all"),
            (
                "registry/vaults/\(owner.fileStem).json", 0o666, 0o644,
                "chmod 644 \(folder.path)/registry/vaults/\(owner.fileStem).json"
            ),
            ("registry", 0o777, 0o755, "chmod 755 \(folder.path)/registry"),
        ]
        for (name, open, closed, end) in cases {
            try chmod(name, open)
            let found = FilesCheck.findings(facts(sample))
            #expect(found.count == 1 && found.first?.advice?.hasPrefix("find out who could ") == true, "\(found)")
            #expect(found.first?.advice?.hasSuffix(end) == true, "\(found)")
            try chmod(name, closed)
        }
        #expect(FilesCheck.findings(facts(sample)).map(\.verdict) == [.ok])
    }

    // MARK: Files

    private func facts(_ record: RegistryRecord? = nil) -> DiagnosisFacts {
        var facts = DiagnosisFacts.sample(configuration, owner: owner)
        facts.record = record
        return facts
    }

    @Test("without a vault the folders are looked at, and with one its file, its record and the signing key too")
    func files() throws {
        #expect(FilesCheck.findings(facts()).map(\.verdict) == [.ok])
        let record = try RegistryRecord.tpmSample(owner)
        let key = configuration.registryDirectory + "/signing-key.pem"
        // The gaps name a vault's file or record that is missing.
        #expect(FilesCheck.findings(facts(record)).map(\.message) == ["\(key) is missing"])
        try put("registry/signing-key.pem")
        #expect(FilesCheck.findings(facts(record)).map(\.verdict) == [.ok])
        try Folder.make(configuration.registryDirectory + "/vaults", mode: 0o755)
        let names = ["vaults/\(owner.fileStem).vault", "registry/vaults/\(owner.fileStem).json"]
        for name in names { try put(name) }
        #expect(FilesCheck.findings(facts(record)).map(\.verdict) == [.ok])
        for name in names + ["vaults", "registry", "registry/signing-key.pem"] {
            let isFolder = !name.contains(".")
            try chmod(name, isFolder ? 0o777 : 0o666)
            let found = FilesCheck.findings(facts(record))
            #expect(found.map(\.verdict) == [.problem], "\(name): \(found)")
            #expect(found.first?.message.hasPrefix("\(folder.path)/\(name) is open to others") == true, "\(found)")
            try chmod(name, isFolder ? 0o700 : 0o600)
        }
        try FileManager.default.removeItem(atPath: configuration.vaultDirectory)
        #expect(
            FilesCheck.findings(facts()).map(\.message) == ["\(configuration.vaultDirectory) is missing"])
    }

    @Test("an owner hears which part of their vault is missing, and of others' vaults how many; root hears of all")
    func gaps() throws {
        func look(isRoots: Bool = false) -> [Keychain.Finding] {
            var facts = facts()
            facts.isRoots = isRoots
            facts.inventory = VaultInventory(
                vaults: configuration.vaultDirectory,
                registry: Registry(directory: configuration.registryDirectory, authenticatorUID: user))
            return FilesCheck.findings(facts)
        }
        #expect(look().map(\.verdict) == [.ok])
        let stranger = Owner.user(user + 7)
        try put("vaults/\(stranger.fileStem).vault")
        #expect(look().map(\.message) == ["a part of another vault of this machine is missing or cannot be used"])
        #expect(look().map(\.advice) == ["ask root to run: coffer doctor"])
        try put("vaults/\(Owner.group(user + 8).fileStem).vault")
        #expect(look().map(\.message) == ["a part of 2 other vaults of this machine is missing or cannot be used"])
        try put("vaults/\(owner.fileStem).vault")
        let found = look()
        #expect(found.count == 2 && found.first?.message.contains("\(owner.fileStem).vault") == true, "\(found)")
        // A folder that is missing is told once, and not with each part that should be in it.
        try FileManager.default.removeItem(atPath: configuration.registryDirectory)
        #expect(look(isRoots: true).map(\.message) == ["\(configuration.registryDirectory) is missing"])
        try Folder.make(configuration.registryDirectory, mode: 0o755)
        let all = look(isRoots: true)
        #expect(all.count == 3 && all.allSatisfy { $0.message.contains("has no record in the registry") }, "\(all)")
        #expect(!all.contains { $0.message.contains("of this machine") })
    }

    @Test(
        "a record that a newer Coffer wrote is kept: doctor and every call say to update, and nobody is sent to a backup"
    )
    func newerRecord() throws {
        let registry = Registry(directory: configuration.registryDirectory, authenticatorUID: user)
        try registry.write(.tpmSample(owner))
        try put("vaults/\(owner.fileStem).vault")
        let path = registry.path(of: owner)
        let text = String(decoding: try DurableFile.read(path, limit: Registry.longestRecord), as: UTF8.self)
        let newer = text.replacing("\"format\" : 1", with: "\"format\" : 2")
        try DurableFile.write(Array(newer.utf8), to: path, mode: 0o644)
        var facts = facts()
        facts.inventory = VaultInventory(vaults: configuration.vaultDirectory, registry: registry)
        let found = FilesCheck.findings(facts)
        let advice = "update Coffer; keep this file, and put no backup in its place"
        #expect(found.map(\.verdict) == [.problem] && found.first?.advice == advice, "\(found)")
        #expect(found.first?.message.hasPrefix("the registry record \(path) has format 2") == true, "\(found)")
        do throws(RegistryError) { _ = try registry.record(for: owner) } catch {
            let refused = Fault(error)
            #expect(refused.name == .damaged && refused.details.kind == Keychain.missing, "\(refused)")
            #expect(refused.details.advice == advice)
        }
    }

    @Test(
        "while the vault is open, what it has is saved before a missing part is mended, and before a vault's own only")
    func saveFirst() throws {
        let registry = Registry(directory: configuration.registryDirectory, authenticatorUID: user)
        let record = try RegistryRecord.tpmSample(owner)
        let (file, path) = ("vaults/\(owner.fileStem).vault", registry.path(of: owner))
        let key = configuration.registryDirectory + "/signing-key.pem"
        func look(isUnlocked: Bool) -> [Keychain.Finding] {
            var facts = facts(record)
            (facts.isUnlocked, facts.isRoots) = (isUnlocked, true)
            facts.inventory = VaultInventory(
                vaults: configuration.vaultDirectory, registry: registry, comparing: { _, _ in .fits })
            return FilesCheck.findings(facts)
        }
        func expectSaved(_ missing: String, _ mended: String) throws {
            for isUnlocked in [false, true] {
                let found = look(isUnlocked: isUnlocked)
                #expect(
                    found.map(\.verdict) == [.problem] && found.first?.message.contains(missing) == true, "\(found)")
                let advice = try #require(found.first?.advice)
                #expect(advice.hasPrefix(RescueWords.saveOpen + "; then ") == isUnlocked, "\(advice)")
                #expect(advice.hasSuffix(mended), "\(advice)")
            }
        }
        try registry.write(record)
        try put(file)
        try expectSaved(key, "restore it from a backup")
        try put("registry/signing-key.pem")
        #expect(look(isUnlocked: true).map(\.verdict) == [.ok])
        // A disk that is not mounted comes before a backup.
        try FileManager.default.removeItem(atPath: path)
        try expectSaved(
            "without it, the vault does not open again",
            "if \(configuration.registryDirectory) has a disk of its own, mount that first; otherwise have root restore "
                + "\(path) from a backup; remove nothing from the TPM before")
        try registry.write(record)
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(file)")
        try expectSaved(file, "start cofferd.socket again")
        let unmounted = try #require(look(isUnlocked: false).first?.advice)
        #expect(unmounted.hasPrefix("if \(configuration.vaultDirectory) has a disk of its own"), "\(unmounted)")
        // A vault or a record that is there tells that the disk is. Another's vault is no reason to save one's own.
        try put(file)
        try put("vaults/\(Owner.user(user + 7).fileStem).vault")
        let others = look(isUnlocked: true)
        #expect(others.count == 1 && others.first?.advice?.hasPrefix("have root restore ") == true, "\(others)")
        try chmod("registry/signing-key.pem", 0o604)
        #expect(!look(isUnlocked: true).contains { $0.advice?.contains("coffer export") == true })
    }

    @Test("the broker's account is no person's, and nobody can log in with it")
    func account() throws {
        func look(_ uid: UInt32, _ shell: String?, _ home: String? = "/var/lib/coffer") -> [Keychain.Finding] {
            AccountCheck.findings("coffer", uid: uid, shell: shell, home: home)
        }
        #expect(look(999, "/usr/sbin/nologin").isEmpty && look(999, "/bin/false").isEmpty)
        #expect(look(999, nil, nil).isEmpty)
        for (uid, shell) in [(1000, "/usr/sbin/nologin"), (70_000, nil)] as [(UInt32, String?)] {
            let found = look(uid, shell)
            #expect(found.map(\.verdict) == [.problem], "\(found)")
            #expect(found.first?.message.contains("a person's account, “coffer” (uid \(uid))") == true, "\(found)")
            // Root can follow it without the source tree.
            let advice = try #require(found.first?.advice)
            #expect(
                advice == "stop the broker: systemctl stop cofferd.socket cofferd.service; "
                    + "give the account another name: usermod --login NAME coffer; groupmod --new-name NAME coffer; "
                    + "make the broker's own: systemd-sysusers. How it gets the vaults: man cofferd")
            #expect(advice.count <= 300)
        }
        // Another service's account can have a shell that the service needs.
        for shell in ["/usr/sbin/nologin", "/bin/sh"] {
            let found = look(998, shell, "/srv/other")
            #expect(found.map(\.verdict) == [.problem], "\(found)")
            #expect(found.first?.message.contains("home folder “/srv/other”, as another service's") == true, "\(found)")
            let advice = try #require(found.first?.advice)
            #expect(advice.contains("usermod --home /var/lib/coffer coffer; otherwise make one that is: man cofferd"))
            #expect(advice.count <= 300)
        }
        for shell in ["/bin/bash", ""] {
            let found = look(999, shell)
            #expect(found.map(\.verdict) == [.problem], "\(found)")
            #expect(found.first?.advice == "take it away: usermod --shell /usr/sbin/nologin coffer")
        }
        #expect(try Account.shell(ofUID: 0)?.hasPrefix("/") == true)
        // A sandbox has its user's account.
        var sandbox = configuration
        sandbox.sandbox = true
        #expect(AccountCheck.findings(.sample(sandbox)).isEmpty)
    }

    /// The advice sends root there.
    @Test("the broker's manual page has each step by which it gets an account of its own")
    func accountManual() throws {
        let page = try SourceTree.text("docs/man/cofferd.8").replacing("\\-", with: "-")
        let section = try #require(page.components(separatedBy: ".SH THE BROKER'S ACCOUNT\n").last)
        var rest = section[...]
        for command in [
            "systemctl stop cofferd.socket cofferd.service", "usermod --login NAME coffer",
            "groupmod --new-name NAME coffer", "gpasswd --delete NAME tss", "systemd-sysusers",
            "chown --recursive --from=NAME coffer:coffer /var/lib/coffer", "systemd-tmpfiles --create coffer.conf",
            "systemctl start cofferd.socket",
        ] {
            let place = try #require(rest.range(of: command), "\(command)")
            rest = rest[place.upperBound...]
        }
    }

    @Test("a disk is full with less than so many bytes free, and not with so many")
    func room() {
        let limit = DiagnosisLimits.room
        #expect(FilesCheck.obstacles(FileSystemRoom(isReadOnly: false, free: limit), "/v").isEmpty)
        #expect(FilesCheck.obstacles(FileSystemRoom(isReadOnly: false, free: limit - 1), "/v").count == 1)
        #expect(FilesCheck.registryObstacles(FileSystemRoom(isReadOnly: true, free: limit), "/r").isEmpty)
        for (free, word) in [(0, "is full"), (limit - 1, "is nearly full")] as [(UInt64, String)] {
            let found = FilesCheck.registryObstacles(FileSystemRoom(isReadOnly: true, free: free), "/r")
            #expect(found.count == 1 && found.first?.message.contains("/r \(word)") == true, "\(found)")
        }
    }

    // MARK: Sockets

    @Test("the broker's own socket must be there, be a socket and be its own")
    func sockets() throws {
        let path = configuration.authenticatorSocket
        #expect(SocketsCheck.findings(facts()).map(\.message) == ["\(path) is missing"])
        try put("run/private.sock")
        #expect(SocketsCheck.findings(facts()).map(\.message) == ["\(path) is not a socket"])
        try FileManager.default.removeItem(atPath: path)
        let listener = try UnixListener(path: path, mode: 0o600)
        #expect(SocketsCheck.findings(facts()).map(\.verdict) == [.ok])
        _ = consume listener
    }

    @Test("a folder in which others can make sockets is named; a sticky one is safe, and one that is missing is not")
    func socketFolders() throws {
        let listener = try UnixListener(path: configuration.authenticatorSocket, mode: 0o600)
        func look() -> [String] { SocketsCheck.findings(facts()).filter { $0.verdict == .problem }.map(\.message) }
        for name in ["run", "auth"] {
            try chmod(name, 0o777)
            #expect(look() == ["other users can put their own sockets into \(folder.path)/\(name)"])
            try chmod(name, 0o1777)
            #expect(look() == [])
            try chmod(name, 0o755)
        }
        #expect(look() == [])
        try FileManager.default.removeItem(atPath: folder.path + "/auth")
        #expect(look() == ["\(folder.path)/auth is missing"])
        _ = consume listener
    }

    @Test("the socket for logins is looked at only where it is, and is the authenticator's alone")
    func reports() throws {
        let listener = try UnixListener(path: configuration.authenticatorSocket, mode: 0o600)
        #expect(configuration.reportSocket == folder.path + "/auth/report.sock")
        try put("auth/report.sock", mode: 0o600)
        #expect(SocketsCheck.findings(facts()).map(\.verdict) == [.ok])
        try chmod("auth/report.sock", 0o606)
        let found = SocketsCheck.findings(facts())
        #expect(
            found.map(\.message) == ["\(configuration.reportSocket) does not belong to the authenticator alone"])
        _ = consume listener
    }

    // MARK: The process

    @Test("each protection of the unit that is not in force is named, in the order of the unit's lines")
    func protections() {
        let bare = BrokerProcess(
            isUnit: true, status: [:], coreLimit: [], swapLimit: nil, users: "", seesOtherProcesses: false,
            tunables: "", backtrace: "")
        #expect(
            UnitCheck.missing(in: bare) == [
                "LimitCORE=0", "MemorySwapMax=0", "NoNewPrivileges=yes", "CapabilityBoundingSet=",
                "SystemCallFilter=@system-service", "Environment=GLIBC_TUNABLES=glibc.malloc.perturb=165",
                "Environment=SWIFT_BACKTRACE=enable=no", "PrivateUsers=no", "ProtectProc=default",
            ])
        var powerful = BrokerProcess.asItsUnitSays
        for (name, mask) in [("CapBnd", "0001"), ("CapEff", "1000")] {
            powerful.status = BrokerProcess.asItsUnitSays.status.merging([name: mask]) { $1 }
            #expect(UnitCheck.missing(in: powerful) == ["CapabilityBoundingSet="], "\(name)")
        }
    }

    @Test("a broker that no unit started is a problem, but in a sandbox; one whose unit was changed always is")
    func unit() {
        func look(_ process: BrokerProcess, sandbox: Bool = false) -> [Keychain.Finding] {
            var configuration = Configuration()
            configuration.sandbox = sandbox
            return UnitCheck.findings(.sample(configuration, process: process))
        }
        let whole = BrokerProcess.asItsUnitSays
        #expect(look(whole).map(\.verdict) == [.ok])
        var loose = whole
        loose.isUnit = false
        let apart = look(loose)
        #expect(apart.map(\.verdict) == [.problem])
        #expect(apart.map(\.advice) == ["start it with: systemctl start cofferd.socket"])
        #expect(apart.first?.message.hasSuffix("nothing ensures its unit's protections") == true, "\(apart)")
        loose.coreLimit = ["0", "unlimited"]
        let tried = look(loose, sandbox: true)
        #expect(tried.map(\.verdict) == [.note] && tried.map(\.advice) == [nil])
        #expect(tried.first?.message.hasSuffix("; not in force: LimitCORE=0") == true, "\(tried)")
        var changed = whole
        changed.status["Seccomp"] = "0"
        #expect(look(changed).map(\.verdict) == [.problem])
        #expect(look(changed).map(\.message) == ["the broker runs without: SystemCallFilter=@system-service"])
        var older = whole
        older.hasUnifiedGroups = false
        #expect(look(older).map(\.verdict) == [.note])
    }

    @Test("what is read of a process is what the kernel says of it")
    func own() throws {
        let process = BrokerProcess.current()
        #expect(process.status["Pid"] == "\(OwnProcess.number)")
        #expect(process.coreLimit.allSatisfy { $0 == "unlimited" || UInt64($0) != nil }, "\(process.coreLimit)")
        let wasStarted = ProcessInfo.processInfo.environment["INVOCATION_ID"] != nil
        #expect(process.isUnit == (wasStarted && FileManager.default.fileExists(atPath: "/run/systemd/system")))
        #expect(
            process.hasUnifiedGroups == FileManager.default.fileExists(atPath: "/sys/fs/cgroup/cgroup.controllers"))
        #expect(!process.users.isEmpty)
        #expect(DiagnosisLimits.kernelFile == 1 << 16)
    }
}
