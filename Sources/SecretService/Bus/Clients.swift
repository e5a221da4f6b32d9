import Platform
import SystemBus

/// A program that is connected to the bus.
struct BusClient: Sendable {
    /// The name that the bus daemon gave to its connection.
    let name: String
    let process: Int32
    let program: RunningProgram
    /// The application in a sandbox that it asks for, by its own word. Only a portal's front end has one.
    var application: String?

    /// Its program, for logs. A `?` follows what the process may have chosen, as in `coffer log`.
    var loggedProgram: String {
        switch program {
        case .file(let path): Self.shown(path)
        case .elsewhere(let name), .unnamed(let name): Self.shown(name) + "?"
        }
    }

    /// Who asks, for the person.
    var sentence: String {
        let name =
            switch program {
            case .file(let path): Self.shown(path)
            case .elsewhere(let path):
                "a program that calls itself \(Self.shown(path)), in a file system of its own"
            case .unnamed(let title): "a process that calls itself \(Self.shown(title))"
            }
        let application = application.map { ", for the application \(Self.shown($0))" } ?? ""
        return "Asked for over D-Bus by \(name) (process \(process))\(application)."
    }

    /// Who asks, for the access log. The broker takes 512 bytes.
    var reason: String {
        "over D-Bus, for \(application.map { "\(Self.shown($0)) by " } ?? "")\(loggedProgram) (process \(process))"
    }

    /// The most characters of a path that are shown. With all of them escaped, the access log still takes it.
    private static let mostShown = 200

    /// In double quotes, because a folder can have any name, also one that goes on like the sentence around it. Control characters could make a
    /// path look like another one. A path that is too long loses its middle, so that the file's own name stays.
    private static func shown(_ text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        if scalars.count > mostShown {
            let half = mostShown / 2
            scalars = scalars.prefix(half) + ["\u{2026}"] + scalars.suffix(half)
        }
        let visible = scalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\u{2026}": scalars.count > mostShown ? "…" : "?"
            default: scalar.value < 0x20 || scalar.value == 0x7F || !scalar.isASCII ? "?" : String(scalar)
            }
        }.joined()
        return "\"\(visible)\""
    }
}

/// Why a program that calls gets nothing.
enum CallerError: Error, Equatable {
    case otherUser
    /// The bus does not say who it is, for example because it has left already.
    case unknown(String)

    var serviceError: ServiceError {
        switch self {
        case .otherUser: ServiceError(BusErrorName.accessDenied, "these are the secrets of another user")
        case .unknown(let reason):
            ServiceError(BusErrorName.accessDenied, "the bus does not say who calls: \(reason)")
        }
    }
}

/// The programs that have called, as the bus daemon and the kernel name them.
struct Clients {
    private var known: [String: BusClient] = [:]

    mutating func client(_ name: String, on server: BusServer) throws(CallerError) -> BusClient {
        if let client = known[name] { return client }
        let (user, client): (UInt32, BusClient)
        // By itself: a client of another user may leave before the next question.
        do throws(BusError) { user = try server.user(of: name) } catch { throw .unknown(error.reason) }
        guard user == OwnProcess.effectiveUser else { throw .otherUser }
        do throws(BusError) {
            let process = try server.process(of: name)
            let program = RunningProgram(of: process, command: Self.title(of: process))
            // The connection is still there, so its process was there, and its number was nobody else's meanwhile.
            _ = try server.process(of: name)
            client = BusClient(name: name, process: process, program: program)
        } catch { throw .unknown(error.reason) }
        if known.count >= BusCallLimits.clients { known = [:] }
        known[name] = client
        return client
    }

    /// - Returns: nil if it has not called yet.
    subscript(_ name: String) -> BusClient? { known[name] }

    mutating func forget(_ name: String) { known[name] = nil }

    private static func title(of process: Int32) -> String {
        // `try?`: a process that has ended has no title.
        let bytes = (try? DurableFile.read("/proc/\(process)/comm", limit: 64)) ?? []
        let title = String(decoding: bytes.prefix(32), as: UTF8.self).trimmingSuffix { $0.isNewline }
        return title.isEmpty ? "?" : String(title)
    }
}

extension String {
    fileprivate func trimmingSuffix(_ isUnwanted: (Character) -> Bool) -> Substring {
        var rest = self[...]
        while let last = rest.last, isUnwanted(last) { rest.removeLast() }
        return rest
    }
}
