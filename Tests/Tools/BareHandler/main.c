/* A minimal libmicrohttpd handler for POST requests, the baseline of `make bench`.
   Prints its loopback port and runs until it is terminated. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

static char started;

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **request) {
  (void)context, (void)url, (void)method, (void)version, (void)data;
  if (*request == NULL) {
    *request = &started;
    return MHD_YES;
  }
  if (*size != 0) {
    *size = 0;
    return MHD_YES;
  }
  static char body[] = "{\"value\":123}";
  struct MHD_Response *response =
      MHD_create_response_from_buffer(sizeof body - 1, body, MHD_RESPMEM_PERSISTENT);
  MHD_add_response_header(response, "Content-Type", "application/json");
  enum MHD_Result queued = MHD_queue_response(connection, MHD_HTTP_OK, response);
  MHD_destroy_response(response);
  return queued;
}

/* The loop is our own: with that of libmicrohttpd 0.9.75, more than 128 ready connections wait, because after
   a full batch of events the library waits for more before it handles them. */
int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_EPOLL, 0, NULL, NULL, answer, NULL, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
      MHD_OPTION_END);
  if (daemon == NULL) return 1;
  printf("http://127.0.0.1:%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
  fflush(stdout);
  struct pollfd ready = {.events = POLLIN};
  ready.fd = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  for (;;) {
    MHD_UNSIGNED_LONG_LONG timeout;
    poll(&ready, 1, MHD_get_timeout(daemon, &timeout) == MHD_YES ? (int)timeout : -1);
    MHD_run(daemon);
  }
}
