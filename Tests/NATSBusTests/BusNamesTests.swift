import ReactorLog
import Testing

@testable import NATSBus

/// The subjects of nodes.
struct BusNamesTests {
  private let names = BusNames(prefix: "test")

  private func subject(_ name: String) -> String {
    names.requests(of: NodeID(name: name, incarnation: 0x77aa))
  }

  @Test func `letters, digits and hyphens of a name are in its subject`() {
    #expect(subject("Node-1") == "test.b.q.Node-1.77aa")
    #expect(subject("n1.example_x") == "test.b.q.n1_2eexample_5fx.77aa")
    #expect(subject("") == "test.b.q._.77aa")
  }

  @Test(arguments: [("\nb", "\u{ab}"), ("\u{1}0", "\u{10}"), ("\u{0}", ""), ("\nb", "_ab")])
  func `nodes with different names have different subjects`(_ one: String, _ other: String) {
    #expect(subject(one) != subject(other))
  }

  @Test func `a byte is written as two digits`() {
    let subjects = Set((0...0x7f as ClosedRange<UInt8>).map { subject("\(Unicode.Scalar($0))0") })
    #expect(subjects.count == 0x80)
    #expect(subject("\nb") == "test.b.q._0ab.77aa")
  }
}
