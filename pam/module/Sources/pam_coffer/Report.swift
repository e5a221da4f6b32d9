import CPAMModule

/// One call to the authenticator: says who has logged in, waits for the answer or the end of the time, and has nothing to say about what went wrong.
@safe struct Report {
    let user: User
    let socket: UnsafePointer<CChar>

    func send(until deadline: Deadline) {
        guard let connection = unsafe Connection(to: socket, until: deadline) else { return }
        unsafe withUnsafeTemporaryAllocation(byteCount: LoginWire.longestCall, alignment: 1) { buffer in
            var message = unsafe Message(buffer: buffer)
            message.append("{\"method\":\"")
            message.append(LoginWire.report)
            message.append("\",\"parameters\":{\"user\":\"")
            unsafe message.append(UnsafeRawPointer(user.name), count: user.count)
            message.append("\"}}\0")
            guard connection.send(message) else { return }
            // The answer says nothing that would matter here; its coming says that the keychain is open before the session begins.
            _ = unsafe connection.receive(into: buffer)
        }
    }
}
