import CPAMModule

/// In a screen locker that runs as its user: unlocks that user's keychain as any client does, and answers the one question for a password with the one
/// that PAM has just accepted. Gives up on everything else, and says nothing about it.
@safe struct Unlocking {
    let password: UnsafeRawBufferPointer
    let broker: UnsafePointer<CChar>
    let authenticator: UnsafePointer<CChar>

    /// Longest message taken, in bytes. A call fits, too: a password's bytes may take six each.
    private static let room = 8 << 10
    /// Messages that a conversation may have before its question is answered and done.
    private static let longestTalk = 16

    func run(until deadline: Deadline) {
        guard let broker = unsafe Connection(to: self.broker, until: deadline) else { return }
        unsafe withUnsafeTemporaryAllocation(byteCount: 2 * Self.room, alignment: 1) { memory in
            let call = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<Self.room])
            let answer = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[Self.room...])
            // The call's half holds the password once.
            defer { unsafe explicit_bzero(memory.baseAddress!, memory.count) }
            guard let challenge = unsafe ask(broker, call, answer) else { return }
            guard let first = challenge.baseAddress, challenge.count <= LoginWire.longestChallenge else { return }
            unsafe withUnsafeTemporaryAllocation(byteCount: LoginWire.longestChallenge, alignment: 1) { kept in
                unsafe memcpy(kept.baseAddress!, first, challenge.count)
                let challenge = unsafe UnsafeRawBufferPointer(rebasing: kept[..<challenge.count])
                guard unsafe converse(challenge, until: deadline, call, answer) else { return }
                // Takes up what was granted, so that it is not left open.
                var message = unsafe Message(buffer: call)
                unsafe message.append(method: LoginWire.unlock, parameter: "challenge", challenge)
                if broker.send(message) { _ = unsafe broker.receive(into: answer) }
            }
        }
    }

    /// Asks the broker to unlock.
    /// - Returns: the challenge, where one for unlocking and nothing else is what it wants.
    private func ask(
        _ broker: borrowing Connection, _ call: UnsafeMutableRawBufferPointer,
        _ answer: UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        var message = unsafe Message(buffer: call)
        message.append(method: LoginWire.unlock)
        guard broker.send(message), let bytes = unsafe broker.receive(into: answer) else { return nil }
        let reply = unsafe Value(bytes)
        guard reply["error"]?.isText(LoginWire.authenticationRequired) ?? false,
            let parameters = reply["parameters"], parameters["purposes"]?.only?.isText("unlock") ?? false
        else { return nil }
        return unsafe parameters["challenge"]?.text
    }

    /// - Returns: whether the authenticator is content.
    private func converse(
        _ challenge: UnsafeRawBufferPointer, until deadline: Deadline, _ call: UnsafeMutableRawBufferPointer,
        _ answer: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let authenticator = unsafe Connection(to: self.authenticator, until: deadline) else { return false }
        // Nobody but root, or in a sandbox oneself, is told a password.
        guard authenticator.peer == 0 || authenticator.peer == getuid() else { return false }
        var message = unsafe Message(buffer: call)
        unsafe message.append(method: LoginWire.begin, parameter: "challenge", challenge)
        var isAnswered = false
        for _ in 0..<Self.longestTalk {
            guard authenticator.send(message), let bytes = unsafe authenticator.receive(into: answer) else {
                return false
            }
            guard let step = unsafe Value(bytes)["parameters"] else { return false }
            if step["done"]?.isTrue ?? false { return true }
            guard let style = step["message"]?["style"] else { return false }
            message = unsafe Message(buffer: call)
            if style.isText("info") {
                message.append(method: LoginWire.resume)
            } else if style.isText("secret"), !isAnswered {
                isAnswered = true
                unsafe message.append(method: LoginWire.resume, parameter: "answer", password)
            } else {
                return false
            }
        }
        return false
    }
}
