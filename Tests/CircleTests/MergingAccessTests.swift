import Circle
import Foundation
import Item
import Testing

/// How access controls combine, and what the floor lets out.
struct MergingAccessTests {
    private static let all: [AccessControl] = {
        var all: [AccessControl] = []
        for accessibility in AccessControl.Accessibility.allCases {
            for isThisDeviceOnly in [false, true] {
                for bits in 0..<32 {
                    let cases = AccessControl.Requirement.allCases
                    let requirements = Set(cases.indices.filter { bits >> $0 & 1 == 1 }.map { cases[$0] })
                    for anyIsEnough in [false, true] {
                        // `try?`: those that contradict themselves are none.
                        guard
                            let access = try? AccessControl(
                                accessibility, isThisDeviceOnly: isThisDeviceOnly, requirements: requirements,
                                anyIsEnough: anyIsEnough), !all.contains(access)
                        else { continue }
                        all.append(access)
                    }
                }
            }
        }
        return all
    }()

    @Test func everyPairMeetsBothAndIsNeverLooser() {
        let all = Self.all
        #expect(all.count == 6 * 42)
        // Class and device join apart from the requirements: of these, two classes are enough for each pair.
        let some = all.filter { $0.accessibility == .whenUnlocked || $0.accessibility == .passcodeSet }
        var (wrong, expressed) = (0, 0)
        for one in some where !one.isThisDeviceOnly || one.accessibility == .passcodeSet {
            for other in some {
                let both = CombinedAccess(one).meeting(CombinedAccess(other))
                if both != CombinedAccess(other).meeting(CombinedAccess(one)) { wrong += 1 }
                if !both.meets(one) || !both.meets(other) { wrong += 1 }
                guard let access = both.expressed else { continue }
                expressed += 1
                if one.tightens(access) || other.tightens(access) || CombinedAccess(access) != both { wrong += 1 }
            }
        }
        #expect(wrong == 0)
        #expect(expressed > 1_000)
        for one in all {
            #expect(CombinedAccess(one).meeting(CombinedAccess(one)) == CombinedAccess(one))
            #expect(CombinedAccess(one).expressed == one)
        }
    }

    @Test func classesAndDevicesCombineToTheStricter() {
        let plain = Self.all.filter(\.requirements.isEmpty)
        for one in plain {
            for other in plain {
                let both = CombinedAccess(one).meeting(CombinedAccess(other))
                #expect(both.isThisDeviceOnly == (one.isThisDeviceOnly || other.isThisDeviceOnly))
                #expect(both.accessibility.looseness == min(one.accessibility.looseness, other.accessibility.looseness))
            }
        }
    }

    @Test func threeCombineInAnyGrouping() {
        let some = Self.all.filter { $0.accessibility == .whenUnlocked && !$0.isThisDeviceOnly }.map(
            CombinedAccess.init)
        var wrong = 0
        for (place, one) in some.enumerated() {
            for (otherPlace, other) in some.enumerated() where (place + otherPlace).isMultiple(of: 3) {
                let third = some[(place * 7 + otherPlace * 3) % some.count]
                if one.meeting(other).meeting(third) != one.meeting(other.meeting(third)) { wrong += 1 }
            }
        }
        #expect(wrong == 0)
    }

