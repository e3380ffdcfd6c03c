public import ClientCore
public import Foundation

extension Problem: LocalizedError {
  /// The ``description``, which `localizedDescription` returns.
  public var errorDescription: String? { description }
}
