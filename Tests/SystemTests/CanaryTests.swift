import Foundation
import Testing

/// Attackers 1 and 8: the files on the disk reveal nothing.
@Suite struct CanaryTests {
    @Test func noNameAndNoValueIsInAnyFile() throws {
        let sandbox = try Sandbox()
        let stored = try sandbox.coffer(
            "set", "CANARY-service", "CANARY-account", "--label", "CANARY-label", "--comment", "CANARY-comment",
            "--attribute", "CANARY-key=CANARY-word",
            input: Array("CANARY-value".utf8))
        #expect(stored.code == 0, "\(stored)")
        #expect(
            try sandbox.coffer(
                "set", "CANARY-service", "CANARY-gated", "--require", "presence", input: Array("CANARY-value".utf8)
            ).code == 0)
        #expect(try sandbox.coffer("get", "CANARY-service", "CANARY-account").text == "CANARY-value")
        #expect(try sandbox.coffer("get", "CANARY-service", "CANARY-gated", password: "sandbox").text == "CANARY-value")
        #expect(
            try sandbox.coffer("get", "CANARY-service", "CANARY-gated", password: "CANARY-wrong-password").code == 4)
        #expect(try sandbox.coffer("get", "CANARY-service", "CANARY-absent").code == 3)
        #expect(
            try sandbox.coffer("rename", "CANARY-service", "CANARY-account", "CANARY-service", "CANARY-renamed").code
                == 0)
        try sandbox.expectNoCanary()
        // Nor do the files that a killed broker leaves.
        #expect(try sandbox.coffer("set", "CANARY-late", "CANARY-late", input: Array("CANARY-late".utf8)).code == 0)
        try sandbox.killBroker()
        try sandbox.expectNoCanary()
    }
}

extension Sandbox {
    /// Searches every byte of every file of the sandbox, also for base64 and UTF-16.
    func expectNoCanary() throws {
        let word = "CANARY-"
        var needles = [Data(word.utf8), word.data(using: .utf16LittleEndian)!]
        for shift in 0..<3 {
            let text = Data((String(repeating: "x", count: shift) + word).utf8).base64EncodedString()
            // The first characters also encode what is before the word, and the last what is after it.
            needles.append(Data(text.dropFirst(shift == 0 ? 0 : shift + 1).prefix(8).utf8))
        }
        var files = 0
        for case let name as String in try #require(FileManager.default.enumerator(atPath: directory)) {
            let path = directory + "/" + name
            guard let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType,
                type == .typeRegular
            else { continue }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            files += 1
            for needle in needles { #expect(bytes.range(of: needle) == nil, "\(name) contains a canary") }
        }
        #expect(files >= 4, "vault, record, log and configuration must have been looked at")
    }

    /// Ends the broker as a power cut would.
    func killBroker() throws {
        let pids = try processes().filter { $0.contains("cofferd") && !$0.contains("authenticator") }.compactMap {
            Int32($0.prefix { $0 != " " })
        }
        try #require(pids.count == 1)
        kill(pids[0], SIGKILL)
        // Ended, although its parent may need some time to collect the exit code.
        while let stat = FileManager.default.contents(atPath: "/proc/\(pids[0])/stat"),
            let state = String(decoding: stat, as: UTF8.self).split(separator: ")").last?.dropFirst().first,
            state != "Z"
        {
            usleep(1000)
        }
    }
}
