/// The traits of a viewer: size classes, safe area and preferences.
///
/// The JSON is that of `traits` in `/reactor.js`. Traits belong to the viewer. They are never an
/// implicit part of a session, because a session has many viewers: a reactor that depends on traits
/// receives them in an action.
public struct Traits: Codable, Hashable, Sendable {
  /// The size classes of a dimension.
  public enum SizeClass: String, CaseIterable, Codable, Sendable {
    /// A constrained space: below 600 CSS pixels of width, below 480 of height.
    case compact

    /// Any other space.
    case regular
  }

  /// The colour schemes.
  public enum Scheme: String, CaseIterable, Codable, Sendable {
    /// Dark text on a light background.
    case light

    /// Light text on a dark background.
    case dark
  }

  /// The preferred amounts of motion.
  public enum Motion: String, CaseIterable, Codable, Sendable {
    /// All animations.
    case full

    /// As little motion as possible.
    case reduced
  }

  /// The precisions of the pointing device.
  public enum Pointer: String, CaseIterable, Codable, Sendable {
    /// A mouse or a pen.
    case fine

    /// A finger.
    case coarse
  }

  /// The insets of the safe area in CSS pixels, as in CSS's `env(safe-area-inset-…)`.
  public struct SafeArea: Codable, Hashable, Sendable {
    /// The upper inset.
    public var top: Double

    /// The right inset.
    public var right: Double

    /// The lower inset.
    public var bottom: Double

    /// The left inset.
    public var left: Double

    /// Creates insets, by default 0.
    public init(top: Double = 0, right: Double = 0, bottom: Double = 0, left: Double = 0) {
      self.top = top
      self.right = right
      self.bottom = bottom
      self.left = left
    }
  }

  /// The size class of the width.
  public var width: Open<SizeClass>

  /// The size class of the height.
  public var height: Open<SizeClass>

  /// The insets of the safe area.
  public var safeArea: SafeArea

  /// The preferred colour scheme.
  public var scheme: Open<Scheme>

  /// The preferred amount of motion.
  public var motion: Open<Motion>

  /// The precision of the pointing device.
  public var pointer: Open<Pointer>

  /// The preferred language, such as `de-CH`.
  public var language: String

  /// The preferred size of text, in CSS pixels.
  public var textSize: Double

  /// Creates traits, by default those of a large screen with a mouse.
  public init(
    width: Open<SizeClass> = "regular", height: Open<SizeClass> = "regular",
    safeArea: SafeArea = SafeArea(), scheme: Open<Scheme> = "light",
    motion: Open<Motion> = "full", pointer: Open<Pointer> = "fine", language: String = "en",
    textSize: Double = 16
  ) {
    self.width = width
    self.height = height
    self.safeArea = safeArea
    self.scheme = scheme
    self.motion = motion
    self.pointer = pointer
    self.language = language
    self.textSize = textSize
  }
}
