import Authorization

/// The files by which a new device proves that its keys are in a TPM. The raw value is the file's word in the store.
package enum ProofStep: String, Sendable, CaseIterable {
    case identity, challenge, evidence
}

/// Where a file lies in a store (docs/sync-format.md, “The store”). A name says where to look. What counts is what the
/// file says.
package enum StorePath: Hashable, Sendable {
    case segment(circle: StatementName, device: WriterID, number: UInt64, run: RunID)
    case head(circle: StatementName, device: WriterID)
    case beacon(circle: StatementName)
    case request(JoinPlace)
    case answer(JoinPlace)
    case proof(ProofStep, JoinPlace)
    case knock(circle: StatementName, InvitationPlace, JoinPlace)

    /// What the file is called that everybody replaces who wrote something.
    package static let beaconName = "beacon"
    /// The folder in which invited machines knock.
    package static let knocksName = "knocks"
    /// The numbers of one folder of segments.
    private static let folder: UInt64 = 1024

    /// Only `[0-9a-z-]` and `/`, of fixed width for each kind of file.
    package var text: String {
        switch self {
        case .segment(let circle, let device, let number, let run):
            "\(Hex.encode(circle.bytes))/\(Hex.encode(device.bytes))/\(Self.decimal(number / Self.folder, 13))/"
                + "\(Self.decimal(number, 16))-\(Hex.encode(run.bytes))"
        case .head(let circle, let device): "\(Hex.encode(circle.bytes))/heads/\(Hex.encode(device.bytes))"
        case .beacon(let circle): "\(Hex.encode(circle.bytes))/\(Self.beaconName)"
        case .knock(let circle, let invitation, let place):
            "\(Hex.encode(circle.bytes))/\(Self.knocksName)/\(Hex.encode(invitation.bytes + place.bytes))"
        case .request(let place): "join/\(Hex.encode(place.bytes))-request"
        case .answer(let place): "join/\(Hex.encode(place.bytes))-answer"
        case .proof(let step, let place): "join/\(Hex.encode(place.bytes))-\(step.rawValue)"
        }
    }

    /// Reads a path as a listing has it.
    ///
    /// - Returns: nil for every name that no member writes, also for another spelling of one.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Array($0.utf8) }
        if parts.count == 2, parts[0] == Array("join".utf8) {
            let name = parts[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard name.count == 2, let place = JoinPlace(bytes: Self.bytes(Array(name[0]))) else { return nil }
            let kind = String(decoding: name[1], as: UTF8.self)
            if let step = ProofStep(rawValue: kind) {
                self = .proof(step, place)
            } else {
                self = kind == "answer" ? .answer(place) : .request(place)
            }
        } else {
            guard let first = parts.first, let circle = StatementName(bytes: Self.bytes(first)) else { return nil }
            switch parts.count {
            case 2: self = .beacon(circle: circle)
            case 3:
                if let device = WriterID(bytes: Self.bytes(parts[2])) {
                    self = .head(circle: circle, device: device)
                } else {
                    let name = Self.bytes(parts[2])
                    guard let invitation = InvitationPlace(bytes: Array(name.prefix(InvitationPlace.count))),
                        let place = JoinPlace(bytes: Array(name.dropFirst(InvitationPlace.count)))
                    else { return nil }
                    self = .knock(circle: circle, invitation, place)
                }
            case 4:
                guard let device = WriterID(bytes: Self.bytes(parts[1])), parts[3].count == 49,
                    let run = RunID(bytes: Self.bytes(Array(parts[3][17...]))),
                    let number = UInt64(String(decoding: parts[3][..<16], as: UTF8.self)),
                    (1...CircleLimits.number).contains(number)
                else { return nil }
                self = .segment(circle: circle, device: device, number: number, run: run)
            default: return nil
            }
        }
        // The rest of the name, the case of its letters, signs and the folder.
        guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
    }

    private static func decimal(_ number: UInt64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Empty for anything but pairs of digits.
    private static func bytes(_ text: [UInt8]) -> [UInt8] { Hex.decode(String(decoding: text, as: UTF8.self)) ?? [] }
}
