import Authorization
import Circle
import Coffer
import Courier
import FoundationEssentials
import HelperProtocol
import Platform

/// What a code on paper opens of a folder. The helper judges and opens what this program carries to it.
struct PaperReading: RestoredSource, ~Copyable {
    private var helper: HelperConversation
    private(set) var items: [OldVault.Item] = []
    private(set) var opening = PaperStore.Opening()

    /// How many files that are none of Coffer's are named.
    private static let strange = 8

    /// - Parameter code: well formed.
    init(_ code: [UInt8]) throws(KeychainError) {
        var helper = try HelperConversation([Helper.paper])
        let receipt: PaperStore.Receipt = try helper.ask(code, limit: HelperLimits.receipt)
        if let problem = receipt.problem { throw KeychainError(.invalidArgument, problem.reason) }
        self.helper = helper
    }

    /// Finds the circle of the code. Others in the folder are left out, whoever has made them.
    mutating func open(_ folder: SharedFolder) throws {
        let circles = try folder.circles()
        let shown = ShellText.quote(folder.path)
        guard !circles.isEmpty else {
            throw KeychainError(
                .notFound, "there is nothing of Coffer in \(shown)",
                advice: "name the folder that your machines have shared; a copy of it will do")
        }
        var (wasRemoved, isPartial, problems): (Bool, Bool, [String]) = (false, false, [])
        for circle in circles {
            let opening: PaperStore.Opening
            do { problems += try send(circle, folder) } catch let error as StoreError {
                // Somebody has put a circle beside that of the code. It must not keep that from being found.
                guard Self.isStrange(error) else { throw SharedFolder.failure(error) }
                problems.append(error.path)
                isPartial = true
                continue
            } catch let error as KeychainError where error.code == .limitExceeded {
                isPartial = true
                problems.append(Hex.encode(circle.bytes))
                continue
            }
            opening = try ask(PaperStore.Request(open: true), limit: HelperLimits.list)
            switch opening.problem?.code {
            case nil:
                (self.opening, items) = (opening, opening.items)
                Self.warn(of: problems)
                return
            case .wrongCode: continue
            case .noCode: wasRemoved = true
            default: throw KeychainError(.failed, "\(shown): \(opening.problem?.reason ?? "")")
            }
        }
        Self.warn(of: problems)
        guard !wasRemoved else {
            throw KeychainError(
                .wrongPassword, "this code on paper was removed, or replaced by another one",
                advice: "use the newer code; or an older copy of the folder, which has what the code still opens")
        }
        guard !isPartial else {
            throw KeychainError(
                .failed, "the code is well formed, and \(shown) holds more than can be read",
                advice: """
                    keep the code: what was left out may be what it opens; make a copy of the folder, remove from the copy \
                    what is not Coffer's, and restore from that
                    """)
        }
        throw KeychainError(
            .wrongPassword, "the code is well formed, but it opens nothing in \(shown)",
            advice: "check that it is the code of these machines, and that the folder is whole")
    }

    mutating func value(at index: Int, field: Int) throws(KeychainError) -> [UInt8] {
        let answer: OldVault.Value = try ask(
            PaperStore.Request(value: [index, field]), limit: HelperLimits.value)
        guard let text = answer.value else {
            throw KeychainError(
                .invalidArgument,
                "its value cannot be read from the folder: \(answer.problem?.reason ?? "no reason is given")")
        }
        defer { Wipe.storage(of: text.utf8) }
        guard let value = Base64.decode(text) else {
            throw KeychainError(
                .invalidArgument, "what was read of its value is not base64",
                advice: "install coffer and cofferd of the same version, then restore it again")
        }
        return value
    }

    /// Hands a circle's files to the helper.
    /// - Returns: the files that are none of Coffer's.
    private mutating func send(_ circle: StatementName, _ folder: SharedFolder) throws -> [String] {
        var strange: [String] = []
        try give(PaperStore.Request(circle: Hex.encode(circle.bytes)))
        for device in try folder.store.heads(of: circle) {
            let head = StorePath.head(circle: circle, device: device)
            for path in [head] + (try segments(of: circle, device, folder, &strange)) {
                let bytes: [UInt8]?
                do throws(StoreError) { bytes = try folder.store.read(path) } catch {
                    guard Self.isStrange(error) else { throw error }
                    strange.append(error.path)
                    continue
                }
                guard let bytes else { continue }
                let content = Base64.encode(bytes)
                try give(path == head ? PaperStore.Request(head: content) : PaperStore.Request(segment: content))
            }
        }
        return strange
    }

    private func segments(
        of circle: StatementName, _ device: WriterID, _ folder: SharedFolder, _ strange: inout [String]
    ) throws(StoreError) -> [StorePath] {
        do throws(StoreError) { return try folder.store.segments(of: circle, device: device) } catch {
            guard Self.isStrange(error) else { throw error }
            strange.append(error.path)
            return []
        }
    }

    /// - Throws: `.limitExceeded` for more than a circle has.
    private mutating func give(_ request: PaperStore.Request) throws(KeychainError) {
        let receipt: PaperStore.Receipt = try ask(request, limit: HelperLimits.receipt)
        if let problem = receipt.problem { throw KeychainError(.limitExceeded, problem.reason) }
    }

    private static func isStrange(_ error: StoreError) -> Bool {
        [.strange, .tooLarge, .tooMany].contains(error.code)
    }

    private mutating func ask<Answer: Decodable>(
        _ request: PaperStore.Request, limit: Int
    ) throws(KeychainError) -> Answer {
        let line: Data
        do { line = try JSONEncoder().encode(request) } catch {
            throw KeychainError(.failed, "a request to \(Helper.name) cannot be made")
        }
        return try helper.ask(Array(line), limit: limit)
    }

    private static func warn(of problems: [String]) {
        guard !problems.isEmpty else { return }
        let names = problems.prefix(strange).map(VisibleText.line).joined(separator: ", ")
        Output.note("coffer: warning: this is not what Coffer keeps in the folder, and was left out: \(names)")
    }
}
