import Foundation
import Testing

/// One program's requests at the same time make one prompt, which names all of them. It names no other program's.
@Suite struct SharedPromptTests {
    private static let waiting = "Waiting for the answer in this program's other request."

    /// A sandbox with so many items, each with its own value.
    private func sandbox(_ count: Int, require: String = "presence") throws -> Sandbox {
        let sandbox = try Sandbox("--software")
        #expect(try sandbox.coffer("unlock", password: "sandbox").code == 0)
        for number in 0..<count {
            let outcome = try sandbox.coffer(
                "set", "store", "item-\(number)", "--require", require, input: Array("value-\(number)".utf8))
            #expect(outcome.code == 0, "\(outcome)")
        }
        return sandbox
    }

    private func wishes(_ numbers: Range<Int>) -> [Storm.Wish] {
        numbers.map { Storm.Wish(service: "store", account: "item-\($0)") }
    }

    private func prompts(_ answers: [Storm.Answer]) -> [String] {
        answers.filter { $0.questions > 0 }.compactMap { $0.messages.first { $0.hasPrefix("Read ") } }
    }

    @Test func tenAtOnceMakeOnePromptThatNamesAllTen() throws {
        let sandbox = try sandbox(10)
        let answers = try Storm(wishes: wishes(0..<10)).run(in: sandbox)
        #expect(answers.map(\.value) == (0..<10).map { "value-\($0)" }, "\(answers)")
        #expect(answers.map(\.questions).reduce(0, +) == 1, "\(answers)")
        let prompt = try #require(prompts(answers).first)
        #expect(prompt.contains("these 10 items"))
        for number in 0..<10 { #expect(prompt.contains("\"store\" / \"item-\(number)\"")) }
        for answer in answers where answer.questions == 0 {
            #expect(answer.messages.allSatisfy { $0 == Self.waiting }, "\(answer)")
        }
        let log = try sandbox.coffer("log")
        #expect(log.text.components(separatedBy: "answered together with other requests").count - 1 == 9, "\(log)")
    }

    @Test func theSameItemForSixThreadsIsOnePromptThatNamesItOnce() throws {
        let sandbox = try sandbox(1)
        let answers = try Storm(wishes: (0..<6).flatMap { _ in wishes(0..<1) }).run(in: sandbox)
        #expect(answers.map(\.value) == Array(repeating: "value-0", count: 6), "\(answers)")
        #expect(answers.map(\.questions).reduce(0, +) == 1, "\(answers)")
        let prompt = try #require(prompts(answers).first)
        #expect(prompt.hasPrefix("Read \"store\" / \"item-0\", 6 times\n"), "\(prompt)")
    }

    @Test func tenOfTwoProgramsMakeTwo() async throws {
        let sandbox = try sandbox(10)
        let storms = [Storm(wishes: wishes(0..<5), thinking: 1), Storm(wishes: wishes(5..<10), thinking: 1)]
        let outcomes = try await withThrowingTaskGroup { group in
            for (index, storm) in storms.enumerated() {
                group.addTask { (index, try await Self.onThread { try storm.run(in: sandbox) }) }
            }
            return try await group.reduce(into: [Int: [Storm.Answer]]()) { $0[$1.0] = $1.1 }
        }
        for (index, range) in [(0, 0..<5), (1, 5..<10)] {
            let answers = try #require(outcomes[index])
            #expect(answers.map(\.value) == range.map { "value-\($0)" }, "\(answers)")
            #expect(answers.map(\.questions).reduce(0, +) == 1, "\(answers)")
            let prompt = try #require(prompts(answers).first)
            for number in 0..<10 { #expect(prompt.contains("item-\(number)\"") == range.contains(number)) }
        }
    }

    @Test func aWrongAnswerIsTheAnswerToAll() throws {
        let sandbox = try sandbox(5)
        let answers = try Storm(wishes: wishes(0..<5), password: "wrong").run(in: sandbox)
        #expect(answers.map(\.questions).reduce(0, +) == 1, "\(answers)")
        #expect(answers.allSatisfy { $0.error == "org.coffer.Authentication.Failed" }, "\(answers)")
    }

    @Test func givingUpIsTheAnswerToAll() throws {
        let sandbox = try sandbox(3)
        let wishes = wishes(0..<3).map { wish in
            var wish = wish
            wish.end = "cancel"
            return wish
        }
        let answers = try Storm(wishes: wishes).run(in: sandbox)
        #expect(answers.map(\.questions).reduce(0, +) == 1, "\(answers)")
        #expect(answers.count { $0.error == "org.coffer.Authentication.Cancelled" } == 2, "\(answers)")
    }

    @Test func whereTheOneThatAsksGoesAwayTheNextOneAsks() throws {
        let sandbox = try sandbox(3)
        let wishes = wishes(0..<3).map { wish in
            var wish = wish
            wish.end = "gone"
            return wish
        }
        let answers = try Storm(wishes: wishes).run(in: sandbox)
        #expect(answers.map(\.questions) == [1, 1, 1], "\(answers)")
        #expect(answers.allSatisfy { $0.error == "gone" }, "\(answers)")
    }

    @Test func whatWasNotShownIsAskedForByItself() throws {
        let sandbox = try sandbox(3)
        var wishes = wishes(0..<3)
        wishes[2].isLate = true
        let answers = try Storm(wishes: wishes, thinking: 1).run(in: sandbox)
        #expect(answers.map(\.value) == ["value-0", "value-1", "value-2"], "\(answers)")
        #expect(answers.map(\.questions).reduce(0, +) == 2, "\(answers)")
        #expect(answers[2].questions == 1, "\(answers)")
        let shown = prompts(answers)
        #expect(shown.count == 2)
        #expect(shown.count { $0.contains("item-2") } == 1)
    }

    /// The first request waits for nobody. Requests that come while it is asked are asked together.
    @Test func twentyOneAfterTheOtherMakeTwoPrompts() throws {
        let sandbox = try sandbox(20)
        var wishes = wishes(0..<20)
        for index in wishes.indices.dropFirst() { wishes[index].isLate = true }
        let answers = try Storm(wishes: wishes, waiting: 19).run(in: sandbox)
        #expect(answers.map(\.value) == (0..<20).map { "value-\($0)" }, "\(answers)")
        #expect(answers.map(\.questions).reduce(0, +) == 2, "\(answers)")
        let shown = prompts(answers)
        #expect(shown.count == 2, "\(shown)")
        #expect(shown.first?.hasPrefix("Read \"store\" / \"item-0\"\n") == true, "\(shown)")
        #expect(shown.last?.contains("these 19 items") == true, "\(shown)")
    }

    @Test func twoKindsOfProofAreAskedForApart() throws {
        let sandbox = try sandbox(4)
        for number in 2..<4 {
            let outcome = try sandbox.coffer(
                "set", "store", "item-\(number)", "--require", "passcode", input: Array("value-\(number)".utf8))
            #expect(outcome.code == 0, "\(outcome)")
        }
        let answers = try Storm(wishes: wishes(0..<4)).run(in: sandbox)
        #expect(answers.map(\.value) == (0..<4).map { "value-\($0)" }, "\(answers)")
        #expect(answers[..<2].map(\.questions).reduce(0, +) == 1, "\(answers)")
        #expect(answers[2...].map(\.questions).reduce(0, +) == 1, "\(answers)")
    }

    @Test func aProgramMayNotKeepAllOfAUsersQuestionsBusy() throws {
        let sandbox = try sandbox(40)
        let answers = try Storm(wishes: wishes(0..<40)).run(in: sandbox)
        // As many as one prompt can name. The rest get an error.
        #expect(answers.count { $0.value != nil } == 32, "\(answers)")
        #expect(answers.count { $0.error == "org.coffer.Keychain.LimitExceeded" } == 8, "\(answers)")
        #expect(answers.map(\.questions).reduce(0, +) == 1, "\(answers)")
    }

    @Test(.enabled(if: getuid() == 0, "only root can become other users"))
    func twentyClientsOfThreeUsersDoNotMeet() async throws {
        let accounts = try Accounts(4)
        let sandbox = try Sandbox("--software", "--broker-user", accounts.names[3])
        for (index, uid) in accounts.uids[..<3].enumerated() {
            #expect(try sandbox.coffer("unlock", password: "sandbox", uid: uid).code == 0)
            for number in 0..<3 {
                let outcome = try sandbox.coffer(
                    "set", "of-\(index)", "item-\(number)", "--require", "presence",
                    input: Array("value-\(index)-\(number)".utf8), uid: uid)
                #expect(outcome.code == 0, "\(outcome)")
            }
        }
        // The first user's person answers only when all others are done. Nobody else may have to wait for that.
        let signal = sandbox.folder + "/answer"
        let uids = accounts.uids
        @Sendable func storm(_ client: Int) async throws -> (Int, [Storm.Answer]) {
            let user = client % 3
            let wishes = (0..<3).map { Storm.Wish(service: "of-\(user)", account: "item-\($0)") }
            let storm = Storm(wishes: wishes, uid: uids[user], signal: user == 0 ? signal : "")
            return (user, try await Self.onThread { try storm.run(in: sandbox) })
        }
        @Sendable func all(_ clients: [Int]) async throws -> [(Int, [Storm.Answer])] {
            try await withThrowingTaskGroup { group in
                for client in clients { group.addTask { try await storm(client) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        async let patient = all((0..<20).filter { $0 % 3 == 0 })
        let others = try await all((0..<20).filter { $0 % 3 != 0 })
        #expect(FileManager.default.createFile(atPath: signal, contents: nil))
        let outcomes = try await patient + others
        #expect(outcomes.count == 20)
        for (user, answers) in outcomes {
            #expect(answers.map(\.value) == (0..<3).map { "value-\(user)-\($0)" }, "\(user): \(answers)")
            // On a machine that twenty clients keep busy, a request may come too late for the list. It then gets its
            // own prompt.
            let questions = answers.map(\.questions).reduce(0, +)
            #expect((1...3).contains(questions), "\(user): \(answers)")
            for message in answers.flatMap(\.messages) {
                for other in 0..<3 where other != user { #expect(!message.contains("of-\(other)\"")) }
            }
        }
    }

    /// On a thread that may wait.
    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }
}
