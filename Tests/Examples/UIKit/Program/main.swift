import ReactorViews
import UIKit

/// A form as an app binds it.
///
/// The program prints what each control does; a test compares the lines.
final class FormReactor: Reactor {
  enum Action { case name(String?), save, choose(Int), refresh }
  enum Mutation { case name(String), save, setRefreshing(Bool) }
  struct State { var name = "", items = ["a"], isRefreshing = false }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .name(let name): .just(.name(name ?? ""))
    case .save: .just(.save)
    case .choose(let index): .just(.name(currentState.items[index]))
    case .refresh: .just(.setRefreshing(false))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .name(let name): state.name = name
    case .save: state.items.append(state.name)
    case .setRefreshing(let isRefreshing): state.isRefreshing = isRefreshing
    }
    return state
  }
}

final class FormViewController: UIViewController, @MainActor View {
  var disposeBag = DisposeBag()
  let field = UITextField(), search = UISearchBar(), save = UIButton(), done = UIBarButtonItem()
  let label = UILabel(), table = UITableView(), refresh = UIRefreshControl()

  func bind(reactor: FormReactor) {
    field.rx.text.skip(1).map { .name($0) }.bind(to: reactor.action).disposed(by: disposeBag)
    search.rx.text.skip(1).map { .name($0) }.bind(to: reactor.action).disposed(by: disposeBag)
    reactor.state.map(\.items)
      .bind(to: table.rx.items(cellIdentifier: "Cell", cellType: UITableViewCell.self)) {
        row, item, cell in
        cell.label = "\(row) \(item)"
      }.disposed(by: disposeBag)
    Observable.merge(save.rx.tap.asObservable(), done.rx.tap.asObservable()).map { .save }
      .bind(to: reactor.action).disposed(by: disposeBag)
    table.rx.itemSelected.map { .choose($0.row) }.bind(to: reactor.action).disposed(by: disposeBag)
    refresh.rx.controlEvent(.valueChanged).map { .refresh }.bind(to: reactor.action).disposed(
      by: disposeBag)
    reactor.state.map(\.name).bind(to: label.rx.text).disposed(by: disposeBag)
    reactor.state.map { !$0.name.isEmpty }.bind(to: save.rx.isEnabled, done.rx.isEnabled).disposed(
      by: disposeBag)
    reactor.state.map(\.isRefreshing).bind(to: refresh.rx.isRefreshing).disposed(by: disposeBag)
  }
}

let form = FormViewController()
form.reactor = FormReactor()
print("empty", form.save.isEnabled, form.done.isEnabled, form.table.cells.compactMap(\.label))
form.field.text = "b"
form.field.sendActions(for: .editingChanged)
print("typed", form.label.text ?? "", form.save.isEnabled)
form.save.sendActions(for: .touchUpInside)
form.search.searchTextField.text = "c"
form.search.searchTextField.sendActions(for: .editingChanged)
form.done.tap()
print("saved", form.table.cells.compactMap(\.label))
form.table.delegate?.tableView(form.table, didSelectRowAt: IndexPath(row: 0, section: 0))
print("chosen", form.label.text ?? "")
form.refresh.beginRefreshing()
form.refresh.sendActions(for: .valueChanged)
print("refreshed", form.refresh.isRefreshing)

let bag = DisposeBag()
let values = PublishSubject<String>()
let (toggle, slider, stepper, segments, picker) = (
  UISwitch(), UISlider(), UIStepper(), UISegmentedControl(), UIDatePicker()
)
toggle.rx.isOn.map { "on \($0)" }.bind(to: values).disposed(by: bag)
slider.rx.value.map { "slider \($0)" }.bind(to: values).disposed(by: bag)
stepper.rx.value.map { "stepper \($0)" }.bind(to: values).disposed(by: bag)
segments.rx.selectedSegmentIndex.map { "segment \($0)" }.bind(to: values).disposed(by: bag)
picker.rx.date.map { "date \($0.timeIntervalSince1970)" }.bind(to: values).disposed(by: bag)
values.subscribe(onNext: { print($0) }).disposed(by: bag)
(toggle.isOn, slider.value, stepper.value, segments.selectedSegmentIndex) = (true, 0.5, 2, 1)
for control in [toggle, slider, stepper, segments, picker] {
  control.sendActions(for: .valueChanged)
}
Observable.just(false).bind(to: toggle.rx.isOn).disposed(by: bag)
print("set", toggle.isOn)

var button: UIButton? = UIButton()
button?.rx.tap.subscribe(onCompleted: { print("released") }).disposed(by: bag)
button = nil
form.reactor = nil
print("unbound", form.save.actions.count, form.table.delegate == nil)

// A value of another thread is shown on the main thread, in its order.
let label = UILabel()
let late = PublishSubject<String>()
late.bind(to: label.rx.text).disposed(by: bag)
DispatchQueue.global().async {
  late.onNext("1")
  late.onNext("2")
  DispatchQueue.main.async {
    print("late", label.text ?? "")
    exit(0)
  }
}
dispatchMain()
