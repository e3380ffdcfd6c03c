#include "CSocketFilter.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local reactord_receive_gate current_receive_gate;
static _Thread_local reactord_receive_filter current_filter;
static _Thread_local reactord_send_gate current_send_gate;
static _Thread_local void *current_context;

void reactord_set_socket_filter(reactord_receive_gate receive_gate, reactord_receive_filter filter,
                                reactord_send_gate send_gate, void *context) {
  current_receive_gate = receive_gate;
  current_filter = filter;
  current_send_gate = send_gate;
  current_context = context;
}

ssize_t recv(int descriptor, void *buffer, size_t size, int flags) {
  if (current_receive_gate != NULL && !current_receive_gate(current_context, descriptor)) {
    errno = EAGAIN;
    return -1;
  }
  ssize_t count = recvfrom(descriptor, buffer, size, flags, NULL, NULL);
  if (count <= 0 || current_filter == NULL) return count;
  count = current_filter(current_context, descriptor, buffer, (size_t)count, (size_t)count < size);
  if (count < 0) errno = EAGAIN;
  return count;
}

ssize_t send(int descriptor, const void *buffer, size_t size, int flags) {
  size_t granted = size;
  if (current_send_gate != NULL && size > 0) {
    granted = current_send_gate(current_context, descriptor, size);
    if (granted == 0) {
      errno = EAGAIN;
      return -1;
    }
  }
  return sendto(descriptor, buffer, granted, flags, NULL, 0);
}

/* The number of parts of a message that is shortened; libmicrohttpd sends a head and a body. */
enum { parts_limit = 2 };

/* The C library has no other function with the effect of sendmsg(). */
static ssize_t system_sendmsg(int descriptor, const struct msghdr *message, int flags) {
  return syscall(SYS_sendmsg, descriptor, message, flags);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
  if (current_send_gate == NULL || message->msg_iovlen > parts_limit) {
    return system_sendmsg(descriptor, message, flags);
  }
  size_t size = 0;
  for (size_t part = 0; part < message->msg_iovlen; part += 1) {
    size += message->msg_iov[part].iov_len;
  }
  if (size == 0) return system_sendmsg(descriptor, message, flags);
  size_t granted = current_send_gate(current_context, descriptor, size);
  if (granted >= size) return system_sendmsg(descriptor, message, flags);
  if (granted == 0) {
    errno = EAGAIN;
    return -1;
  }
  struct iovec parts[parts_limit];
  struct msghdr shortened = *message;
  shortened.msg_iov = parts;
  shortened.msg_iovlen = 0;
  while (granted > 0) {
    struct iovec part = message->msg_iov[shortened.msg_iovlen];
    if (part.iov_len > granted) part.iov_len = granted;
    granted -= part.iov_len;
    parts[shortened.msg_iovlen] = part;
    shortened.msg_iovlen += 1;
  }
  return system_sendmsg(descriptor, &shortened, flags);
}
