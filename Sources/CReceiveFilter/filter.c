#include "CReceiveFilter.h"

#include <errno.h>
#include <sys/socket.h>

static _Thread_local reactord_receive_gate current_gate;
static _Thread_local reactord_receive_filter current_filter;
static _Thread_local void *current_context;

void reactord_set_receive_filter(reactord_receive_gate gate, reactord_receive_filter filter,
                                 void *context) {
  current_gate = gate;
  current_filter = filter;
  current_context = context;
}

ssize_t recv(int descriptor, void *buffer, size_t size, int flags) {
  if (current_gate != NULL && !current_gate(current_context, descriptor)) {
    errno = EAGAIN;
    return -1;
  }
  ssize_t count = recvfrom(descriptor, buffer, size, flags, NULL, NULL);
  if (count <= 0 || current_filter == NULL) return count;
  return current_filter(current_context, descriptor, buffer, (size_t)count, (size_t)count < size);
}
