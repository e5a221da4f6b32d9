import Foundation
import TestSupport
import Testing

/// What `scripts/install-dependencies` does to a machine on which nothing is installed. Scripts play apt and dpkg, and note what would be installed.
@Suite struct InstallDependenciesTests {
    private static let script = SourceTree.path("scripts/install-dependencies")

    /// A plan of apt's: `libpam0g-dev` brings a newer `libpam0g`, unless the version is asked for that is there.
    private static let apt = #"""
        #!/bin/sh
        case " $* " in
            *" update "*) exit 0 ;;
            *" --simulate "*) ;;
            *) echo "$*" >>"$CALLS"; exit 0 ;;
        esac
        for word; do
            case $word in
                -* | install) ;;
                libpam0g-dev=1) [ -n "$KEEPS" ] || exit 100; echo "Inst libpam0g-dev (1 Debian:12 [amd64])" ;;
                libpam0g-dev) [ -z "$OLD" ] || echo "Inst libpam0g [1] (2 Debian:12 [amd64])"; echo "Inst libpam0g-dev (2 Debian:12 [amd64])" ;;
                *) echo "Inst $word (3 Debian:12 [amd64])" ;;
            esac
        done
        """#
    private static let cache = #"""
        #!/bin/sh
        shift 2
        for word; do
            printf 'Package: %s\nInstalled-Size: 2048\nSize: 1048576\nDepends: libc6 (>= 2.36)' "${word%%=*}"
            [ "${word%%=*}" != libpam0g-dev ] || printf ', libpam0g (= 2)'
            printf '\n\n'
        done
        """#
    private static let dpkg = #"""
        #!/bin/sh
        for last; do :; done
        [ "$last" != libpam0g ] || [ -z "$OLD" ] || { echo "installed 1"; exit; }
        exit 1
        """#

    /// - Parameters:
    ///   - answer: typed at a terminal; nil for none.
    /// - Returns: the call that installs; nil if there is none.
    private func run(
        _ groups: [String] = [], _ environment: [String] = [], answer: String? = nil
    ) throws -> (result: Tool.Result, call: String?) {
        let folder = try TemporaryFolder()
        let programs = [
            "apt-get": Self.apt, "apt-cache": Self.cache, "dpkg-query": Self.dpkg, "swift": "#!/bin/sh\n",
            "swtpm": "#!/bin/sh\n",
        ]
        for (name, text) in programs { try Script.write(text, to: "\(folder.path)/\(name)") }
        // As for a user who may become root.
        try Script.write("#!/bin/sh\nexec \"$@\"\n", to: folder.path + "/sudo")
        let variables = ["PATH=\(folder.path):/usr/bin:/bin", "CALLS=\(folder.path)/calls"] + environment
        var words = [Self.script] + groups
        if let answer {
            words =
                ["sh", "-c", "printf '\(answer)\\n' | script --quiet --return --command \"$*\" /dev/null", "sh"] + words
        }
        let result = try Tool.run("env", variables + words)
        // Without a call there is no file.
        return (result, try? String(contentsOfFile: folder.path + "/calls", encoding: .utf8))
    }

    @Test func theDemoInstallsLittleAndSaysHowMuch() throws {
        let (result, call) = try run()
        #expect(result.status == 0, "\(result.errors)")
        let packages = try #require(call).split(whereSeparator: \.isWhitespace).filter {
            !$0.hasPrefix("-") && $0 != "install"
        }
        #expect(packages.contains("swtpm") && packages.count <= 12)
        #expect(call?.contains("--no-upgrade") == true && call?.contains("--no-install-recommends") == true)
        // Services that start by themselves, other keyrings, programs that run as root.
        for name in ["openssh-server", "gnome-keyring", "xdg-desktop-portal", "systemd", "dbus"] {
            #expect(!packages.contains { $0 == name })
        }
        let count = packages.count
        #expect(result.output.contains("\(count) packages, \(count) MiB to download, \(2 * count) MiB on the disk"))
        #expect(packages.allSatisfy { result.output.contains($0) })
    }

    @Test func testsAskForTheirOwn() throws {
        let packages = try #require(try run(["test"]).call)
        #expect(packages.contains(" strace ") && packages.contains(" swtpm ") && !packages.contains("openssh-server"))
        #expect(try run(["nothing"]).result.errors.contains("there is no group"))
    }

    @Test(arguments: [("y", true), ("n", false), ("", false)])
    func atATerminalThePersonIsAsked(answer: String, installs: Bool) throws {
        let (result, call) = try run(answer: answer)
        #expect(result.output.contains("Install them? [y/N]"), "\(result)")
        #expect((call != nil) == installs && (result.status == 0) == installs)
    }

    @Test func whatIsInstalledIsNotUpgraded() throws {
        let (refused, nothing) = try run([], ["OLD=1"])
        #expect(refused.status == 1 && nothing == nil)
        #expect(refused.errors.contains("would change installed packages: libpam0g\n"), "\(refused.errors)")
        // The headers of the version that is there change nothing.
        let (kept, call) = try run([], ["OLD=1", "KEEPS=1"])
        #expect(kept.status == 0 && call?.contains("libpam0g-dev=1") == true, "\(kept.errors)")
        let (allowed, upgrade) = try run(["--upgrade"], ["OLD=1"])
        #expect(allowed.status == 0 && allowed.output.contains("These installed packages change: libpam0g"))
        #expect(upgrade?.contains("--no-upgrade") == false)
    }
}
