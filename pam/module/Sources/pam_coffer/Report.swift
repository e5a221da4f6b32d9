import CPAMModule

/// One call to the authenticator that names the user who has logged in. It waits for the answer or the deadline, and reports no errors.
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
            // The content of the answer does not matter. Its arrival means that the vault is open before the session begins.
            _ = unsafe connection.receive(into: buffer)
        }
    }
}
