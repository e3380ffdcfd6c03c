import ReactorCore
import ReactorStreams
import Testing

struct ViewTests {
  /// A superclass without a reactor.
  class Screen {}

  final class TallyView: Screen, View {
    var disposeBag = DisposeBag()
    let shown = Recorder<Int>()
    var boundCount = 0

    func bind(reactor: TallyReactor) {
      boundCount += 1
      reactor.state.subscribe(onNext: { [shown] in shown.add($0) }).disposed(by: disposeBag)
    }
  }

  final class DeferredView: Screen, DeferredReactorView {
    var disposeBag = DisposeBag()
    var isViewLoaded = false
    var boundCount = 0

    func load() {
      isViewLoaded = true
      performBinding()
    }

    func bind(reactor: TallyReactor) {
      boundCount += 1
    }
  }

  @Test func `each assignment binds with a new bag`() {
    let view = TallyView()
    var bags = [view.disposeBag]
    for count in 1...2 {
      view.reactor = TallyReactor()
      #expect(view.boundCount == count)
      #expect(!bags.contains { $0 === view.disposeBag })
      bags.append(view.disposeBag)
    }
    view.reactor = view.reactor
    #expect(view.boundCount == 3)
  }

  @Test func `an assignment of nil releases the reactor`() {
    let view = TallyView()
    weak var reactor: TallyReactor?
    do {
      let made = TallyReactor()
      view.reactor = made
      #expect(view.reactor === made)
      reactor = made
    }
    #expect(reactor != nil)
    view.reactor = nil
    #expect(view.reactor == nil)
    #expect(reactor == nil)
    #expect(view.boundCount == 1)
  }

  @Test func `an assignment cancels the subscriptions to the previous reactor`() {
    let view = TallyView()
    let (first, second) = (TallyReactor(), TallyReactor())
    view.reactor = first
    first.action.onNext(.increase)
    view.reactor = second
    first.action.onNext(.increase)
    second.action.onNext(.increase)
    #expect(view.shown.values == [0, 1, 0, 1])
  }

  @Test func `a deferred view binds when it has loaded`() {
    let view = DeferredView()
    view.reactor = TallyReactor()
    #expect(view.boundCount == 0)
    view.load()
    #expect(view.boundCount == 1)
    view.performBinding()
    #expect(view.boundCount == 1)
  }

  @Test func `a deferred view binds the last of the reactors that were assigned before`() {
    let view = DeferredView()
    view.reactor = TallyReactor()
    #expect(view.boundCount == 0)
    view.reactor = TallyReactor()
    #expect(view.boundCount == 0)
    view.load()
    #expect(view.boundCount == 1)
    view.reactor = TallyReactor()
    #expect(view.boundCount == 2)
  }

  @Test func `a deferred view binds through an existential`() {
    func assign<Shown: View>(_ reactor: Shown.Reactor, to view: Shown) { view.reactor = reactor }
    let view = DeferredView()
    assign(TallyReactor(), to: view)
    #expect(view.boundCount == 0)
    view.load()
    #expect(view.boundCount == 1)
  }

  @Test func `a deferred view that never loads is released with its reactor`() {
    weak var view: DeferredView?
    weak var reactor: TallyReactor?
    do {
      let (made, held) = (DeferredView(), TallyReactor())
      made.reactor = held
      (view, reactor) = (made, held)
      #expect(view != nil && reactor != nil)
    }
    #expect(view == nil)
    #expect(reactor == nil)
  }

  /// Replaces its bag, as a reused cell does.
  final class Cell: View {
    var disposeBag = DisposeBag()
    let reactorSlot = ReactorSlot()

    func bind(reactor: TallyReactor) {}
  }

  @Test func `a view with its own slot retains its reactor when its bag is replaced`() {
    let cell = Cell()
    let reactor = TallyReactor()
    cell.reactor = reactor
    cell.disposeBag = DisposeBag()
    #expect(cell.reactor === reactor)
  }
}
