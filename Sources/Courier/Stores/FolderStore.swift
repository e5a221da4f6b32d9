import Authorization
import Circle
import Glibc
import Platform

/// A store that is a folder: of Syncthing, on a network or a stick.
///
/// Others write to it, so the folder is held open and no link in it is followed. A pipe or a device is never opened.
/// What is read has a limit before it is read. A name that no member writes is ignored.
package struct FolderStore: SharedStore {
    /// All copies of the store have the folder open once.
    private final class Held: Sendable {
        let folder: ConfinedFolder
        /// Who gets what root makes here; nil if it stays with who makes it. Root begins a service's circle, and the
        /// service's own account carries the files from then on.
        let heir: UInt32?
        let owner: UInt32

        init(_ folder: consuming ConfinedFolder) throws(SystemError) {
            owner = try folder.entry().uid
            heir = geteuid() == 0 && owner != 0 ? owner : nil
            self.folder = folder
        }
    }

    package let path: String
    private let root: Held
    private let limits: CourierLimits
    /// Whose folder it was when it was opened.
    package var owner: UInt32 { root.owner }

    /// - Parameter path: a folder that exists. Its user chose it, so links on the way to it are followed.
    package init(_ path: String, limits: CourierLimits = CourierLimits()) throws(StoreError) {
        do throws(SystemError) { root = try Held(try ConfinedFolder(path: path)) } catch {
            throw error.errno == ENOTDIR
                ? StoreError(.notAFolder, at: path, cause: error) : StoreError(error, at: path)
        }
        (self.path, self.limits) = (path, limits)
    }

    /// The circles that have a folder here, in order.
    package func circles() throws(StoreError) -> [StatementName] {
        var budget = limits.names
        guard let folder = try open([], making: false) else { return [] }
        var circles: [StatementName] = []
        for name in try names(folder, [], &budget) {
            guard case .beacon(let circle) = StorePath("\(name)/beacon") else { continue }
            guard try at([name], { () throws(SystemError) in try folder.entry(name)?.kind }) == .folder else {
                continue
            }
            circles.append(circle)
            guard circles.count <= limits.circles else { throw StoreError(.tooMany, at: path) }
        }
        return circles.sorted()
    }

    /// The folders in which something new of these devices appears. Each is there, or was a moment ago.
    package func places(of circle: StatementName, devices: [WriterID]) throws(StoreError) -> [String] {
        let whole = Hex.encode(circle.bytes)
        var places = [text([whole]), text([whole, "heads"])]
        for device in devices.prefix(CourierLimits.watched) {
            let place = [whole, Hex.encode(device.bytes)]
            var budget = limits.names
            guard let folder = try open(place, making: false) else { continue }
            places.append(text(place))
            // Records go into the last one.
            guard let last = try names(folder, place, &budget).filter(Self.isNumber).max() else { continue }
            places.append(text(place + [last]))
        }
        return places
    }

    package func heads(of circle: StatementName) throws(StoreError) -> [WriterID] {
        let place = [Hex.encode(circle.bytes), "heads"]
        var budget = limits.names
        guard let folder = try open(place, making: false) else { return [] }
        var devices: [WriterID] = []
        for name in try names(folder, place, &budget) {
            guard case .head(circle, let device) = Self.path(place, name) else { continue }
            devices.append(device)
            guard devices.count <= limits.devices else { throw StoreError(.tooMany, at: text(place)) }
        }
        return devices.sorted()
    }

    package func segments(of circle: StatementName, device: WriterID) throws(StoreError) -> [StorePath] {
        let place = [Hex.encode(circle.bytes), Hex.encode(device.bytes)]
        // One budget for all folders: a folder of 100,000 full folders costs no more than one.
        var budget = limits.names
        guard let folder = try open(place, making: false) else { return [] }
        var found: [(number: UInt64, run: RunID, path: StorePath)] = []
        for inner in try names(folder, place, &budget) where Self.isNumber(inner) {
            let place = place + [inner]
            // Its writer may have removed it since.
            guard let folder = try open(place, making: false) else { continue }
            for name in try names(folder, place, &budget) {
                guard let path = Self.path(place, name), case .segment(circle, device, let number, let run) = path
                else { continue }
                found.append((number, run, path))
            }
        }
        return found.sorted { ($0.number, $0.run) < ($1.number, $1.run) }.map(\.path)
    }

    package func sizes(of paths: [StorePath]) throws(StoreError) -> [StorePath: Int] {
        var sizes: [StorePath: Int] = [:]
        for (place, listed) in Dictionary(grouping: paths, by: { Self.parts($0).place }) {
            guard let folder = try open(place, making: false) else { continue }
            for path in listed {
                let name = Self.parts(path).name
                guard let entry = try at(place + [name], { () throws(SystemError) in try folder.entry(name) }) else {
                    continue
                }
                sizes[path] = entry.kind == .file ? Int(clamping: entry.size) : 0
            }
        }
        return sizes
    }

    package func knocks(of circle: StatementName) throws(StoreError) -> [StorePath] {
        let place = [Hex.encode(circle.bytes), StorePath.knocksName]
        var budget = limits.names
        guard let folder = try open(place, making: false) else { return [] }
        return try names(folder, place, &budget).compactMap { name in
            guard let path = Self.path(place, name), case .knock(circle, _, _) = path else { return nil }
            return path
        }
    }

    package func read(_ path: StorePath) throws(StoreError) -> [UInt8]? {
        let (place, name) = Self.parts(path)
        guard let folder = try open(place, making: false),
            let entry = try at(place + [name], { () throws(SystemError) in try folder.entry(name) })
        else { return nil }
        // Before it is opened: to open a device can be enough to do something.
        guard entry.kind == .file else { throw StoreError(.strange, at: text(place + [name])) }
        guard entry.size <= path.limit else { throw StoreError(.tooLarge, at: text(place + [name])) }
        let bytes: [UInt8]
        do throws(SystemError) {
            // It may have grown since.
            bytes = try folder.file(name).read(path.limit + 1)
        } catch {
            switch error.errno {
            case ENOENT: return nil
            // It was exchanged since.
            case EINVAL: throw StoreError(.strange, at: text(place + [name]), cause: error)
            default: throw StoreError(error, at: text(place + [name]))
            }
        }
        guard bytes.count <= path.limit else { throw StoreError(.tooLarge, at: text(place + [name])) }
        return bytes
    }

    package func write(_ bytes: [UInt8], to path: StorePath) throws(StoreError) {
        let (place, name) = Self.parts(path)
        guard bytes.count <= path.limit else { throw StoreError(.tooLarge, at: text(place + [name])) }
        guard let folder = try open(place, making: true) else { throw StoreError(.missing, at: text(place)) }
        let temporary = Leftover.name()
        do throws(SystemError) {
            try Self.fill(folder, temporary, bytes, for: root.heir)
            // A link that has the name is replaced, and what it leads to stays as it is.
            try folder.rename(temporary, to: folder, name)
        } catch {
            // `try?`: the error is about the write itself. A file that stays is removed after a day.
            try? folder.remove(temporary)
            throw StoreError(error, at: text(place + [name]))
        }
        try sync(folder, place)
        switch path {
        case .beacon, .request, .answer, .proof, .knock:
            // `try?`: no listing comes by here, and what cannot be listed does no harm.
            var budget = Self.tidied
            if let names = try? folder.names(within: &budget) { Leftover.tidy(folder, names) }
        case .segment, .head: break
        }
    }

    package func remove(_ path: StorePath) throws(StoreError) {
        let (place, name) = Self.parts(path)
        guard let folder = try open(place, making: false) else { return }
        try at(place + [name]) { () throws(SystemError) in try folder.remove(name) }
        try sync(folder, place)
    }
}

