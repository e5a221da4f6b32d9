import BrokerProtocol
import Platform
import SystemBus
import Varlink

/// The process that shows one notification. It becomes the user first, and holds nothing that the user may not see. The session bus is the user's and
/// may do anything. So the kernel ends this process after it has waited one second for the bus.
public enum NotificationHelper {
    private static let service = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    /// Takes the order from a connected socket and shows the notification until the connection ends. Ends the process.
    public static func run(on connection: consuming Descriptor) -> Never {
        ProcessRights.endAfter(seconds: 2)
        var line = UnixSocket(adopting: connection)
        do {
            guard
                let bytes = try line.receiveMessage(
                    limit: NotificationLimits.order, until: .now + NotificationLimits.call)
            else {
                ChildProcess.exitNow(0)
            }
            try serve(Varlink.decode(NotificationOrder.self, from: bytes), &line)
        } catch {
            // Nobody waits for a reason why there is no notification.
        }
        ChildProcess.exitNow(0)
    }

    private static func serve(_ order: NotificationOrder, _ line: inout UnixSocket) throws {
        try ProcessRights.drop(to: Account(name: order.name, uid: order.uid, gid: order.gid))
        ProcessRights.endAfter(seconds: 1)
        guard let status = try FileStatus.of(order.bus), status.isSocket, status.uid == order.uid else { return }
        let bus = try Bus(address: "unix:path=\(order.bus)")
        guard try bus.servingUser() == order.uid else { return }
        let seconds = UInt16(clamping: order.seconds)
        let answer = try bus.call(
            service, path, service, "Notify",
            values: [
                .text("Coffer"), .number(0), .text(""), .text(order.summary), .text(order.body), .texts([]),
                .options(["transient": .flag(true)]), .signedNumber(Int32(seconds) * 1000),
            ], within: NotificationLimits.call)
        let number = try answer.number()
        // The notification may stay for as long as the conversation may take.
        ProcessRights.endAfter(seconds: UInt32(seconds) + 5)
        _ = try line.receiveMessage(limit: 1, until: nil)
        ProcessRights.endAfter(seconds: 1)
        _ = try bus.call(
            service, path, service, "CloseNotification", values: [.number(number)], within: NotificationLimits.call)
    }
}
