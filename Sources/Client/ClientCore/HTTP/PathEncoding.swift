internal import ReactorCoding

extension String {
  /// The text percent-encoded as one segment of a path or one value of a query: only the unreserved
  /// characters of RFC 3986 stay.
  package var percentEncoded: String { PercentEncoding.encode(self) }

  /// The text without percent-encoding, or `nil` if that is malformed or not UTF-8.
  package var percentDecoded: String? { PercentEncoding.decode(utf8) }
}
