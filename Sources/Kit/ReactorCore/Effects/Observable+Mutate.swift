public import ReactorStreams

extension Observable {
  /// Returns a stream of the mutation that an asynchronous closure returns.
  ///
  /// ```swift
  /// case .load(let id):
  ///   return .mutate { [api] in .setItem(try await api.item(id)) }
  /// ```
  ///
  /// Each subscription calls the closure in a new task. The stream fails with the error that the closure
  /// throws; disposing of the subscription cancels the task. For several mutations use
  /// `run(priority:_:)`.
  public static func mutate(
    priority: TaskPriority? = nil, _ work: @escaping @Sendable () async throws -> Element
  ) -> Observable<Element> {
    .run(priority: priority) { send in send(try await work()) }
  }
}
