import Testing

@testable import Coffer
@testable import CofferClient
@testable import CofferTestKit

let readingChecks = [
    Check("an absent item, a value that is no text, a value of another type") { fixture in
        let keychain = fixture.keychain("read")
        await refused(.notFound) { () throws(KeychainError) in try await keychain.string(for: "me") }
        try await keychain.set([0xFF, 0xFE], for: "bytes")
        await refused(.notText) { () throws(KeychainError) in try await keychain.string(for: "bytes") }
        await refused(.notDecodable) { () throws(KeychainError) in try await keychain.value(Int.self, for: "bytes") }
        try await keychain.set(value: ["a": 1], for: "map")
        #expect(try await keychain.value([String: Int].self, for: "map") == ["a": 1])
        await refused(.notDecodable) { () throws(KeychainError) in try await keychain.value([Int].self, for: "map") }
    },
    Check("a value is used without a copy") { fixture in
        let keychain = fixture.keychain("with bytes")
        try await keychain.set("abc", for: "me")
        let bytes = try await keychain.withBytes(for: "me") { span in
            var bytes: [UInt8] = []
            for index in span.indices { bytes.append(span[index]) }
            return bytes
        }
        #expect(bytes == Array("abc".utf8))
        // The closure need not be Sendable.
        var count = 0
        try await keychain.withBytes(for: "me") { count = $0.count }
        #expect(count == 3)
        // The stored value is as it was.
        #expect(try await keychain.string(for: "me") == "abc")
        await refused(.notFound) { () throws(KeychainError) in
            try await keychain.withBytes(for: "absent") { $0.count }
        }
        await refused(.failed) { () throws(KeychainError) in
            try await keychain.withBytes(for: "me") { (_) throws(KeychainError) -> Int in
                throw KeychainError(.failed, "no")
            }
        }
        // Tasks that share a read do not see it overwritten.
        let tasks = (0..<20).map { number in
            Task { () throws(KeychainError) -> Int in
                if number % 2 == 0 { return try await keychain.withBytes(for: "me") { $0.count } }
                return try await keychain.string(for: "me") == "abc" ? 3 : 0
            }
        }
        for task in tasks { #expect(try await task.value == 3) }
    },
    Check("several items are read all or not at all", needs: [.reads]) { fixture in
        let keychain = fixture.keychain("read several")
        try await keychain.set("1", for: "a")
        try await keychain.set("2", for: "b")
        let context = try await keychain.authenticate(for: ["b", "a"])
        #expect(context.accounts == ["a", "b"])
        #expect(try context.string(for: "a") == "1")
        #expect(try context.string(for: "b") == "2")
        await refused(.notFound) { () throws(KeychainError) in try await keychain.authenticate(for: ["a", "c"]) }
        await refused(.notFound) { () throws(KeychainError) in try context.string(for: "c") }
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.authenticate(for: ["a", "a"])
        }
        await refused(.limitExceeded) { () throws(KeychainError) in
            try await keychain.authenticate(for: ["a", String(repeating: "n", count: 1025)])
        }
        let secured = AccessControl.whenUnlocked.requiring(.applicationPassword)
        try await keychain.set("3", for: "d", access: secured, applicationPassword: "p")
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.authenticate(for: ["a", "d"])
        }
        await refused(.applicationPasswordNeeded) { () throws(KeychainError) in
            try await keychain.authenticate(for: ["d"])
        }
        #expect(try await keychain.authenticate(for: []).accounts.isEmpty)
        await refused(.limitExceeded) { () throws(KeychainError) in
            try await keychain.authenticate(for: (0..<33).map { "\($0)" })
        }
    },
    Check("in a cancelled task, nothing is read") { fixture in
        let keychain = fixture.keychain("cancelled reads")
        try await keychain.set("1", for: "a")
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await keychain.bytes(for: "a") }, { _ = try await keychain.exists("a") },
            { _ = try await keychain.list() }, { _ = try await keychain.attributes(of: "a") },
            { _ = try await keychain.status() },
        ]
        for (number, call) in calls.enumerated() {
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await call()
            }
            task.cancel()
            await refused(.cancelled, "\(number)") { () throws(KeychainError) in try await Check.value(of: task) }
        }
    },
    Check("an application password opens its item only") { fixture in
        let keychain = fixture.keychain("application password")
        let access = AccessControl.whenUnlocked.requiring(.applicationPassword)
        await refused(.applicationPasswordNeeded) { () throws(KeychainError) in
            try await keychain.set("x", for: "me", access: access)
        }
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.set("x", for: "me", applicationPassword: "p")
        }
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.set("x", for: "me", access: access, applicationPassword: "")
        }
        try await keychain.set("x", for: "me", access: access, applicationPassword: "p")
        await refused(.applicationPasswordNeeded) { () throws(KeychainError) in try await keychain.string(for: "me") }
        await refused(.applicationPasswordRefused) { () throws(KeychainError) in
            try await keychain.string(for: "me", applicationPassword: "q")
        }
        #expect(try await keychain.string(for: "me", applicationPassword: "p") == "x")
        try await keychain.set("y", for: "open")
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.string(for: "open", applicationPassword: "p")
        }
        await refused(.applicationPasswordNeeded, "an item that is replaced keeps its requirements") {
            () throws(KeychainError) in try await keychain.set("z", for: "me")
        }
    },
    Check("an application password is for every call that takes the value", needs: [.history]) { fixture in
        let keychain = fixture.keychain("application password calls")
        let access = AccessControl.whenUnlocked.requiring(.applicationPassword)
        try await keychain.set("1", for: "me", access: access, applicationPassword: "p")
        try await keychain.set("2", for: "me", applicationPassword: "q")
        typealias Call = (String?) async throws(KeychainError) -> Void
        let calls: [(right: String, wrong: String, call: Call)] = [
            (
                "p", "q",
                { (password) throws(KeychainError) in
                    let former = try await keychain.bytes(for: "me", version: 1, applicationPassword: password)
                    #expect(former == Array("1".utf8))
                }
            ),
            (
                "q", "p",
                { (password) throws(KeychainError) in
                    #expect(try await keychain.item(for: "me", applicationPassword: password).value == Array("2".utf8))
                }
            ),
            (
                "p", "q",
                { (password) throws(KeychainError) in
                    try await keychain.restore("me", version: 1, applicationPassword: password)
                }
            ),
            (
                "p", "q",
                { (password) throws(KeychainError) in
                    let stricter = AccessControl.whenUnlocked.thisDeviceOnly.requiring(.applicationPassword)
                    try await keychain.edit("me", ItemEdit(access: stricter), applicationPassword: password)
                }
            ),
            (
                "p", "q",
                { (password) throws(KeychainError) in
                    try await keychain.rename("me", to: "you", applicationPassword: password)
                }
            ),
        ]
        for (number, one) in calls.enumerated() {
            await refused(.applicationPasswordNeeded, "\(number)") { () throws(KeychainError) in
                try await one.call(nil)
            }
            await refused(.applicationPasswordRefused, "\(number)") { () throws(KeychainError) in
                try await one.call(one.wrong)
            }
            try await one.call(one.right)
        }
        #expect(try await keychain.string(for: "you", applicationPassword: "p") == "1")
        await refused(.invalidArgument, "only a change of access takes it") { () throws(KeychainError) in
            try await keychain.edit("you", ItemEdit(label: "L"), applicationPassword: "p")
        }
        try await keychain.edit("you", ItemEdit(access: .whenUnlocked), applicationPassword: "p")
        #expect(try await keychain.string(for: "you") == "1")
    },
    Check("an item with an application password is updated") { fixture in
        let access = AccessControl.whenUnlocked.requiring(.applicationPassword)
        let keychain = fixture.keychain("application password updates")
        try await keychain.set(value: [1], for: "me", access: access, applicationPassword: "p")
        await refused(.applicationPasswordNeeded) { () throws(KeychainError) in
            try await keychain.update([Int].self, for: "me") { $0 ?? [] }
        }
        try await keychain.update([Int].self, for: "me", applicationPassword: "p") { ($0 ?? []) + [2] }
        #expect(try await keychain.value([Int].self, for: "me", applicationPassword: "p") == [1, 2])
        try await keychain.update(for: "new", access: access, applicationPassword: "q") { ($0 ?? "") + "x" }
        try await keychain.update(for: "new", applicationPassword: "q") { ($0 ?? "") + "y" }
        #expect(try await keychain.string(for: "new", applicationPassword: "q") == "xy")
        let handle = KeychainHandle<String>("handle", in: keychain, access: access)
        try await handle.set("z", applicationPassword: "r")
        #expect(try await handle.value(applicationPassword: "r") == "z")
        await refused(.applicationPasswordNeeded) { () throws(KeychainError) in try await handle.value() }
    },
    Check("either a person or an application password is enough") { fixture in
        let keychain = fixture.keychain("any")
        let access = AccessControl.whenUnlocked.requiringAny(of: .userPresence, .applicationPassword)
        try await keychain.set("x", for: "me", access: access, applicationPassword: "p")
        #expect(try await keychain.string(for: "me", applicationPassword: "p") == "x")
        await refused(.authenticationNeeded) { () throws(KeychainError) in try await keychain.string(for: "me") }
        #expect(try await keychain.prompting(.right).string(for: "me") == "x")
    },
    Check("fingers cannot be required where there are none") { fixture in
        let keychain = fixture.keychain("fingers")
        let biometrics = try await keychain.biometrics()
        #expect(!biometrics.isAvailable && biometrics.unavailableReason?.isEmpty == false)
        // Nobody has looked for a reader, so none is claimed.
        #expect(biometrics.kind == .none && biometrics.obstacle == .noReader)
        for requirement in [AccessControl.Requirement.biometryAny, .biometryCurrentSet] {
            await refused(.biometryNotAvailable) { () throws(KeychainError) in
                try await keychain.set("x", for: "me", access: .whenUnlocked.requiring(requirement))
            }
        }
        #expect(try await keychain.exists("me") == false)
    },
    Check("a vault that is not bound to the login password has no passcode-set items") { fixture in
        let keychain = fixture.keychain("passcode-set")
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.set("x", for: "me", access: .passcodeSet)
        }
    },
]

