package import ReactorCore

extension VirtualTimeScheduler: VirtualWallClock {
  /// The virtual time, counted from 1970.
  package var wallTime: WallTime { WallTime(milliseconds: 0) + now }
}
