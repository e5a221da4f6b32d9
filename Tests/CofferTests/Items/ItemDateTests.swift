import Coffer
import CofferClient
import Foundation
import Testing

/// Inside, times are moments. An application gets back the dates that it gave.
@Suite struct ItemDateTests {
    @Test(arguments: [
        Date(), Date(timeIntervalSince1970: 0.001), Date(timeIntervalSinceReferenceDate: 0.1), .distantPast,
        .distantFuture,
    ])
    func datesComeBackAsTheyWere(date: Date) {
        let item = ItemAttributes(
            id: "1", name: ItemName(service: "s", account: "a"), created: date, modified: date, expires: date,
            version: 1, revision: "r")
        #expect(item.created == date && item.modified == date && item.expires == date)
        let version = ItemVersion(version: 1, set: date, keptUntil: date, access: .whenUnlocked)
        #expect(version.set == date && version.keptUntil == date)
        #expect(NewItem(value: [], expiry: .at(date)).expiry == .at(date))
        #expect(ItemEdit(expiry: .at(date)).expiry == .at(date))
    }

    @Test func expiriesComeBackAsTheyWere() {
        for expiry in [nil, .never, .after(.seconds(5))] as [Expiry?] {
            #expect(NewItem(value: [], expiry: expiry).expiry == expiry)
            #expect(ItemEdit(expiry: expiry).expiry == expiry)
        }
        var item = NewItem(value: [])
        #expect(item.expiry == nil)
        item.expiry = .never
        #expect(item.expiry == .never)
    }

    @Test func millisecondsStayInTheirRange() {
        let now = Moment(milliseconds: 1_800_000_000_123)
        #expect(now.milliseconds == 1_800_000_000_123)
        #expect(ItemExpiry.never.milliseconds(now: now) == 0)
        #expect(ItemExpiry.after(.milliseconds(5)).milliseconds(now: now) == 1_800_000_000_128)
        #expect(ItemExpiry.after(.seconds(Int64.max)).milliseconds(now: now) == 1 << 62)
        for moment in [Moment.distantPast, Moment(secondsSince2001: .nan), Moment(secondsSince1970: 0)] {
            #expect(moment.milliseconds == 1)
        }
        #expect(abs(Date(Moment.now).timeIntervalSinceNow) < 3600)
    }
}
