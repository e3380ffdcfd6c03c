internal import ReactorHost
internal import ReactorHTTP
internal import ReactorLog
internal import TerminalClient

extension SettingFormat where Value == Duration {
  /// A number of seconds; fractions are allowed.
  public static func duration(_ range: ClosedRange<Double>) -> SettingFormat {
    let limits = "\(plain(range.lowerBound)) to \(plain(range.upperBound))"
    return SettingFormat(
      placeholder: "SECONDS", expected: "a number of seconds from \(limits)",
      readNumber: { number in
        range.contains(number.value) ? .seconds(number.value) : nil
      },
      write: { duration in
        let (seconds, attoseconds) = duration.components
        return plain(Double(seconds) + Double(attoseconds) / 1e18)
      })
  }

  /// Omits a fraction of zero: `15`, not `15.0`.
  private static func plain(_ value: Double) -> String {
    Int(exactly: value).map { "\($0)" } ?? "\(value)"
  }
}

extension SettingFormat where Value == Int {
  /// A number without a unit.
  public static func count(_ range: ClosedRange<Int>) -> SettingFormat {
    whole(range, placeholder: "NUMBER", of: "a whole number")
  }

  /// A size in bytes.
  public static func bytes(_ range: ClosedRange<Int>) -> SettingFormat {
    whole(range, placeholder: "BYTES", of: "a number of bytes")
  }

  private static func whole(
    _ range: ClosedRange<Int>, placeholder: String, of noun: String
  ) -> SettingFormat {
    SettingFormat(
      placeholder: placeholder,
      expected: "\(noun) from \(range.lowerBound) to \(range.upperBound)",
      readNumber: { number in number.integer.flatMap { range.contains($0) ? $0 : nil } },
      write: { "\($0)" })
  }
}

extension SettingFormat
where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
  /// One of the raw values of an enumeration.
  public static func choice(of type: Value.Type = Value.self) -> SettingFormat {
    let words = type.allCases.map(\.rawValue)
    return SettingFormat(
      placeholder: words.joined(separator: "|"),
      expected: "one of " + words.joined(separator: ", "),
      read: { Value(rawValue: $0) }, write: \.rawValue)
  }
}

extension SettingFormat where Value == Bool {
  /// `true` or `false`.
  static var flag: SettingFormat {
    SettingFormat(placeholder: "true|false", expected: "true or false")
  }
}

extension SettingFormat where Value == String {
  /// The path of a file; empty for none.
  static var path: SettingFormat {
    SettingFormat(
      placeholder: "FILE", expected: "the path of a file",
      read: { $0.utf8.contains(0) ? nil : $0 }, write: \.self)
  }
}

extension SettingFormat where Value == String {
  /// The path of a folder; empty for none.
  static var folder: SettingFormat {
    SettingFormat(
      placeholder: "FOLDER", expected: "the path of a folder",
      read: { $0.utf8.contains(0) ? nil : $0 }, write: \.self)
  }
}

extension SettingFormat where Value == String {
  /// The path below which a service is published; empty for none.
  static var pathPrefix: SettingFormat {
    SettingFormat(
      placeholder: "PATH",
      expected: """
        a path that begins with a slash and does not end with one, such as /app, of the characters \
        A-Z a-z 0-9 - . _ ~ /, whose first part is not v1, inspector, examples or problems
        """,
      read: { text in
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isPath =
          parts[0].isEmpty
          && !["v1", "inspector", "examples", "problems"].contains(parts.dropFirst().first)
          && parts.dropFirst().allSatisfy { SessionKey.isValid(id: String($0)) }
        return text.isEmpty || isPath && parts.count > 1 ? text : nil
      }, write: \.self)
  }
}

extension SettingFormat where Value == AllowedOrigins {
  /// A set of web origins.
  static var origins: SettingFormat {
    SettingFormat(
      placeholder: "ORIGIN[,ORIGIN...]",
      expected: """
        origins without a path, separated by commas: https://example.org, https://*.example.org, \
        capacitor://localhost or null
        """,
      read: { AllowedOrigins($0.split(separator: ",").map { $0.drop { $0 == " " } }) },
      write: { $0.texts.joined(separator: ",") })
  }
}

