import BrokerProtocol
import JSON
import Platform
import SystemBus
import Varlink

/// A notification on the desktop of the user who is asked, shown for as long as this value lives. It shows the request where the requesting program
/// cannot change it. A separate process shows it with the user's rights, so that the user's session bus cannot hold up a conversation.
struct DesktopNotification: ~Copyable {
    private let helper: HelperProcess

    /// - Parameter folder: the folder that holds each user's runtime folder; nil for no notifications.
    /// - Returns: nil if the user has no runtime folder, or if the process cannot be started. The person is asked all the same.
    init?(for account: Account, folder: String?, text: String, seconds: Int) {
        // Only names are read, because the user's own folder may be a file system of the user's making. Without a folder there is no desktop.
        guard let folder, let names = try? Folder.entries(folder), names.contains("\(account.uid)") else { return nil }
        let order = NotificationOrder(
            account, bus: "\(folder)/\(account.uid)/bus", text: text, seconds: seconds)
        // `try?`: no failure here may keep a person from being asked.
        guard let helper = try? HelperProcess(["coffer-authenticator", "notify"], telling: Varlink.encode(order))
        else { return nil }
        self.helper = helper
    }

    /// Removes the notification and waits a moment for that. Anything left ends with this process.
    consuming func withdraw() { _ = helper.finish(until: .now + NotificationLimits.removal) }
}

/// Tells the helper process what to show on a user's desktop.
struct NotificationOrder: JSONValue {
    let name: String
    let uid: UInt32
    let gid: UInt32
    /// The socket of the user's session bus.
    let bus: String
    let summary: String
    let body: String
    /// Seconds until the desktop removes the notification by itself.
    let seconds: Int

    init(_ account: Account, bus: String, text: String, seconds: Int) {
        name = account.name
        uid = account.uid
        gid = account.gid
        self.bus = bus
        summary = "Coffer asks for you"
        body = Self.plain(text)
        self.seconds = seconds
    }

    init(from reader: inout JSONReader) throws(JSONFailure) {
        var name: String?
        var uid: UInt32?
        var gid: UInt32?
        var bus: String?
        var summary: String?
        var body: String?
        var seconds: Int?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.jsonNames) {
            switch member {
            case 0: body = try reader.read()
            case 1: bus = try reader.read()
            case 2: gid = try reader.read()
            case 3: name = try reader.read()
            case 4: seconds = try reader.read()
            case 5: summary = try reader.read()
            default: uid = try reader.read()
            }
        }
        self.name = try members.required(name, "name")
        self.uid = try members.required(uid, "uid")
        self.gid = try members.required(gid, "gid")
        self.bus = try members.required(bus, "bus")
        self.summary = try members.required(summary, "summary")
        self.body = try members.required(body, "body")
        self.seconds = try members.required(seconds, "seconds")
    }

    private static let jsonNames = ["body", "bus", "gid", "name", "seconds", "summary", "uid"]

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("body", body)
        writer.member("bus", bus)
        writer.member("gid", gid)
        writer.member("name", name)
        writer.member("seconds", seconds)
        writer.member("summary", summary)
        writer.member("uid", uid)
        writer.endObject()
    }

    /// Spells out markup characters, because some desktops read a notification's text as markup.
    static func plain(_ text: String) -> String {
        var result = ""
        for character in EscapedText.message(text, limit: NotificationLimits.body).unicodeScalars {
            switch character {
            case "<", ">", "&": result += "\\u{\(String(character.value, radix: 16))}"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}

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
