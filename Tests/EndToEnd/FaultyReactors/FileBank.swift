import Glibc
import ReactorCore
import Reactors

/// A bank whose charges are lines of the file that `BANK_FILE` names, so that they survive the service.
///
/// It charges an amount in the first half of a request, and responds after the second half: a service that is
/// killed between them does not know the outcome.
struct FileBank: CardBank {
  func charge(_ amount: Int, card: String, key: String) -> Observable<String> {
    .run { send in
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...20)))
      guard card != "empty" else { throw CardDeclined() }
      try Self.enter("\(key) \(amount)\n")
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...20)))
      send("C-\(key)")
    }
  }

  /// Appends a line, unless the file has it.
  private static func enter(_ line: String) throws {
    guard let path = getenv("BANK_FILE"), let file = fopen(path, "a+") else {
      throw BankUnavailable()
    }
    defer { fclose(file) }
    flockfile(file)
    defer { funlockfile(file) }
    var buffer = [CChar](repeating: 0, count: 4096)
    while fgets(&buffer, Int32(buffer.count), file) != nil {
      if line.utf8.elementsEqual(buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }) { return }
    }
    guard fputs(line, file) >= 0, fflush(file) == 0 else { throw BankUnavailable() }
  }
}

private struct BankUnavailable: Error {}
