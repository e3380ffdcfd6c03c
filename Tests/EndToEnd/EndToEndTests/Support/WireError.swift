/// An unexpected behaviour of a connection.
enum WireError: Error, CustomStringConvertible {
  case notConnected(errno: Int32)
  case timedOut(waitingFor: String)
  case closed(within: String)
  case malformed(String)

  var description: String {
    switch self {
    case .notConnected(let errno): "There is no connection: error \(errno)"
    case .timedOut(let what): "Nothing came in time; waited for \(what)"
    case .closed(let what): "The connection was closed within \(what)"
    case .malformed(let what): "This is not HTTP: \(what)"
    }
  }
}
