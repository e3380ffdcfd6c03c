import Foundation

/// A shell that executes an article from top to bottom: commands run, and files are written where the article says.
///
/// The programs are those that were built with the tests, at a port of their own. A stream that has no end is written to
/// the file `stream` of the folder.
final class ArticleShell: Sendable {
  let folder: TemporaryFolder
  let url: String
  private let port: ReservedPort
  private let process: ChildProcess
  private let blocks: [Guide.Block]

  private static let functions = """
    cd "$HOME"
    trap "printf 'failed\\nthe end\\n'" EXIT
    pidof() { cat "$HOME/pid"; }
    serve() {
      local program=$1; shift
      [[ ! -f "$HOME/pid" ]] || { kill "$(pidof)" 2>/dev/null || true; wait "$(pidof)" || true; }
      setpriv --pdeathsig KILL "$PRODUCTS/$program" serve --listen "127.0.0.1:$PORT" "$@" >>"$HOME/log" 2>&1 </dev/null &
      echo $! >"$HOME/pid"
      until "$PRODUCTS/reactord" health --url "http://127.0.0.1:$PORT" >/dev/null 2>&1; do
        kill -0 "$(pidof)" || { cat "$HOME/log" >&2; return 1; }
        sleep 0.05
      done
    }
    swift() {
      [[ $1 == run ]] || return 0
      local program=$2; shift 2
      if [[ $1 == serve ]]; then shift; serve "$program" "$@"; else "$PRODUCTS/$program" "$@"; fi
    }
    make() { [[ $1 != run ]] || { serve ${RUN[0]}; RUN=("${RUN[@]:1}"); }; }
    reactord() {
      case "$*" in
      *--help*) "$PRODUCTS/reactord" "$@" ;;
      watch*) setpriv --pdeathsig KILL "$PRODUCTS/reactord" "$@" >>"$HOME/stream" & ;;
      serve*) shift; serve reactord "$@" ;;
      *) "$PRODUCTS/reactord" "$@" ;;
      esac
    }
    curl() {
      if [[ $1 == -N ]]; then setpriv --pdeathsig KILL curl --silent "$@" >>"$HOME/stream" & return; fi
      command curl --silent --show-error "$@"; echo
    }

    """

  /// Starts the shell.
  ///
  /// - Parameters:
  ///   - blocks: The blocks to execute; one without a language is the output of the one before.
  ///   - runs: What each `make run` of the article starts, in their order.
  /// - Throws: If the shell cannot be started.
  init(_ blocks: [Guide.Block], runs: [String] = []) throws {
    self.blocks = blocks
    folder = try TemporaryFolder()
    port = try ReservedPort()
    url = "http://\(port.address)"
    try FileManager.default.createSymbolicLink(
      atPath: folder["reactord"], withDestinationPath: Guide.root.path)
    let products = try ReactordProcess.productsDirectory()
    let list = runs.map { "'\($0)'" }.joined(separator: " ")
    var script = "set -eu\nRUN=(\(list))\n" + Self.functions
    for block in blocks {
      switch (block.language, block.file) {
      case ("sh", _): script += block.code
      case (_, let file?):
        script +=
          "mkdir -p \"$(dirname '\(file)')\"\ncat >'\(file)' <<'END OF FILE'\n\(block.code)END OF FILE\n"
      default: break
      }
      script += "printf '\\x1e\\n'\n"
    }
    script = script.replacing("127.0.0.1:8080", with: port.address)
      .replacing("0.0.0.0:8080", with: port.address)
      .replacing("reactord/.build/debug/reactord", with: "reactord")
      .replacing(".build/debug/reactord", with: "reactord")
      // No test fails on a slow machine.
      .replacing("--max-time 2 ", with: "--max-time 60 ")
    process = try ChildProcess(
      "/usr/bin/bash", ["-c", script + "printf 'the end\\n'\nwait \"$(pidof)\"\n"],
      environment: [
        "HOME": folder.path, "PRODUCTS": products, "PORT": "\(port.port)",
        "REACTORD_SUPERVISE": "false",
      ].merging(ReactordProcess.longTimeLimits) { $1 })
  }

  /// Waits until the last command has ended.
  ///
  /// - Returns: The lines that each block has printed, without empty ones.
  /// - Throws: If a command has failed.
  func outputs() throws -> [[String]] {
    guard process.output(contains: "the end\n"),
      !process.standardOutput.contains("failed\nthe end\n")
    else {
      throw ChildProcess.Failure(
        description: "\(process.standardOutput)\n\(process.standardError)")
    }
    return process.standardOutput.components(separatedBy: "\u{1e}\n").map {
      $0.replacing("}{", with: "}\n{").split(separator: "\n").map(String.init)
    }
  }

  /// The blocks whose output is not the one that the article shows after them.
  func differences() throws -> [String] {
    let outputs = try outputs()
    return zip(blocks.indices.dropLast(), blocks.dropFirst()).compactMap { index, expected in
      guard blocks[index].language == "sh", expected.language.isEmpty else { return nil }
      let shown = outputs[index].joined(separator: "\n") + "\n"
      return shown == expected.code ? nil : "\(blocks[index].code)printed\n\(shown)"
    }
  }
}
