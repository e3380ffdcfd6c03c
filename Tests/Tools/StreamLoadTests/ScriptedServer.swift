import Foundation
import Glibc
import Synchronization
import TestSupport

/// A scripted server: it counts actions and shows the count to streams.
final class ScriptedServer: Sendable {
  /// The faults to inject.
  struct Script: Sendable {
    /// The status of a stream.
    var streamStatus = 200
    /// The status of an action, by its number.
    var actionStatus: @Sendable (_ number: Int) -> Int = { _ in 200 }
    /// The pieces in which the event of an action is sent, each in a write of its own.
    var pieces: @Sendable (_ number: Int, _ stream: Int) -> [String] = { number, _ in
      [ScriptedServer.event(number)]
    }
    /// The delay of an action's events.
    var delay: Duration = .zero
  }

  let port: Int

  private let script: Script
  private let listener: Int32
  private let state = Mutex(State())

  private struct State {
    var number = 0
    var streams: [Int32] = []
  }

  init(_ script: Script = Script()) throws {
    self.script = script
    let (listener, port) = try LoopbackSocket.listening()
    (self.listener, self.port) = (listener, Int(port))
    Thread.detachNewThread { [self] in
      while let connection = LoopbackSocket.accept(from: listener) {
        Thread.detachNewThread { self.serve(connection) }
      }
    }
  }

  /// Releases the port; connections end with their clients.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// An event as one chunk.
  static func event(_ number: Int) -> String {
    let text = "id: x-\(number)\ndata: {\"value\":\(number)}\n\n"
    return String(text.utf8.count, radix: 16) + "\r\n" + text + "\r\n"
  }

  private func serve(_ connection: Int32) {
    defer { close(connection) }
    var input: [UInt8] = []
    while let request = Self.request(connection, &input) {
      if request.hasPrefix("GET") {
        let head = "HTTP/1.1 \(script.streamStatus) X\r\nTransfer-Encoding: chunked\r\n\r\n"
        // Register before the head is sent: a client acts as soon as it has the first event.
        state.withLock {
          Self.send(connection, head + Self.event(0))
          $0.streams.append(connection)
        }
      } else {
        act(connection)
      }
    }
    state.withLock { $0.streams.removeAll { $0 == connection } }
  }

  private func act(_ connection: Int32) {
    let (number, streams) = state.withLock {
      $0.number += 1
      return ($0.number, $0.streams)
    }
    Thread.sleep(forTimeInterval: script.delay / .seconds(1))
    for (index, stream) in streams.enumerated() {
      for piece in script.pieces(number, index) { Self.send(stream, piece) }
    }
    Self.send(
      connection,
      "HTTP/1.1 \(script.actionStatus(number)) X\r\nContent-Length: 2\r\n\r\n{}")
  }

  private static func send(_ connection: Int32, _ text: String) {
    var noDelay: Int32 = 1
    setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, 4)
    let bytes = Array(text.utf8)
    _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Reads a head and its body, or returns `nil` at the end of the connection.
  private static func request(_ connection: Int32, _ input: inout [UInt8]) -> String? {
    while true {
      let text = String(decoding: input, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let head = text[..<end.lowerBound]
        let field = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
        let length = field.flatMap { Int($0.dropFirst(16)) } ?? 0
        let whole = head.utf8.count + 4 + length
        if input.count >= whole {
          input.removeFirst(whole)
          return String(head)
        }
      }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = recv(connection, &bytes, bytes.count, 0)
      guard count > 0 else { return nil }
      input += bytes[..<count]
    }
  }
}

/// A failure of the load generator itself.
struct LoadFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