    /// The table of docs/sync-merging.md.
    @Test func theTableHoldsInEveryLine() throws {
        let page = try String(
            contentsOfFile: #filePath.replacing(
                "Tests/CircleTests/MergingAccessTests.swift", with: "docs/sync-merging.md"), encoding: .utf8)
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains("combined") == false }
        let rows = lines.map {
            $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "") }
        }
        let table = rows.filter { $0.count == 3 && Self.parse($0[0]) != nil && Self.parse($0[1]) != nil }
        let words = Self.tableWords
        #expect(table.count == words.count * (words.count - 1) / 2)
        var seen: Set<String> = []
        for row in table {
            let (one, other) = (try #require(Self.parse(row[0])), try #require(Self.parse(row[1])))
            let both = CombinedAccess(one).meeting(CombinedAccess(other)).expressed
            #expect(both.map(Self.spelt) ?? "–" == row[2], "\(row)")
            #expect(seen.insert([row[0], row[1]].sorted().joined(separator: " | ")).inserted)
        }
    }

    static let tableWords = [
        "nothing", "presence", "biometry", "passcode", "app-password", "presence and passcode", "presence or passcode",
        "biometry or passcode", "biometry-current-set",
    ]

    private static func parse(_ text: String) -> AccessControl? {
        guard tableWords.contains(text) else { return nil }
        guard text != "nothing" else { return .whenUnlocked }
        let isAny = text.contains(" or ")
        let names = text.replacing(" or ", with: " and ").split(separator: " and ")
        // `try?`: a row that says something else is no row of the table.
        return try? AccessControl(
            requirements: Set(names.compactMap { AccessControl.Requirement(rawValue: String($0)) }), anyIsEnough: isAny)
    }

    private static func spelt(_ access: AccessControl) -> String {
        guard !access.requirements.isEmpty else { return "nothing" }
        return access.requirements.inOrder.map(\.rawValue).joined(separator: access.anyIsEnough ? " or " : " and ")
    }

    private func floor(_ changes: [(AccessControl, seesAll: Bool)]) throws -> SharedItem {
        var bench = Bench(devices: changes.count, having: try Bench.made())
        for (device, change) in changes.enumerated() {
            if change.seesAll { bench.catchUp(device) }
            try bench.act(device) { writer, state in try writer.guardItem(#require(state.items.first), by: change.0) }
        }
        return try #require(bench.merged().items.first)
    }

    private let presence = AccessControl.whenUnlocked.requiring(.userPresence)
    private let passcode = AccessControl.whenUnlocked.requiring(.devicePasscode)

    @Test func concurrentAccessControlsAllHold() throws {
        #expect(try floor([(presence, false), (passcode, false)]).floor == [presence, passcode])
        // Loosening by somebody who has not heard of the tightening takes nothing away.
        #expect(try floor([(presence, false), (.afterFirstUnlock, false)]).floor.contains(presence))
        // By somebody who has, it counts.
        #expect(try floor([(presence, false), (.afterFirstUnlock, true)]).floor == [.afterFirstUnlock])
    }

    @Test func aValueIsNeverGivenOutForLessThanTheFloor() {
        func out(_ sealed: AccessControl, _ floor: [AccessControl]) -> GivingOut {
            GivingOut(sealedUnder: sealed, boundTo: Bench.bank, floor: floor, shown: Bench.bank)
        }
        #expect(out(.whenUnlocked, []) == .asSealed)
        #expect(out(presence, [.whenUnlocked, presence]) == .asSealed)
        #expect(out(.whenUnlocked, [presence]) == .sealedAnew(presence))
        #expect(out(.whenUnlocked, [.whenUnlocked, presence]) == .sealedAnew(presence))
        #expect(out(.afterFirstUnlock, [.whenUnlocked]) == .sealedAnew(.whenUnlocked))
        #expect(
            out(presence, [passcode]) == .sealedAnew(.whenUnlocked.requiring(.userPresence, .devicePasscode)))
        let either = AccessControl.whenUnlocked.requiringAny(of: .biometryAny, .devicePasscode)
        #expect(out(either, [presence]) == .undecided(.notExpressible))
        #expect(out(.whenUnlocked, [.whenUnlocked.requiring(.applicationPassword)]) == .undecided(.absentPassword))
        #expect(out(.whenUnlocked, [.whenUnlocked.thisDeviceOnly]) == .undecided(.staysOnOneMachine))
        #expect(out(.whenUnlocked, [.whenUnlocked.requiring(.biometryCurrentSet)]) == .undecided(.staysOnOneMachine))
    }

    @Test func aValueIsGivenOutUnderTheNameOfItsSlotsAlone() {
        func out(_ sealed: AccessControl, _ name: ItemName) -> GivingOut {
            GivingOut(sealedUnder: sealed, boundTo: Bench.bank, floor: [], shown: name)
        }
        #expect(out(presence, Bench.name("weather")) == .undecided(.anotherName))
        #expect(out(.whenUnlocked, Bench.name("weather")) == .asSealed, "nobody is asked for it")
        #expect(out(.whenUnlocked, Bench.name("bank", kind: .key)) == .undecided(.anotherName))
    }

    @Test func whatTravels() {
        #expect(presence.travels)
        for access in [AccessControl.always, .passcodeSet, .whenUnlocked.thisDeviceOnly] { #expect(!access.travels) }
        #expect(!AccessControl.whenUnlocked.requiring(.biometryCurrentSet).travels)
    }
}
