import Foundation

/// Draws a plot as SVG, in light and dark colour schemes.
struct PlotDrawing {
  private let plot: Plot
  private let xScale: PlotScale
  private let yScale: PlotScale

  private static let width = 760.0
  private static let height = 440.0
  private static let left = 84.0
  private static let right = 736.0
  private static let top = 84.0
  private static let bottom = 384.0

  init(_ plot: Plot) {
    self.plot = plot
    let points = plot.series.flatMap(\.points)
    xScale = PlotScale(
      covering: points.map(\.x), isLogarithmic: plot.x.isLogarithmic, from: Self.left,
      to: Self.right)
    yScale = PlotScale(
      covering: points.map(\.y), isLogarithmic: plot.y.isLogarithmic, from: Self.bottom,
      to: Self.top)
  }

  var svg: String {
    let size = "\(Int(Self.width)) \(Int(Self.height))"
    var lines = [
      #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(size)" role="img">"#,
      "<title>\(escaped(plot.title))</title>", Self.style,
      #"<rect class="paper" width="100%" height="100%"/>"#,
      text(plot.title, Self.left, 28, "title"),
    ]
    lines += grid + legend
    for (index, series) in plot.series.enumerated() { lines += line(series, index) }
    return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  // MARK: Parts

  private var grid: [String] {
    var lines: [String] = []
    for tick in xScale.ticks {
      let x = xScale.place(tick)
      lines.append(path([(x, Self.top), (x, Self.bottom)], "grid"))
      lines.append(text(Self.label(tick), x, Self.bottom + 20, "tick middle"))
    }
    for tick in yScale.ticks {
      let y = yScale.place(tick)
      lines.append(path([(Self.left, y), (Self.right, y)], "grid"))
      lines.append(text(Self.label(tick), Self.left - 8, y + 4, "tick end"))
    }
    let middle = (Self.left + Self.right) / 2
    lines.append(text(plot.x.title, middle, Self.height - 14, "axis middle"))
    lines.append(text(plot.y.title, Self.left, 50, "axis"))
    return lines
  }

  /// The legend: the names of the lines in one row, each after its marker.
  private var legend: [String] {
    var lines: [String] = []
    var x = Self.left
    for (index, series) in plot.series.enumerated() {
      lines.append(path([(x, 66), (x + 22, 66)], "line \(Self.colour(index))"))
      lines.append(sign(x + 11, 66, index))
      lines.append(text(series.name, x + 28, 70, "tick"))
      x += 28 + Double(series.name.count) * 6.6 + 18
    }
    return lines
  }

  private func line(_ series: Plot.Series, _ index: Int) -> [String] {
    let places = series.points
      .filter { $0.y.isFinite && $0.x.isFinite }
      .sorted { $0.x < $1.x }
      .map { (xScale.place($0.x), yScale.place($0.y)) }
    return [path(places, "line \(Self.colour(index))")] + places.map { sign($0.0, $0.1, index) }
  }

  /// The marker of a point, so that lines are distinguishable without colours.
  private func sign(_ x: Double, _ y: Double, _ index: Int) -> String {
    let colour = Self.colour(index)
    let (x, y) = (Self.number(x), Self.number(y))
    switch index % 4 {
    case 0: return #"<circle class="sign \#(colour)" cx="\#(x)" cy="\#(y)" r="4"/>"#
    case 1:
      return #"<rect class="sign \#(colour)" x="-3.5" y="-3.5" width="7" height="7" "#
        + #"transform="translate(\#(x) \#(y))"/>"#
    case 2:
      return #"<path class="sign \#(colour)" d="M0-5 4.6 3.4-4.6 3.4Z" "#
        + #"transform="translate(\#(x) \#(y))"/>"#
    default:
      return #"<path class="sign \#(colour)" d="M0-5 5 0 0 5-5 0Z" "#
        + #"transform="translate(\#(x) \#(y))"/>"#
    }
  }

  // MARK: SVG elements

  private static func colour(_ index: Int) -> String { "c\(index % 6)" }

  private func path(_ places: [(Double, Double)], _ classes: String) -> String {
    let words = places.enumerated().map { index, place in
      "\(index == 0 ? "M" : "L")\(Self.number(place.0)) \(Self.number(place.1))"
    }
    return #"<path class="\#(classes)" d="\#(words.joined())"/>"#
  }

  private func text(_ text: String, _ x: Double, _ y: Double, _ classes: String) -> String {
    #"<text class="\#(classes)" x="\#(Self.number(x))" y="\#(Self.number(y))">"#
      + "\(escaped(text))</text>"
  }

  private func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;")
      .replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;")
  }

  private static func number(_ value: Double) -> String {
    String(format: "%.1f", value)
  }

  /// Abbreviates a tick value: 0.05, 20, 5 k, 1 M.
  static func label(_ value: Double) -> String {
    for (size, letter) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] where abs(value) >= size {
      return String(format: "%g", value / size) + letter
    }
    return String(format: "%g", value)
  }

  private static let style = """
    <style>
    svg { font: 12px system-ui, sans-serif; }
    .paper { fill: #fff; } text { fill: #1f2328; } .tick { fill: #59636e; }
    .title { font-size: 16px; font-weight: 600; } .middle { text-anchor: middle; }
    .end { text-anchor: end; } .grid { stroke: #d9dee3; stroke-width: 1; fill: none; }
    .line { fill: none; stroke-width: 2; stroke-linejoin: round; } .sign { stroke: none; }
    .line.c0 { stroke: #0969da; } .sign.c0 { fill: #0969da; }
    .line.c1 { stroke: #bc4c00; } .sign.c1 { fill: #bc4c00; }
    .line.c2 { stroke: #1a7f37; } .sign.c2 { fill: #1a7f37; }
    .line.c3 { stroke: #8250df; } .sign.c3 { fill: #8250df; }
    .line.c4 { stroke: #57606a; } .sign.c4 { fill: #57606a; }
    .line.c5 { stroke: #bf3989; } .sign.c5 { fill: #bf3989; }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #0d1117; } text { fill: #e6edf3; } .tick { fill: #9198a1; }
      .grid { stroke: #2b3138; }
      .line.c0 { stroke: #58a6ff; } .sign.c0 { fill: #58a6ff; }
      .line.c1 { stroke: #f0883e; } .sign.c1 { fill: #f0883e; }
      .line.c2 { stroke: #3fb950; } .sign.c2 { fill: #3fb950; }
      .line.c3 { stroke: #bc8cff; } .sign.c3 { fill: #bc8cff; }
      .line.c4 { stroke: #9ea7b3; } .sign.c4 { fill: #9ea7b3; }
      .line.c5 { stroke: #f778ba; } .sign.c5 { fill: #f778ba; }
    }
    </style>
    """
}
