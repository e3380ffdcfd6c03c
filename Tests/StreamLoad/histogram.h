#ifndef STREAM_LOAD_HISTOGRAM_H
#define STREAM_LOAD_HISTOGRAM_H

#include <stdint.h>

/* Each power of two is divided into 2^HISTOGRAM_BITS steps, so a value is kept to within 0.4 %. */
enum { HISTOGRAM_BITS = 8 };

/* How often which duration occurred. */
struct histogram {
  uint64_t count, largest;
  double sum;
  uint64_t steps[(64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS];
};

void histogram_add(struct histogram *histogram, uint64_t value);

/* The value that a part of all, from 0 to 1, does not exceed; 0 where there is none. */
uint64_t histogram_quantile(const struct histogram *histogram, double part);

#endif
