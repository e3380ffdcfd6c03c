import ReactorHost
import ReactorLog
import Testing

@testable import ReactorHTTP

struct EffectPageTests {
  private static func effects(_ count: Int, ofBytes size: Int) -> [RunningEffect] {
    (0..<count).map {
      RunningEffect(
        id: "\($0)", action: Array(repeating: 0x20, count: size), startedAt: .now, progress: nil)
    }
  }

  @Test func `a page of effects ends at its limit`() {
    #expect(EffectEndpoints.page(of: Self.effects(11, ofBytes: 10), limit: 10).count == 10)
    #expect(EffectEndpoints.page(of: Self.effects(5, ofBytes: 10), limit: 10).count == 5)
    #expect(EffectEndpoints.page(of: [], limit: 10).isEmpty)
  }

  @Test func `a page of effects with large actions ends after a mebibyte, and has at least one`() {
    #expect(EffectEndpoints.page(of: Self.effects(20, ofBytes: 1 << 18), limit: 10).count == 4)
    #expect(EffectEndpoints.page(of: Self.effects(20, ofBytes: 2 << 20), limit: 10).count == 1)
  }
}
