/// Emits the elements of a stream that an asynchronous closure produces.
public struct Send<Element: Sendable>: Sendable {
  fileprivate let observer: any ObserverType<Element>

  /// Emits an element; it is dropped if the subscription has ended.
  public func callAsFunction(_ element: Element) {
    observer.on(.next(element))
  }
}

extension Observable {
  /// Returns a stream of the elements that an asynchronous closure sends.
  ///
  /// Each subscription calls the closure in a new task. The stream completes when the closure returns
  /// and fails when it throws; disposing of the subscription cancels the task.
  ///
  /// ```swift
  /// case .load(let id):
  ///   return .run { send in
  ///     send(.setLoading(true))
  ///     send(.setItem(try await api.item(id)))
  ///     send(.setLoading(false))
  ///   }
  /// ```
  public static func run(
    priority: TaskPriority? = nil,
    _ work: @escaping @Sendable (Send<Element>) async throws -> Void
  ) -> Observable<Element> {
    create { observer in
      let task = Task(priority: priority) {
        do {
          try await work(Send(observer: observer))
          observer.onCompleted()
        } catch {
          observer.onError(error)
        }
      }
      return Disposables.create { task.cancel() }
    }
  }
}
