#include "CReceiveFilter.h"

#include <sys/socket.h>

static _Thread_local reactord_receive_filter current_filter;
static _Thread_local void *current_context;

void reactord_set_receive_filter(reactord_receive_filter filter, void *context) {
  current_filter = filter;
  current_context = context;
}

ssize_t recv(int descriptor, void *buffer, size_t size, int flags) {
  ssize_t count = recvfrom(descriptor, buffer, size, flags, NULL, NULL);
  if (count <= 0 || current_filter == NULL) return count;
  return current_filter(current_context, descriptor, buffer, (size_t)count);
}
