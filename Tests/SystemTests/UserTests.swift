import Foundation
import Testing

/// Attackers 3 and 9, with real users: the broker under its own uid, the authenticator as root behind its socket.
@Suite(.enabled(if: getuid() == 0, "only root can become other users"), .serialized) struct UserTests {
    @Test func anotherUserNeitherReadsNorListsNorDetectsNorDeletes() throws {
        let accounts = try Accounts(3)
        let (ada, bob) = (accounts.uids[0], accounts.uids[1])
        let sandbox = try Sandbox("--broker-user", accounts.names[2])
        #expect(try sandbox.coffer("unlock", password: "sandbox", uid: ada).code == 0)
        #expect(try sandbox.coffer("set", "shared", "name", input: Array("ada's".utf8), uid: ada).code == 0)
        #expect(
            try sandbox.coffer("set", "shared", "gated", "--require", "presence", input: Array("ada's".utf8), uid: ada)
                .code == 0)

        // With a vault or without, another user gets the answers for what does not exist.
        for round in 0..<2 {
            if round == 1 { #expect(try sandbox.coffer("unlock", password: "sandbox", uid: bob).code == 0) }
            for account in ["name", "gated"] {
                for verb in [["get"], ["show"], ["exists"], ["rm", "-f"]] {
                    let foreign = try sandbox.coffer(verb + ["shared", account], password: "sandbox", uid: bob)
                    let absent = try sandbox.coffer(verb + ["shared", "absent"], password: "sandbox", uid: bob)
                    #expect(
                        foreign.code == absent.code && foreign.output == absent.output,
                        "\(verb): \(foreign) / \(absent)")
                    #expect(
                        foreign.errors.replacingOccurrences(of: account, with: "X")
                            == absent.errors.replacingOccurrences(of: "absent", with: "X"))
                    if round == 1 { #expect(foreign.code == 3, "\(verb): \(foreign)") }
                }
            }
            let listing = try sandbox.coffer("list", uid: bob)
            #expect(!listing.text.contains("shared"), "\(listing)")
        }
        #expect(try sandbox.coffer("set", "shared", "name", input: Array("bob's".utf8), uid: bob).code == 0)
        #expect(try sandbox.coffer("get", "shared", "name", uid: ada).text == "ada's")
        #expect(try sandbox.coffer("rm", "-f", "shared", "name", uid: bob).code == 0)
        #expect(try sandbox.coffer("get", "shared", "name", uid: ada).text == "ada's")
        #expect(try sandbox.coffer("get", "shared", "gated", password: "sandbox", uid: ada).text == "ada's")
    }

    @Test func aUserThatNobodyKnowsGetsNoVault() throws {
        let accounts = try Accounts(1)
        let sandbox = try Sandbox("--broker-user", accounts.names[0])
        let outcome = try sandbox.coffer("set", "a", "b", input: [1], password: "sandbox", uid: 3_000_000_001)
        #expect(outcome.code == 6, "\(outcome)")
        let overflow = try sandbox.coffer("set", "a", "b", input: [1], password: "sandbox", uid: 65534)
        #expect(overflow.code == 6 || overflow.code == 9, "\(overflow)")
    }

    @Test func theBrokersUserHasNeitherTheSigningKeyNorTheRegistry() throws {
        let accounts = try Accounts(2)
        let (ada, broker) = (accounts.uids[0], accounts.uids[1])
        let sandbox = try Sandbox("--broker-user", accounts.names[1])
        #expect(try sandbox.coffer("unlock", password: "sandbox", uid: ada).code == 0)
        let brokers = try sandbox.processes(naming: "cofferd --config")
        #expect(!brokers.isEmpty)
        for pid in brokers {
            let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            #expect(
                status.contains("Uid:\t\(broker)\t\(broker)\t\(broker)\t\(broker)"),
                "the broker must run as its own user")
        }
        let script = """
            cat registry/signing-key.pem && exit 1
            for f in registry registry/vaults registry/signing-key.pem registry/vaults/*.json; do
              [ -w "$f" ] && echo "$f is writable" && exit 1
            done
            [ -r "registry/vaults/user-\(ada).json" ] || exit 1
            kill -0 $(cat /proc/1/stat | cut -d' ' -f1) 2>/dev/null && exit 1
            exit 0
            """
        let outcome = try Command(
            program: "/usr/bin/setpriv",
            arguments: [
                "--reuid=\(broker)", "--regid=\(broker)", "--clear-groups", "/bin/sh", "-c",
                "cd '\(sandbox.directory)' && { \(script) ; }",
            ],
            environment: ["PATH": "/usr/bin:/bin"]
        ).run()
        #expect(outcome.code == 0, "\(outcome)")
    }
}
