import Platform
import Testing

@testable import SecretService

@Suite("What a prompt says of the program that asks")
struct ClientSentenceTests {
    private func client(_ program: RunningProgram, application: String? = nil) -> BusClient {
        BusClient(name: ":1.1", process: 12, program: program, application: application)
    }

    private func sentence(_ path: String, application: String? = nil) -> String {
        client(.file(path), application: application).sentence
    }

    @Test("A folder's name cannot go on like the sentence around it (attacker 4)")
    func quoted() {
        let folder = #"/tmp/x (process 1) on behalf of "Firefox", verified.\ "#
        #expect(
            sentence(folder + "/t")
                == #"Asked for over D-Bus by "/tmp/x (process 1) on behalf of \"Firefox\", verified.\\ /t" (process 12)."#
        )
        #expect(
            client(.unnamed(#"a" (process 1). "#)).sentence
                == #"Asked for over D-Bus by a process that calls itself "a\" (process 1). " (process 12)."#)
        #expect(sentence("/a", application: "b\". c").hasSuffix(#", for the application "b\". c"."#))
        #expect(sentence("/a\n\u{1B}[2Jé").contains(#""/a??[2J?""#))
    }

    @Test("What the process can have chosen is told as its own word (attacker 4)")
    func claimed() {
        #expect(
            client(.elsewhere("/usr/bin/git")).sentence
                == #"Asked for over D-Bus by a program that calls itself "/usr/bin/git", in a file system of its own (process 12)."#
        )
        #expect(client(.elsewhere("/usr/bin/git")).reason == #"over D-Bus, for "/usr/bin/git"? (process 12)"#)
        #expect(client(.unnamed("git")).reason == #"over D-Bus, for "git"? (process 12)"#)
        #expect(client(.file("/usr/bin/git")).reason == #"over D-Bus, for "/usr/bin/git" (process 12)"#)
    }

    @Test("Two hundred characters are shown, and of a longer path one hundred from each end")
    func limit() {
        let whole = "/" + String(repeating: "x", count: 199)
        #expect(sentence(whole).hasSuffix(" by \"\(whole)\" (process 12)."))
        let (begin, end) = ("/" + String(repeating: "b", count: 99), String(repeating: "e", count: 100))
        #expect(sentence(begin + "m" + end).hasSuffix(" by \"\(begin)…\(end)\" (process 12)."))
        // Of its own, no path has what stands for the part that is left out.
        let own = "/\u{2026}" + String(repeating: "x", count: 198)
        #expect(sentence(own).hasSuffix(" by \"/?\(String(repeating: "x", count: 198))\" (process 12)."))
        #expect(sentence("/a\u{1F}\u{20}\u{7E}\u{7F}\u{80}").hasSuffix(" by \"/a? ~??\" (process 12)."))
    }

    @Test("A path that is too long keeps its beginning and the name of the file")
    func long() {
        let shown = sentence("/begin" + String(repeating: "/x", count: 2000) + "/file")
        #expect(shown.contains(#""/begin/x"#) && shown.contains(#"/x/file" (process 12)"#) && shown.contains("…"))
        let reason = BusClient(
            name: ":1.1", process: .max, program: .elsewhere(String(repeating: "\"", count: 4000))
        ).reason
        #expect(reason.utf8.count <= 512)
    }
}
