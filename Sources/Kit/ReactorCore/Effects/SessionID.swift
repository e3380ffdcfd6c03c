/// The form of any text as the id of a session.
///
/// The ids of users are not always ids of sessions: `auth0|5f7c`, mail addresses, URNs. In this form the letters
/// `A-Z a-z`, the digits, `.`, `_` and `-` stand for themselves, and each other byte of the text in UTF-8 is `~`
/// with two hexadecimal digits in upper case: `auth0~7C5f7c`. Different texts have different forms. The texts `.` and
/// `..`, which no id can be, are `~2E` and `~2E~2E`.
///
/// The placeholders of rules (`cart/{sub}`) stand for claims in this form.
public enum SessionID {
  /// Returns the form of a text.
  ///
  /// An id has at most 128 bytes; the form of a longer text is not the id of a session.
  public static func encoding(_ text: String) -> String {
    let hidesDots = text == "." || text == ".."
    var encoded: [UInt8] = []
    encoded.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isPlain(byte), !(hidesDots && byte == UInt8(ascii: ".")) {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "~"), digit(byte >> 4), digit(byte & 15)]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Returns the length of the form of a text if another text begins with that form; allocates nothing.
  package static func prefix(
    of id: UnsafeBufferPointer<UInt8>, encoding text: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    let hidesDots = unsafe text.count <= 2 && text.allSatisfy { $0 == UInt8(ascii: ".") }
    var count = 0
    for index in text.indices {
      let byte = unsafe text[index]
      if isPlain(byte), !hidesDots {
        guard unsafe count < id.count && id[count] == byte else { return nil }
        count += 1
      } else {
        guard
          unsafe count + 2 < id.count && id[count] == UInt8(ascii: "~")
            && id[count + 1] == digit(byte >> 4) && id[count + 2] == digit(byte & 15)
        else { return nil }
        count += 3
      }
    }
    return count
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
