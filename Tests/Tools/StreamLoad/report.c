#include <inttypes.h>
#include <stdio.h>

#include "load.h"

static void print_histogram(const char *name, const struct histogram *times) {
  static const struct {
    const char *name;
    double part;
  } quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1}};
  printf(",\"%s\":{\"count\":%" PRIu64, name, times->count);
  printf(",\"mean\":%.4f", times->count > 0 ? times->sum / (double)times->count / 1e6 : 0);
  for (unsigned index = 0; index < sizeof quantiles / sizeof quantiles[0]; index++) {
    printf(",\"%s\":%.4f", quantiles[index].name,
           (double)histogram_quantile(times, quantiles[index].part) / 1e6);
  }
  putchar('}');
}

static void print_growth(const char *name, const struct growth *growth) {
  printf(",\"%s\":[", name);
  for (int index = 0; index < growth->count; index++) {
    const struct growth_step *step = &growth->steps[index];
    printf("%s{\"count\":%" PRIu64 ",\"seconds\":%.4f,\"resident\":%" PRIu64 "}",
           index > 0 ? "," : "", step->count, step->seconds, step->resident);
  }
  putchar(']');
}

/* Prints a text as a JSON string; control and non-ASCII characters become spaces. */
static void print_text(const char *name, const char *text) {
  printf(",\"%s\":\"", name);
  for (; *text != 0; text++) {
    bool is_plain = *text >= ' ' && *text < 127 && *text != '"' && *text != '\\';
    putchar(is_plain ? *text : ' ');
  }
  putchar('"');
}

/* Counts the subscribers that have received the last number of their session. */
static uint64_t count_at_end(const struct load *load, bool is_stalled) {
  uint64_t count = 0;
  for (long index = 0; index < load->options.subscribers + load->options.stalled; index++) {
    const struct subscriber *subscriber = &load->subscribers[index];
    uint64_t last = load->sessions[subscriber->session].count * (uint64_t)load->options.step;
    count += subscriber->is_stalled == is_stalled && subscriber->phase == STREAM_OPEN
             && subscriber->shown == last;
  }
  return count;
}

static uint64_t count_expected(const struct load *load) {
  uint64_t count = 0;
  for (long index = 0; index < load->options.sessions; index++) {
    count += (uint64_t)load->sessions[index].measured * load->sessions[index].subscribers;
  }
  return count;
}

void report(const struct load *load) {
  const struct outcome *outcome = &load->outcome;
  double seconds = outcome->acting > 0 ? outcome->acting : 1;
  printf("{\"streams\":{\"established\":%" PRIu64 ",\"rejected\":%" PRIu64 ",\"lost\":%" PRIu64 "}",
         outcome->established, outcome->rejected, outcome->lost);
  printf(",\"actions\":{\"sent\":%" PRIu64 ",\"completed\":%" PRIu64 ",\"failed\":%" PRIu64
         ",\"perSecond\":%.1f,\"backlog\":%" PRIu64 ",\"seconds\":%.4f,\"failedStatus\":%d",
         outcome->sent, outcome->completed, outcome->failed,
         (double)outcome->measured_responses / seconds, publishers_backlog(load), outcome->acting,
         outcome->failed_status);
  print_text("failure", outcome->failure);
  uint64_t expected = count_expected(load);
  printf("},\"deliveries\":{\"perSecond\":%.1f,\"bytesPerSecond\":%.1f,\"events\":%" PRIu64
         ",\"expected\":%" PRIu64 ",\"matched\":%" PRIu64 ",\"missed\":%" PRIu64
         ",\"skipped\":%" PRIu64 ",\"repeated\":%" PRIu64 ",\"named\":%" PRIu64
         ",\"unreadable\":%" PRIu64 ",\"atEnd\":%" PRIu64 ",\"stalledAtEnd\":%" PRIu64
         ",\"drainSeconds\":%.4f}",
         (double)outcome->window_events / seconds, (double)outcome->window_bytes / seconds,
         outcome->events, expected, outcome->matched, expected - outcome->matched,
         outcome->skipped, outcome->repeated, outcome->named, outcome->unreadable,
         count_at_end(load, false), count_at_end(load, true), outcome->draining);
  print_histogram("response", &outcome->responses);
  print_histogram("due", &outcome->due);
  print_histogram("receipt", &outcome->receipts);
  printf(",\"processor\":{\"load\":%.4f,\"server\":%.4f}", outcome->own_processor / seconds,
         outcome->server_processor / seconds);
  printf(",\"resident\":{\"before\":%" PRIu64 ",\"connected\":%" PRIu64 ",\"peak\":%" PRIu64
         ",\"after\":%" PRIu64 "}",
         outcome->resident_before, outcome->resident_connected, outcome->resident_peak,
         outcome->resident_after);
  print_growth("streamGrowth", &outcome->streams);
  print_growth("actionGrowth", &outcome->actions);
  puts("}");
}
