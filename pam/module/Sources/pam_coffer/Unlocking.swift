import CPAMModule

/// Unlocks the user's vault from a screen locker that runs as its user, as any client does. It answers the one question for a password with the
/// password that PAM has just accepted. It gives up on any other question, and reports no errors.
@safe struct Unlocking {
    let password: UnsafeRawBufferPointer
    let broker: UnsafePointer<CChar>
    let authenticator: UnsafePointer<CChar>

    /// The longest message that is accepted, in bytes. A call fits as well, although each byte of a password may take six.
    private static let room = 8 << 10
    /// The most messages in one conversation.
    private static let longestTalk = 16

    func run(until deadline: Deadline) {
        guard let broker = unsafe Connection(to: self.broker, until: deadline) else { return }
        unsafe withUnsafeTemporaryAllocation(byteCount: 2 * Self.room, alignment: 1) { memory in
            let call = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<Self.room])
            let answer = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[Self.room...])
            // The half for calls holds the password for a moment.
            defer { unsafe explicit_bzero(memory.baseAddress!, memory.count) }
            guard let challenge = unsafe ask(broker, call, answer) else { return }
            guard let first = challenge.baseAddress, challenge.count <= LoginWire.longestChallenge else { return }
            unsafe withUnsafeTemporaryAllocation(byteCount: LoginWire.longestChallenge, alignment: 1) { kept in
                unsafe memcpy(kept.baseAddress!, first, challenge.count)
                let challenge = unsafe UnsafeRawBufferPointer(rebasing: kept[..<challenge.count])
                guard unsafe converse(challenge, until: deadline, call, answer) else { return }
                // Uses the challenge, so that it does not stay open.
                var message = unsafe Message(buffer: call)
                unsafe message.append(method: LoginWire.unlock, parameter: "challenge", challenge)
                if broker.send(message) { _ = unsafe broker.receive(into: answer) }
            }
        }
    }

    /// Asks the broker to unlock.
    /// - Returns: the challenge, if the broker wants one for unlocking only.
    private func ask(
        _ broker: borrowing Connection, _ call: UnsafeMutableRawBufferPointer,
        _ answer: UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        var message = unsafe Message(buffer: call)
        message.append(method: LoginWire.unlock)
        guard broker.send(message), let bytes = unsafe broker.receive(into: answer) else { return nil }
        let reply = unsafe Value(bytes)
        guard reply["error"]?.isText(LoginWire.authenticationRequired) ?? false,
            let parameters = reply["parameters"], parameters["purposes"]?.only?.isText(LoginWire.unlockPurpose) ?? false
        else { return nil }
        return unsafe parameters["challenge"]?.text
    }

    /// - Returns: whether the authenticator has finished the conversation.
    private func converse(
        _ challenge: UnsafeRawBufferPointer, until deadline: Deadline, _ call: UnsafeMutableRawBufferPointer,
        _ answer: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let authenticator = unsafe Connection(to: self.authenticator, until: deadline) else { return false }
        // Only root gets the password, or this same user in a sandbox.
        guard authenticator.peer == 0 || authenticator.peer == getuid() else { return false }
        var message = unsafe Message(buffer: call)
        // The person sees no text that says what the answer is for, and the broker's word for it is not enough.
        unsafe message.append(
            method: LoginWire.begin, list: ("purposes", LoginWire.unlockPurpose), parameter: "challenge", challenge)
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
