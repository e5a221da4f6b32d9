import BrokerProtocol
import Platform
import RootConfiguration
import TestSupport
import Testing

@testable import Broker

/// How PAM's files are read, and what each word of them comes to.
struct PAMStackTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func put(_ text: String, _ name: String = "coffer") throws {
        try DurableFile.write(Array(text.utf8), to: "\(folder.path)/\(name)", mode: 0o644)
    }

    private func stack() -> PAMStack { PAMStack(service: "coffer", folders: [folder.path]) }

    // MARK: Lines

    @Test("a line is its type, its control, its module and the words after it, and too short a line is none")
    func lines() throws {
        try put("AUTH  Required\t/lib/security/pam_unix.so  try_first_pass  nullok # pam_x.so\nauth required\n\nauth\n")
        let line = try #require(stack().lines.first)
        #expect(stack().lines.count == 1 && stack().missing.isEmpty)
        #expect(line.type == "auth" && line.control == "required" && line.module == "pam_unix.so")
        #expect(line.arguments == ["try_first_pass", "nullok"] && line.depth == 0)
        #expect(line.file == folder.path + "/coffer")
    }

    @Test("a backslash joins one line to the next, and no more than that; the last line may end with one")
    func joined() throws {
        try put("auth required \\\n  pam_env.so\nauth required pam_unix.so\naccount required pam_unix.so \\")
        #expect(stack().lines.map(\.module) == ["pam_env.so", "pam_unix.so", "pam_unix.so"])
        #expect(stack().lines.map(\.type) == ["auth", "auth", "account"])
    }

    @Test("a carriage return ends no line and no word, as in libpam, and is told")
    func carriageReturns() throws {
        try put("# ours\r\nauth required pam_unix.so\r\n\r\naccount required pam_unix.so try_first_pass\r\n")
        #expect(stack().lines.map(\.type) == ["auth", "account"])
        #expect(stack().lines.map(\.module) == ["pam_unix.so\r", "pam_unix.so"])
        #expect(stack().lines.map(\.arguments) == [[], ["try_first_pass\r"]])
        let found = PAMCheck.problems(of: "coffer", stack(), owner: OwnProcess.effectiveUser)
        #expect(found.map(\.advice) == ["take it away: sed -i 's/\\r$//' \(folder.path)/coffer"], "\(found)")
    }

    @Test("of an included file the lines of one type count, or all of them, and each substack is one deeper")
    func included() throws {
        try put("auth required pam_env.so\naccount required pam_time.so\n", "shared")
        try put("auth substack shared\n", "deeper")
        try put("@include\n@include shared\nauth include shared\nauth substack deeper\nauth required pam_unix.so\n")
        #expect(
            stack().lines.map { "\($0.module) \($0.depth)" } == [
                "pam_env.so 0", "pam_time.so 0", "pam_env.so 0", "pam_env.so 2", "pam_unix.so 0",
            ])
        #expect(stack().missing.isEmpty && stack().files.count == 5)
    }

    @Test("files that include each other are followed as deep as libpam does")
    func depth() throws {
        let most = DiagnosisLimits.pamDepth
        for number in 0..<most { try put("auth include level-\(number + 1)\n", "level-\(number)") }
        try put("auth required pam_unix.so\n", "level-\(most)")
        func read(from first: Int) -> PAMStack { PAMStack(service: "level-\(first)", folders: [folder.path]) }
        // So many files, this one with them.
        let whole = read(from: 1)
        #expect(whole.files.count == most && whole.missing.isEmpty && whole.lines.count == 1)
        let cut = read(from: 0)
        #expect(cut.files.count == most && cut.missing == ["level-\(most)"] && cut.lines.isEmpty)
        // The older way to include a file counts the same.
        for number in 0..<most { try put("@include level-\(number + 1)\n", "level-\(number)") }
        #expect(read(from: 1).lines.count == 1 && read(from: 0).missing == ["level-\(most)"])
        for number in 0..<most { try put("auth substack level-\(number + 1)\n", "level-\(number)") }
        #expect(read(from: 1).lines.map(\.depth) == [most - 1] && read(from: 0).missing == ["level-\(most)"])
    }

    // MARK: Controls

    @Test("what a control does with success, with a refusal and with anything else is what libpam does")
    func controls() {
        let cases: [(String, PAMControl.Action, PAMControl.Action, Set<PAMControl.Action>)] = [
            ("required", .ok, .bad, [.bad]), ("requisite", .ok, .die, [.die]),
            ("sufficient", .done, .ignore, [.ignore]), ("optional", .ok, .ignore, [.ignore]),
            ("[success=2 default=ignore]", .jump(2), .ignore, [.ignore]),
            ("[success=0 default=1]", .ok, .jump(1), [.jump(1)]),
            ("[success=done auth_err=die default=reset]", .done, .die, [.die, .reset]),
            // What is no word of libpam's, and a number below zero, is bad. So is what nothing says.
            ("[success=yes default=-1]", .bad, .bad, [.bad]), ("[success=ok]", .ok, .bad, [.bad]),
            // The first of two words for one value counts.
            ("[success=ok success=die default=ignore]", .ok, .ignore, [.ignore]),
        ]
        for (text, success, refusal, others) in cases {
            let control = PAMControl(text)
            #expect(control.atSuccess == success, "\(text)")
            #expect(control.atRefusal == refusal, "\(text)")
            #expect(control.otherwise(ignores: false) == others, "\(text)")
        }
        #expect(PAMControl("required").otherwise(ignores: true) == [.bad, .ignore])
        #expect(PAMControl("[ignore=ok default=die]").otherwise(ignores: false) == [.die])
    }

    @Test("a key that waits without a word is silent, unless a word of its line says otherwise")
    func mute() {
        func isMute(_ module: String, _ arguments: String...) -> Bool {
            PAMProof.isMute(
                PAMLine(type: "auth", control: "required", module: module, arguments: arguments, file: "f", depth: 0))
        }
        #expect(isMute("pam_u2f.so") && isMute("pam_u2f.so", "nodetect"))
        #expect(!isMute("pam_u2f.so", "cue") && !isMute("pam_u2f.so", "interactive"))
        #expect(!isMute("pam_u2f.so", "nodetect", "cue") && !isMute("pam_unix.so"))
    }

    // MARK: Passages

    private func find(_ text: String, _ shared: String = "") throws -> PAMPassage? {
        try put(text + "\n")
        try put(shared + "\n", "shared")
        return PAMPassage.find(through: stack(), past: .anyFactor)
    }

    private static let permit = "\nauth required pam_permit.so"
    private static let unix = "\nauth required pam_unix.so"
    private static let jump = "auth [success=1 default=ignore] pam_localuser.so"

    @Test("a jump passes so many lines, a substack is one of them, and a line after it is not passed with it")
    func jumps() throws {
        let two = Self.unix + Self.unix
        #expect(
            try find("auth [success=2 default=ignore] pam_localuser.so" + two + Self.permit)
                == .unasked(["pam_localuser.so"]))
        #expect(try find(Self.jump + two + Self.permit) == nil)
        #expect(try find(Self.jump + "\nauth required pam_env.so\nauth substack shared" + Self.permit, two) == nil)
        // A jump out of the stack is refused, even after a success.
        #expect(
            try find("auth required pam_permit.so\nauth [success=7 default=die] pam_localuser.so") == .nobody)
    }

    @Test("the end of a stack ends what is left of it, a last substack too")
    func ends() throws {
        #expect(
            try find("auth sufficient pam_permit.so\nauth substack shared", Self.unix + Self.unix)
                == .unasked(["pam_permit.so"]))
        // A refusal that ends the stack is not taken back by what follows, nor by an earlier success.
        #expect(
            try find("auth requisite pam_unix.so\nauth [default=reset] pam_deny.so" + Self.permit) == nil)
        #expect(try find("auth required pam_permit.so\nauth requisite pam_unix.so") == nil)
    }

    @Test("what is taken back goes to where its own stack began, and not to where a former substack did")
    func resets() throws {
        let shared = "auth required pam_unix.so"
        let reset = "\nauth [default=reset] pam_deny.so"
        #expect(try find("auth required pam_permit.so\nauth substack shared" + reset, shared) == .nobody)
        #expect(
            try find("auth required pam_permit.so\nauth substack shared", shared + reset) == .unasked(["pam_permit.so"])
        )
    }

    @Test("a stack with more ways than are followed is judged by nobody, and all of its modules are named")
    func tooMany() throws {
        let line = "auth [success=ok auth_err=bad perm_denied=reset default=ignore] pam_unix.so\n"
        // Each line can be reached in five states.
        let (lines, files) = (700, 40)
        try #require(5 * lines * files > DiagnosisLimits.pamStates)
        try put(String(repeating: line, count: lines), "shared")
        let end = "auth requisite pam_deny.so\n"
        try put(String(repeating: "auth include shared\n", count: files) + end)
        let found = PAMPassage.find(through: stack(), past: .anyFactor)
        #expect(found == .unknown(["pam_deny.so", "pam_unix.so"]))
        try put("auth include shared\n" + end)
        #expect(PAMPassage.find(through: stack(), past: .anyFactor) == .nobody)
    }

    // MARK: Findings

    @Test("a stack that lets nobody in, and one without its file, are told with what mends them")
    func findings() throws {
        func problems() -> [String] {
            PAMCheck.problems(of: "coffer", stack(), owner: OwnProcess.effectiveUser).map(\.message)
        }
        #expect(problems() == ["PAM service coffer: its file is missing, or cannot be read"])
        try put("auth required pam_deny.so\naccount required pam_unix.so\n")
        #expect(problems() == ["PAM service coffer: its auth lines let nobody in"])
        try put("auth required pam_unix.so\n")
        #expect(
            problems() == [
                "PAM service coffer: it has no account line, so expired accounts get in, or everybody is refused"
            ])
        try put("auth required pam_u2f.so cue\naccount required pam_unix.so nullok\n")
        #expect(problems() == [])
    }
}