extension SettingFormat where Value == Set<String> {
  /// A set of names of header fields (RFC 9110, 5.1).
  static var fieldNames: SettingFormat {
    SettingFormat(
      placeholder: "NAME[,NAME...]",
      expected: "names of header fields, separated by commas",
      read: { text in
        let names = text.split(separator: ",").map { $0.drop { $0 == " " } }
        let isValid = names.allSatisfy { name in
          !name.isEmpty
            && name.utf8.allSatisfy {
              (0x21...0x7E).contains($0) && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0)
            }
        }
        return isValid ? Set(names.map(String.init)) : nil
      },
      write: { $0.sorted().joined(separator: ",") })
  }

  /// A set of host names without ports, or `*`.
  static var hostNames: SettingFormat {
    SettingFormat(
      placeholder: "NAME[,NAME...]",
      expected: "host names without ports, separated by commas, or *",
      read: { text in
        let names = text.split(separator: ",").map { String($0.drop { $0 == " " }).lowercased() }
        return names.allSatisfy { $0 == "*" || isHostName($0) } ? Set(names) : nil
      },
      write: { $0.sorted().joined(separator: ",") })
  }

  /// Whether a text is a name or an address as `Host` has it, without a port.
  private static func isHostName(_ text: String) -> Bool {
    let separators = text.first == "[" && text.last == "]" ? "[]:." : "-._"
    return AcceptedHosts.name(of: text) == text
      && text.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII && (Character(scalar).isLetter || Character(scalar).isNumber)
          || separators.unicodeScalars.contains(scalar)
      }
  }
}

extension SettingFormat where Value == TrustedProxies {
  /// A list of addresses and networks.
  static var trustedProxies: SettingFormat {
    SettingFormat(
      placeholder: "ADDRESS[,ADDRESS...]",
      expected: "addresses or networks such as 10.0.0.0/8, separated by commas",
      read: { TrustedProxies($0) }, write: \.description)
  }
}

extension SettingFormat where Value == ListenAddress {
  /// A host and a port, or the path of a socket.
  static var address: SettingFormat {
    SettingFormat(
      placeholder: "HOST:PORT|unix:PATH",
      expected: """
        HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:8080 or [::1]:8080, or unix:PATH
        """,
      read: { ListenAddress($0) }, write: \.description)
  }
}

extension SettingFormat where Value == LinkListenAddress {
  /// The address of a node for the others; empty for none.
  static var nodeAddress: SettingFormat {
    SettingFormat(
      placeholder: "HOST:PORT",
      expected: "HOST:PORT with a port from 0 to 65535, such as 10.0.0.5:7946 or [::1]:7946",
      read: { LinkListenAddress($0) }, write: \.text)
  }
}

extension SettingFormat where Value == RetentionRules {
  /// A default and rules per reactor.
  static var retention: SettingFormat {
    SettingFormat(
      placeholder: "all|NUMBER|DAYSd[,REACTOR=...]",
      expected: "all, a number of versions or of days, such as 30d,counter=10000",
      read: { RetentionRules($0) }, write: \.description)
  }
}

extension SettingFormat where Value == ClusterName {
  /// The schema of the tables of a store in a database.
  static var clusterName: SettingFormat {
    SettingFormat(
      placeholder: "NAME", expected: "a name of 1 to 32 of A-Z a-z 0-9 _ -",
      read: { ClusterName($0) }, write: \.text)
  }
}

extension SettingFormat where Value == NodeName {
  static var nodeName: SettingFormat {
    SettingFormat(
      placeholder: "NAME", expected: "a name of at most 64 of A-Z a-z 0-9 _ . -",
      read: { NodeName($0) }, write: \.text)
  }
}

extension SettingFormat where Value == StoreChoice {
  /// The kind and place of a store.
  static var store: SettingFormat {
    SettingFormat(
      placeholder: "memory|sqlite:PATH|postgres://HOST/DB",
      expected: "memory, sqlite:PATH or postgres://USER@HOST/DATABASE",
      read: { StoreChoice($0) }, write: \.description)
  }
}
