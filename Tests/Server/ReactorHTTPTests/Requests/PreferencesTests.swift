import ReactorTransport
import Testing

@testable import ReactorHTTP

struct PreferencesTests {
  @Test(
    arguments: [
      (nil, nil), ("", nil), ("respond-async", "respond-async"), ("wait=1", "wait=1"),
      ("wait=\"2\"", "wait=2"), ("WAIT = 3", "wait=3"), ("return=minimal", "return=minimal"),
      ("return=representation", nil), ("return=Minimal;x=1", "return=minimal"),
      ("respond-async, wait=5", "respond-async"),
      ("wait=5,return=minimal", "wait=5, return=minimal"),
      ("wait=1, wait=2", "wait=1"), ("wait=99999999999999999999", "wait=3600"),
      ("wait=9999", "wait=3600"),
      ("wait=-1", nil), ("wait=x", nil), ("wait", nil), ("wait=", nil), ("handling=lenient", nil),
      (",,;=,", nil), ("wait=0", "wait=0"),
    ] as [(String?, String?)])
  func `applies the preferences that it knows`(field: String?, applied: String?) {
    #expect(Preferences(field).applied == applied)
  }
}