let askingChecks = [
    Check("a value that requires presence takes the right answer") { fixture in
        let keychain = fixture.keychain("presence")
        let access = AccessControl.whenUnlocked.requiring(.userPresence)
        try await keychain.set("x", for: "me", access: access)
        await refused(.authenticationNeeded) { () throws(KeychainError) in try await keychain.string(for: "me") }
        await refused(.wrongPassword) { () throws(KeychainError) in
            try await keychain.prompting(.wrong).string(for: "me")
        }
        await refused(.cancelled) { () throws(KeychainError) in
            try await keychain.prompting(.givingUp).string(for: "me")
        }
        let person = CountingPerson()
        let value = try await keychain.prompting(person.prompts).string(for: "me", reason: "Show your token")
        #expect(value == "x")
        #expect(person.questions == 1)
        #expect(person.shown.contains("presence") && person.shown.contains("Show your token"), "\(person.shown)")
    },
    Check("tasks that read one item at once ask once, and each has the value") { fixture in
        let keychain = fixture.keychain("at once")
        try await keychain.set("x", for: "me", access: .whenUnlocked.requiring(.userPresence))
        let reads = (fixture.backend as? BrokerBackend)?.access.reads ?? (fixture.backend as? InMemoryKeychain)?.reads
        let questions = Tally()
        let mayAnswer = Gate()
        let asking = keychain.prompting(
            .handler { message in
                guard message.wantsAnswer else { return nil }
                questions.add()
                await mayAnswer.pass()
                return "sandbox"
            })
        let tasks = (0..<9).map { _ in
            Task { () throws(KeychainError) in try await asking.string(for: "me", reason: "Sign you in") }
        }
        #expect(try await eventually { reads?.waiting == 9 && questions.count > 0 })
        tasks[0].cancel()
        await refused(.cancelled) { () throws(KeychainError) in try await Check.value(of: tasks[0]) }
        mayAnswer.open()
        for task in tasks.dropFirst() { #expect(try await task.value == "x") }
        #expect(questions.count == 1)
    },
    Check("a handler that throws gives up") { fixture in
        let keychain = fixture.keychain("throwing handler")
        try await keychain.set("x", for: "me", access: .whenUnlocked.requiring(.userPresence))
        struct NoWindow: Error {}
        for error in [CancellationError() as any Error, NoWindow()] {
            let prompts = Prompts.handler { message in
                guard message.wantsAnswer else { return nil }
                throw error
            }
            await refused(.cancelled) { () throws(KeychainError) in
                try await keychain.prompting(prompts).string(for: "me")
            }
        }
        #expect(try await keychain.prompting(.right).string(for: "me") == "x")
    },
    Check("only giving out a value asks") { fixture in
        let keychain = fixture.keychain("silent")
        let access = AccessControl.whenUnlocked.requiring(.devicePasscode)
        try await keychain.set("x", for: "me", access: access)
        try await keychain.set("y", for: "me")
        #expect(try await keychain.attributes(of: "me").access == access)
        #expect(try await keychain.list().count == 1)
        try await keychain.edit("me", ItemEdit(label: "L"))
        await refused(.authenticationNeeded) { () throws(KeychainError) in try await keychain.rename("me", to: "you") }
        await refused(.authenticationNeeded) { () throws(KeychainError) in
            try await keychain.edit("me", ItemEdit(access: .whenUnlocked))
        }
        let before = try await keychain.attributes(of: "me").version
        let renamed = try await keychain.prompting(.right).rename("me", to: "you")
        #expect(renamed.account == "you" && renamed.version == before + 1)
        #expect(try await keychain.prompting(.right).edit("you", ItemEdit(access: .whenUnlocked)).version > 2)
        #expect(try await keychain.string(for: "you") == "y")
        #expect(try await keychain.delete("you"))
    },
    Check("several items take one answer, and the question names all", needs: [.reads]) { fixture in
        let keychain = fixture.keychain("ask several")
        for account in ["one", "two", "three"] {
            try await keychain.set(account, for: account, access: .whenUnlocked.requiring(.userPresence))
        }
        try await keychain.set("free", for: "free")
        await refused(.authenticationNeeded) { () throws(KeychainError) in
            try await keychain.authenticate(for: ["one", "free"])
        }
        let person = CountingPerson()
        let context = try await keychain.prompting(person.prompts).authenticate(
            for: ["one", "two", "three", "free"], reason: "Sign you in")
        #expect(person.questions == 1)
        for account in ["one", "two", "three", "free"] {
            #expect(try context.string(for: account) == account)
            #expect(person.shown.contains(account), "\(person.shown)")
        }
    },
    Check("a question shows the reason of every call that takes the value", needs: [.history]) { fixture in
        let quiet = fixture.keychain("reasons")
        let gated = AccessControl.whenUnlocked.requiring(.userPresence)
        let reason = "Tidy up your tokens"
        func asks(
            _ call: (Coffer.Keychain, String?) async throws(KeychainError) -> Void
        ) async throws(KeychainError) {
            await refused(.invalidArgument) { () throws(KeychainError) in
                try await call(quiet, String(repeating: "x", count: 513))
            }
            let person = CountingPerson()
            try await call(quiet.prompting(person.prompts), reason)
            #expect(person.questions == 1 && person.shown.contains(reason), "\(person.shown)")
        }
        try await quiet.set("1", for: "me", access: gated)
        try await quiet.set("2", for: "me")
        try await asks { (keychain, reason) throws(KeychainError) in
            try await keychain.restore("me", version: 1, reason: reason)
        }
        try await asks { (keychain, reason) throws(KeychainError) in
            try await keychain.rename("me", to: "you", reason: reason)
        }
        try await asks { (keychain, reason) throws(KeychainError) in
            try await keychain.edit("you", ItemEdit(access: .whenUnlocked), reason: reason)
        }
    },
    Check("an answer is not good for another value") { fixture in
        let keychain = fixture.keychain("outdated")
        try await keychain.set("1", for: "me", access: .whenUnlocked.requiring(.userPresence))
        let changing = Prompts.handler { message in
            guard message.wantsAnswer else { return nil }
            try await keychain.set("2", for: "me")
            return "sandbox"
        }
        await refused(.requestOutdated) { () throws(KeychainError) in
            try await keychain.prompting(changing).string(for: "me")
        }
    },
    Check("cancelling the task ends the question at once") { fixture in
        let keychain = fixture.keychain("cancel")
        try await keychain.set("x", for: "me", access: .whenUnlocked.requiring(.userPresence))
        let asked = AsyncStream<Void>.makeStream()
        let ended = Gate()
        let waiting = Prompts.handler { message in
            guard message.wantsAnswer else { return nil }
            asked.continuation.yield()
            // Cut short by the cancellation.
            try? await Task.sleep(for: .seconds(100_000))
            ended.open()
            return "sandbox"
        }
        let reading = Task { () throws(KeychainError) in try await keychain.prompting(waiting).string(for: "me") }
        for await _ in asked.stream { break }
        reading.cancel()
        try #require(try await eventually { ended.isOpen })
        await refused(.cancelled) { () throws(KeychainError) in try await Check.value(of: reading) }
        #expect(try await keychain.prompting(.right).string(for: "me") == "x")
    },
    Check("a handler that goes on after the cancellation is not waited for") { fixture in
        let keychain = fixture.keychain("deaf handler")
        try await keychain.set("x", for: "me", access: .whenUnlocked.requiring(.userPresence))
        // Equal reads share one question, and each waits by itself. A change asks for itself alone.
        for (atQuestion, changes) in [(true, false), (false, false), (true, true), (false, true)] {
            let asked = AsyncStream<Void>.makeStream()
            let (closed, ended) = (Gate(), Gate())
            let deaf = Prompts.handler { message in
                guard message.wantsAnswer == atQuestion else { return nil }
                asked.continuation.yield()
                // A window that only the person closes.
                while !closed.isOpen { await Task.yield() }
                return "sandbox"
            }
            let calling = Task {
                defer { ended.open() }
                let asking = keychain.prompting(deaf)
                if changes {
                    _ = try await asking.edit("me", ItemEdit(access: .whenUnlocked))
                } else {
                    _ = try await asking.string(for: "me")
                }
            }
            for await _ in asked.stream { break }
            calling.cancel()
            #expect(try await eventually { ended.isOpen })
            closed.open()
            await refused(.cancelled) { () throws(KeychainError) in try await Check.value(of: calling) }
        }
        #expect(try await keychain.prompting(.right).string(for: "me") == "x")
    },
    Check("a task that is cancelled already asks nobody") { fixture in
        let keychain = fixture.keychain("cancelled before")
        try await keychain.set("x", for: "me", access: .whenUnlocked.requiring(.userPresence))
        let person = CountingPerson()
        let reading = Task { () throws(KeychainError) -> String in
            while !Task.isCancelled { await Task.yield() }
            return try await keychain.prompting(person.prompts).string(for: "me")
        }
        reading.cancel()
        await refused(.cancelled) { () throws(KeychainError) in try await Check.value(of: reading) }
        #expect(person.questions == 0)
    },
]

extension Check {
    /// The value of a task whose errors are the keychain's.
    static func value<Value: Sendable>(of task: Task<Value, any Error>) async throws(KeychainError) -> Value {
        do { return try await task.value } catch let error as KeychainError { throw error } catch {
            throw KeychainError(.failed, "another error: \(error)")
        }
    }
}
