#pragma once

/// Begins to count the allocations of all threads, from 0.
void allocation_counter_start(void);

/// Ends counting.
///
/// Returns how many allocations were made.
long allocation_counter_stop(void);
