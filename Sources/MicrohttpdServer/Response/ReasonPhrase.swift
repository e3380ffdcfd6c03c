internal import CMicrohttpd

/// The words after a status code.
enum ReasonPhrase {
  /// The registered phrase, or one that says nothing.
  static func of(_ status: Int) -> String {
    guard let phrase = unsafe MHD_get_reason_phrase_for(UInt32(clamping: status)) else {
      return "Unknown"
    }
    return unsafe String(cString: phrase)
  }
}
