extension Result {
  /// The failure, if it is one.
  var failure: Failure? {
    guard case .failure(let failure) = self else { return nil }
    return failure
  }
}
