import ReactorCore
import ReactorStreams
import Testing

struct ChangeTests {
  struct State: Sendable {
    var text: String? = "0"
    var other = 0
  }

  private let states = BehaviorSubject(value: State())

  private func set(_ text: String?) {
    states.onNext(State(text: text))
  }

  @Test(arguments: [true, false])
  func `the current value comes first if it is requested`(isInitial: Bool) {
    let seen = Recorder<String>()
    let options: ChangeOptions = isInitial ? [.initial, .new] : [.new]
    let subscription = states.changes(of: \.text, options: options)
      .subscribe(onNext: { change in
        seen.add("\(change.old.flatMap(\.self) ?? "-") \(change.new ?? "nil")")
      })
    for text in ["1", "2", nil, "3"] { set(text) }
    subscription.dispose()
    set("4")
    #expect(seen.values == (isInitial ? ["- 0"] : []) + ["- 1", "- 2", "- nil", "- 3"])
  }

  @Test func `each old value is the new value before, and equal values are no changes`() {
    let seen = Recorder<Change<String?>>()
    let subscription = states.changes(of: \.text).subscribe(onNext: { seen.add($0) })
    set("1")
    states.onNext(State(text: "1", other: 5))
    set(nil)
    subscription.dispose()
    #expect(
      seen.values == [
        Change(old: nil, new: "0"), Change(old: "0", new: "1"), Change(old: "1", new: nil),
      ])
  }

  @Test func `the changes end with the stream of the owner`() {
    let isComplete = Recorder<Bool>()
    let subscription = states.changes(of: \.text)
      .subscribe(onCompleted: { isComplete.add(true) })
    #expect(isComplete.values == [])
    states.onCompleted()
    #expect(isComplete.values == [true])
    subscription.dispose()
  }
}
