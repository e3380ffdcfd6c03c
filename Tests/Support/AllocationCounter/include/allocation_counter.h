#pragma once

/// Starts counting the allocations of all threads from 0.
void allocation_counter_start(void);

/// Stops counting and returns the number of allocations.
long allocation_counter_stop(void);
