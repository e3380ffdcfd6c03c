#include "options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"

static const char usage[] =
  "usage: StreamLoad --port N [OPTION N]...\n"
  "Loads a server of actions and server-sent events on the loopback interface, and reports in one\n"
  "line of JSON the results. In paths and bodies {session} is the number of a session, from 0,\n"
  "and {number} that of the action in its session, from 1, or of the stream, from 0.\n"
  "\n"
  "  --subscribers N   streams to open; the i-th is of session i modulo the sessions (0)\n"
  "  --stalled N       more streams, which stop reading after their first bytes (0)\n"
  "  --sessions N      (1)\n"
  "  --publishers N    keep-alive connections for actions, one in flight on each (1)\n"
  "  --rate R          actions per second in total; 0: each when the previous one completes\n"
  "  --count N         a number of actions instead of a duration\n"
  "  --step N          by how much an action raises the number that events show (1)\n"
  "  --events PATH     of streams\n"
  "  --actions PATH    of actions\n"
  "  --method NAME     of actions (POST)\n"
  "  --body TEXT       of actions, JSON (\"increase\")\n"
  "  --member NAME     the member of an event's data that holds the number (value)\n"
  "  --seconds S       how long to measure (5)\n"
  "  --warm-up S       how long to send actions before (1)\n"
  "  --pause S         how long to wait between connecting and sending (0.5)\n"
  "  --drain S         how long to wait for late events (10)\n"
  "  --hold            report that the streams are open, and hold them until the input ends\n"
  "  --pid N           the server, for its memory and CPU time\n";

static double number(const char *name, const char *text, double least) {
  char *end;
  errno = 0;
  double value = strtod(text, &end);
  if (errno != 0 || end == text || *end != 0 || !(value >= least) || value > 1e12) {
    give_up("--%s takes a number from %g: %s", name, least, text);
  }
  return value;
}

static long whole(const char *name, const char *text, long least) {
  return (long)number(name, text, (double)least);
}

struct options options_read(int count, char **arguments) {
  struct options options = {
    .sessions = 1, .publishers = 1, .step = 1, .seconds = 5, .warm_up = 1, .pause = 0.5,
    .drain = 10, .method = "POST", .body = "\"increase\"", .member = "value", .rate = 0,
    .events = "/v1/reactors/counter/sessions/{session}/events",
    .actions = "/v1/reactors/counter/sessions/{session}/actions",
  };
  enum { PORT = 1, SUBSCRIBERS, STALLED, SESSIONS, PUBLISHERS, RATE, COUNT, STEP, EVENTS, ACTIONS,
         METHOD, BODY, MEMBER, SECONDS, WARM_UP, SETTLE, DRAIN, PID, HOLD, HELP };
  static const struct option names[] = {
    {"port", 1, 0, PORT}, {"subscribers", 1, 0, SUBSCRIBERS}, {"stalled", 1, 0, STALLED},
    {"sessions", 1, 0, SESSIONS}, {"publishers", 1, 0, PUBLISHERS}, {"rate", 1, 0, RATE},
    {"count", 1, 0, COUNT}, {"step", 1, 0, STEP}, {"events", 1, 0, EVENTS},
    {"actions", 1, 0, ACTIONS}, {"method", 1, 0, METHOD}, {"body", 1, 0, BODY},
    {"member", 1, 0, MEMBER}, {"seconds", 1, 0, SECONDS}, {"warm-up", 1, 0, WARM_UP},
    {"pause", 1, 0, SETTLE}, {"drain", 1, 0, DRAIN}, {"pid", 1, 0, PID}, {"hold", 0, 0, HOLD}, {"help", 0, 0, HELP},
    {0},
  };
  int name, index = 0;
  while ((name = getopt_long(count, arguments, "", names, &index)) != -1) {
    switch (name) {
    case PORT: options.port = whole("port", optarg, 1); break;
    case SUBSCRIBERS: options.subscribers = whole("subscribers", optarg, 0); break;
    case STALLED: options.stalled = whole("stalled", optarg, 0); break;
    case SESSIONS: options.sessions = whole("sessions", optarg, 1); break;
    case PUBLISHERS: options.publishers = whole("publishers", optarg, 1); break;
    case RATE: options.rate = number("rate", optarg, 0), options.is_rate_given = true; break;
    case COUNT: options.count = whole("count", optarg, 1); break;
    case STEP: options.step = whole("step", optarg, 1); break;
    case EVENTS: options.events = optarg; break;
    case ACTIONS: options.actions = optarg; break;
    case METHOD: options.method = optarg; break;
    case BODY: options.body = optarg; break;
    case MEMBER: options.member = optarg; break;
    case SECONDS: options.seconds = number("seconds", optarg, 0); break;
    case WARM_UP: options.warm_up = number("warm-up", optarg, 0); break;
    case SETTLE: options.pause = number("pause", optarg, 0); break;
    case DRAIN: options.drain = number("drain", optarg, 0); break;
    case PID: options.pid = whole("pid", optarg, 1); break;
    case HOLD: options.holds = true; break;
    case HELP: fputs(usage, stdout); exit(0);
    default: fputs(usage, stderr); exit(2);
    }
  }
  if (optind < count || options.port > 65535 || options.port == 0) {
    fputs(usage, stderr);
    exit(2);
  }
  if (options.subscribers + options.stalled > 0 && options.publishers > options.sessions) {
    give_up("a session's actions stay on one connection, which keeps their order: "
            "no more publishers than sessions where there are subscribers");
  }
  options.address.sin_family = AF_INET;
  options.address.sin_port = htons((uint16_t)options.port);
  options.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return options;
}