extension FolderStore {
    /// Everybody sees the folder itself.
    package func refresh() throws(StoreError) -> StoreError? { nil }

    package func publish() throws(StoreError) {}

    package var isUnpublished: Bool { false }

    /// How many entries are looked at for leftovers beside a file that no listing finds.
    private static let tidied = 4096

    /// Opens a folder of the store, part by part.
    /// - Returns: nil if it is missing, and is not to be made.
    private func open(_ place: [String], making: Bool) throws(StoreError) -> ConfinedFolder? {
        var folder = try at([]) { () throws(SystemError) in try root.folder.again() }
        for (index, name) in place.enumerated() {
            do throws(SystemError) {
                let isNew = making ? try folder.makeFolder(name) : false
                if isNew { try Self.synced { () throws(SystemError) in try folder.sync() } }
                folder = try folder.folder(name)
                if isNew, let heir = root.heir { try folder.give(to: heir) }
            } catch {
                if error.errno == ENOENT, !making { return nil }
                throw StoreError(error, at: text(place[...index]))
            }
        }
        return folder
    }

    /// Lists a folder within the budget, and removes the leftovers that it meets.
    private func names(
        _ folder: borrowing ConfinedFolder, _ place: [String], _ budget: inout Int
    ) throws(StoreError) -> [String] {
        let names: [String]?
        do throws(SystemError) { names = try folder.names(within: &budget) } catch {
            throw StoreError(error, at: text(place))
        }
        guard let names else { throw StoreError(.tooMany, at: text(place)) }
        Leftover.tidy(folder, names)
        return names
    }

    private static func fill(
        _ folder: borrowing ConfinedFolder, _ name: String, _ bytes: [UInt8], for heir: UInt32?
    ) throws(SystemError) {
        let file = try folder.makeFile(name, setsMode: false)
        if let heir { try file.give(to: heir) }
        try file.write(bytes)
        try Self.synced { () throws(SystemError) in try file.sync() }
    }

    private func sync(_ folder: borrowing ConfinedFolder, _ place: [String]) throws(StoreError) {
        do throws(SystemError) { try Self.synced { () throws(SystemError) in try folder.sync() } } catch {
            throw StoreError(error, at: text(place))
        }
    }

    /// Syncs, unless the file system knows no such thing. Some in user space and on networks do not.
    static func synced(_ sync: () throws(SystemError) -> Void) throws(SystemError) {
        do throws(SystemError) { try sync() } catch {
            guard [EINVAL, EOPNOTSUPP, ENOSYS].contains(error.errno) else { throw error }
        }
    }

    private func at<Value: ~Copyable>(
        _ place: some Collection<String>, _ body: () throws(SystemError) -> Value
    ) throws(StoreError) -> Value {
        do throws(SystemError) { return try body() } catch { throw StoreError(error, at: text(place)) }
    }

    private func text(_ place: some Collection<String>) -> String { ([path] + place).joined(separator: "/") }

    private static func path(_ place: [String], _ name: String) -> StorePath? {
        StorePath((place + [name]).joined(separator: "/"))
    }

    /// A path's folders and the file's name.
    private static func parts(_ path: StorePath) -> (place: [String], name: String) {
        let parts = path.text.split(separator: "/").map(String.init)
        return (Array(parts.dropLast()), parts[parts.count - 1])
    }

    /// Whether a folder can hold segments. Their paths say whether it does.
    static func isNumber(_ name: String) -> Bool {
        name.utf8.count == 13 && name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
