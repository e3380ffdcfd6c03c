#if canImport(UIKit)
  public import ReactorCore
  public import UIKit

  /// The rows of a table, which the subscription holds.
  private final class TableRows<Item: Sendable>: NSObject, UITableViewDataSource {
    private var items: [Item] = []
    private let cell: @MainActor (UITableView, Int, Item) -> UITableViewCell

    init(_ cell: @escaping @MainActor (UITableView, Int, Item) -> UITableViewCell) {
      self.cell = cell
    }

    func show(_ items: [Item], in table: UITableView) {
      self.items = items
      table.reloadData()
    }

    func tableView(_ table: UITableView, numberOfRowsInSection _: Int) -> Int { items.count }

    func tableView(_ table: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
      cell(table, path.row, items[path.row])
    }
  }

  /// The selection of a table, which the subscription holds.
  private final class TableSelection: NSObject, UITableViewDelegate {
    private let observer: ViewObserver<IndexPath>

    init(_ observer: ViewObserver<IndexPath>) { self.observer = observer }

    func tableView(_ table: UITableView, didSelectRowAt path: IndexPath) { observer.onNext(path) }
  }

  extension Reactive where Base: UITableView {
    /// Shows one section with a row per item, whose cells the table dequeues.
    ///
    /// The subscription is the data source of the table:
    ///
    /// ```swift
    /// reactor.state.map(\.items)
    ///   .bind(to: tableView.rx.items(cellIdentifier: "Cell", cellType: ItemCell.self)) { row, item, cell in … }
    ///   .disposed(by: disposeBag)
    /// ```
    @MainActor
    public func items<Item: Sendable, Cell: UITableViewCell, Source: ObservableType<[Item]>>(
      cellIdentifier: String, cellType _: Cell.Type = Cell.self
    ) -> (_ source: Source) -> (_ configure: @escaping (Int, Item, Cell) -> Void) -> any Disposable
    {
      { source in
        { configure in
          let rows = TableRows<Item> { table, row, item in
            let path = IndexPath(row: row, section: 0)
            let cell = table.dequeueReusableCell(withIdentifier: cellIdentifier, for: path)
            if let cell = cell as? Cell { configure(row, item, cell) }
            return cell
          }
          base.dataSource = rows
          let binder = Binder<[Item]>(onMain: base) { [weak rows] table, items in
            rows?.show(items, in: table)
          }
          let subscription = source.asObservable().subscribe(onNext: { binder.onNext($0) })
          // The table holds its data source weakly.
          return Disposables.create {
            subscription.dispose()
            withExtendedLifetime(rows) {}
          }
        }
      }
    }

    /// The paths of the rows that the user selects.
    ///
    /// The subscription is the delegate of the table, and does not complete when the table is released.
    public var itemSelected: ControlEvent<IndexPath> {
      ControlEvent(
        events: Observable<IndexPath>.events(of: base) { table, observer in
          let selection = TableSelection(observer)
          table.delegate = selection
          return { [weak table] in
            if table?.delegate === selection { table?.delegate = nil }
          }
        })
    }
  }
#endif
