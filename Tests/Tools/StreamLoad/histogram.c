#include "histogram.h"

#include <math.h>

static const uint64_t steps_per_power = 1 << HISTOGRAM_BITS;

/* Small values have a bucket each. Above them, the leading one and the HISTOGRAM_BITS bits after it
   select the bucket. */
static uint64_t step_of(uint64_t value) {
  if (value < steps_per_power) return value;
  int shift = 63 - __builtin_clzll(value) - HISTOGRAM_BITS;
  return ((uint64_t)(shift + 1) << HISTOGRAM_BITS) + (value >> shift) - steps_per_power;
}

/* The midpoint of a bucket. */
static uint64_t value_of(uint64_t step) {
  if (step < steps_per_power) return step;
  int shift = (int)(step >> HISTOGRAM_BITS) - 1;
  uint64_t leading = (step & (steps_per_power - 1)) + steps_per_power;
  return (leading << shift) + ((1ull << shift) >> 1);
}

void histogram_add(struct histogram *histogram, uint64_t value) {
  histogram->steps[step_of(value)]++;
  histogram->count++;
  histogram->sum += (double)value;
  if (value > histogram->largest) histogram->largest = value;
}

uint64_t histogram_quantile(const struct histogram *histogram, double part) {
  uint64_t wanted = (uint64_t)ceil(part * (double)histogram->count);
  uint64_t found = 0;
  if (histogram->count == 0) return 0;
  if (wanted == 0) wanted = 1;
  for (uint64_t step = 0;; step++) {
    found += histogram->steps[step];
    if (found < wanted) continue;
    uint64_t value = value_of(step);
    return value < histogram->largest ? value : histogram->largest;
  }
}
