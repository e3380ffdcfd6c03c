#ifndef STREAM_LOAD_HISTOGRAM_H
#define STREAM_LOAD_HISTOGRAM_H

#include <stdint.h>

/* Each power of two has 2^HISTOGRAM_BITS buckets, for a precision of 0.4 %. */
enum { HISTOGRAM_BITS = 8 };

/* A histogram of durations. */
struct histogram {
  uint64_t count, largest;
  double sum;
  uint64_t steps[(64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS];
};

void histogram_add(struct histogram *histogram, uint64_t value);

/* Returns the quantile (0 to 1); 0 if the histogram is empty. */
uint64_t histogram_quantile(const struct histogram *histogram, double part);

#endif
