import RootConfiguration
import Testing

/// How much of root's file is read (docs/threat-model.md, attacker 7).
@Suite struct ConfigurationFileLimitTests {
    @Test func theFileHasSixtyFourKibibytes() { #expect(ConfigurationLimits.file == 65_536) }
}
