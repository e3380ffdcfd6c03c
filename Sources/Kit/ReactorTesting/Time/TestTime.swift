/// A moment or a duration of virtual time, in ticks of a ``TestScheduler``.
public typealias TestTime = Int
