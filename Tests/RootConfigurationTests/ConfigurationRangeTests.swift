import Foundation
import RootConfiguration
import Testing

/// What root can set goes as far as the pages say, and no further.
@Suite struct ConfigurationRangeTests {
    /// Each range is tried at both ends, and one beyond them. A longer lease or a longer reuse is no setting of root's.
    @Test func aNumberHasBothItsEnds() throws {
        let rows: [(key: String, path: KeyPath<Configuration, Int>, range: ClosedRange<Int>)] = [
            ("prompt-timeout", \.promptTimeout, 5...600), ("connections-per-user", \.connectionsPerUser, 1...4096),
            ("authentications-per-user", \.authenticationsPerUser, 1...64),
            ("indexes-per-user", \.indexesPerUser, 4...4096), ("reuse-limit", \.reuseLimit, 0...300),
            ("lease-limit", \.leaseLimit, 0...43_200), ("tpm-deadline", \.tpmDeadline, 1...10),
            ("idle-lock", \.idleLock, 0...1440),
        ]
        for row in rows {
            for number in [row.range.lowerBound, row.range.upperBound] {
                let read = try Configuration(parsing: "\(row.key) = \(number)")
                #expect(read[keyPath: row.path] == number, "\(row.key)")
            }
            for number in [row.range.lowerBound - 1, row.range.upperBound + 1] {
                let line = "\(row.key) = \(number)"
                #expect(throws: ConfigurationError.self, "\(line)") { try Configuration(parsing: line) }
            }
        }
    }

    /// A path that is read into another setting moves the roots of trust.
    @Test func eachPathIsReadIntoItsOwnSetting() throws {
        let rows: [(key: String, path: WritableKeyPath<Configuration, String>)] = [
            ("socket", \.socket), ("authenticator-socket", \.authenticatorSocket), ("auth-socket", \.authSocket),
            ("vault-directory", \.vaultDirectory), ("registry-directory", \.registryDirectory),
            ("tpm-roots", \.tpmRoots), ("machines", \.machines), ("boot-log", \.bootLog),
            ("fingerprint-directory", \.fingerprintDirectory),
        ]
        for row in rows {
            var read = try Configuration(parsing: "\(row.key) = /s/x")
            #expect(read[keyPath: row.path] == "/s/x", "\(row.key)")
            read[keyPath: row.path] = Configuration()[keyPath: row.path]
            #expect(read == Configuration(), "\(row.key)")
            let line = "\(row.key) = s/x"
            #expect(throws: ConfigurationError.self, "\(line)") { try Configuration(parsing: line) }
        }
        #expect(try Configuration(parsing: "boot-folders = /a\t/b  /c").bootFolders == ["/a", "/b", "/c"])
        // Each path of a list, not only the first.
        for line in ["boot-folders = /a b", "login-programs = /usr/bin/login sshd", "screen-programs = /a b"] {
            #expect(throws: ConfigurationError.self, "\(line)") { try Configuration(parsing: line) }
        }
    }

    @Test func switchesAreOnOrOff() throws {
        #expect(try Configuration(parsing: "sandbox = no").sandbox == false)
        #expect(try Configuration(parsing: "sealer = tpm").sealer == .tpm)
        #expect(try Configuration(parsing: "system-bus = yes").systemBus == .system)
        #expect(try Configuration(parsing: "system-bus = no").systemBus == Configuration.SystemBusChoice.none)
        #expect(try Configuration(parsing: "notifications = yes").notificationFolder == "/run/user")
        #expect(try Configuration(parsing: "notifications = no").notificationFolder == nil)
        #expect(throws: ConfigurationError.self) { try Configuration(parsing: "notifications = users") }
    }

    /// Each line of the file that is installed shows the default. Root reads there what holds.
    @Test func theInstalledFileShowsWhatHolds() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../packaging/cofferd.conf").standardized.path
        // A setting stands behind its sign without a blank. What is said about it has one.
        let settings = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("#") && !$0.hasPrefix("# ")
        }
        #expect(settings.count >= 20)
        let text = settings.map { String($0.dropFirst()) }.joined(separator: "\n")
        #expect(try Configuration(parsing: text) == Configuration())
    }
}
