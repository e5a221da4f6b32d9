import Authorization
import Circle
import Cryptography
import HelperProtocol
import JSON
import Platform
import ProgramOptions
import Vault

/// Reads what a circle's paper opens, for `coffer sync restore`. The files come from `coffer`.
enum PaperCommand: HelperTask {
    static let usage = ProgramUsage.Command(
        Helper.paper, abstract: "Read what a code on paper opens, for \"coffer sync restore\".")

    static func run(_ words: [String]) throws {
        var lines = StandardInputLines(limit: PaperStore.longestLine)
        var reading = PaperFiles()
        while !reading.hasCode, let line = try lines.next() { try HelperAnswer.say(reading.take(code: line)) }
        while let line = try lines.next() {
            let request: PaperStore.Request
            do throws(JSONFailure) { request = try JSONReader.read(PaperStore.Request.self, from: line) } catch {
                throw UsageError("that is no request")
            }
            if let circle = request.circle {
                try HelperAnswer.say(reading.begin(circle))
            } else if let head = request.head {
                try HelperAnswer.say(reading.take(head: head))
            } else if let segment = request.segment {
                try HelperAnswer.say(reading.take(segment: segment))
            } else if request.open == true {
                try HelperAnswer.say(reading.open())
            } else if let place = request.value, place.count == 2 {
                try HelperAnswer.say(reading.value(place[0], place[1]))
            } else {
                throw UsageError("that is no request")
            }
        }
    }
}

/// The code, and the files of one circle.
private struct PaperFiles {
    private var code: PaperCode?
    private var circle: StatementName?
    private var heads: [[UInt8]] = []
    private var segments: [[UInt8]] = []
    private var size = 0
    private var found: RecoverableCircle?

    var hasCode: Bool { code != nil }

    mutating func take(code line: [UInt8]) -> PaperStore.Receipt {
        do {
            code = try PaperCode(reading: SecretBytes(copying: line))
            return PaperStore.Receipt()
        } catch {
            let reason = (error as? PaperCodeError ?? .noMemory).reason
            return PaperStore.Receipt(OldVault.Problem(.malformedCode, reason))
        }
    }

    mutating func begin(_ text: String) -> PaperStore.Receipt {
        (heads, segments, size, found) = ([], [], 0, nil)
        circle = Hex.decode(text).flatMap(StatementName.init)
        return PaperStore.Receipt(circle == nil ? OldVault.Problem(.failed, "a circle has no such id") : nil)
    }

    mutating func take(head text: String) -> PaperStore.Receipt { take(text) { $0.heads.append($1) } }

    mutating func take(segment text: String) -> PaperStore.Receipt { take(text) { $0.segments.append($1) } }

    private mutating func take(_ text: String, _ keep: (inout PaperFiles, [UInt8]) -> Void) -> PaperStore.Receipt {
        guard let bytes = Base64.decode(text) else {
            return PaperStore.Receipt(OldVault.Problem(.failed, "a file is not base64"))
        }
        size += bytes.count
        guard size <= PaperStore.mostBytes else {
            return PaperStore.Receipt(OldVault.Problem(.failed, "the circle has more than a vault keeps"))
        }
        keep(&self, bytes)
        return PaperStore.Receipt()
    }

    mutating func open() -> PaperStore.Opening {
        guard let code, let circle else {
            return PaperStore.Opening(problem: OldVault.Problem(.failed, "there is no code, or no circle"))
        }
        do throws(VaultError) {
            let now = SystemClock.now()
            switch try RecoverableCircle.find(code, in: circle, heads: heads, segments: segments, at: now) {
            case .circle(let circle):
                found = circle
                return PaperStore.Opening(circle)
            case .removed:
                return PaperStore.Opening(
                    problem: OldVault.Problem(.noCode, "the code was removed, or replaced by another one"))
            case .none:
                return PaperStore.Opening(problem: OldVault.Problem(.wrongCode, "the code is not this circle's"))
            }
        } catch { return PaperStore.Opening(problem: OldVault.Problem(error)) }
    }

    func value(_ index: Int, _ place: Int) -> OldVault.Value {
        guard let found, found.items.indices.contains(index),
            found.items[index].metadata.fields.indices.contains(place)
        else { return OldVault.Value(OldVault.Problem(.failed, "there is no such field")) }
        let item = found.items[index]
        do throws(VaultError) {
            return OldVault.Value(try found.value(of: item, item.metadata.fields[place].name).base64Encoded())
        } catch { return OldVault.Value(OldVault.Problem(error)) }
    }
}

extension PaperStore.Opening {
    fileprivate init(_ circle: RecoverableCircle) {
        self.init(
            machines: circle.machines.map {
                PaperStore.Machine(
                    device: Hex.encode($0.device.bytes), name: $0.name?.text, member: $0.isMember, newest: $0.newest)
            },
            items: circle.items.map { OldVault.Item($0.metadata, $0.access) },
            lost: circle.lost.map { one in
                PaperStore.Lost(
                    service: one.name.service, account: one.name.account,
                    kind: one.name.itemClass == .genericPassword ? nil : one.name.itemClass.rawValue,
                    field: one.field.text, reason: one.reason)
            }, contested: circle.contested, incomplete: circle.isIncomplete)
    }
}
