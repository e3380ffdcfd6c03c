#pragma once
#include <microhttpd.h>
#include <sys/epoll.h>
#include "versions.h"

/* Wrappers of the variadic functions of libmicrohttpd, which Swift cannot call. The options of the
   daemon are a struct, so that the callbacks of Swift are typed. */

struct reactord_daemon_options {
  unsigned int flags;
  unsigned int connection_limit;
  size_t connection_memory;
  void *_Nonnull context;
  MHD_AccessHandlerCallback _Nonnull access;
  void *_Nullable (*_Nonnull target)(void *_Nullable context, const char *_Nullable target,
                                     struct MHD_Connection *_Nullable connection);
  MHD_RequestCompletedCallback _Nonnull completed;
  MHD_NotifyConnectionCallback _Nonnull connection;
  size_t (*_Nonnull unescape)(void *_Nullable context, struct MHD_Connection *_Nullable connection,
                              char *_Nullable text);
};

static inline struct MHD_Daemon *_Nullable
reactord_start_daemon(const struct reactord_daemon_options *_Nonnull options) {
  struct MHD_OptionItem items[] = {
      {MHD_OPTION_CONNECTION_LIMIT, options->connection_limit, NULL},
      {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)options->connection_memory, NULL},
      {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)options->target, options->context},
      {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)options->unescape, options->context},
      {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)options->completed, options->context},
      {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)options->connection, options->context},
      {MHD_OPTION_END, 0, NULL}};
  return MHD_start_daemon(options->flags, 0, NULL, NULL, options->access, options->context,
                          MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

/* The epoll descriptor, or -1. */
static inline int reactord_daemon_epoll_descriptor(struct MHD_Daemon *_Nonnull daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info == NULL ? -1 : info->epoll_fd;
}

/* Causes the daemon to read or write a connection again after recv() has failed with EAGAIN although
   there may be input, or send() although there may be room.

   The library registers the socket of a connection edge-triggered, with the connection as data.
   Modifying the registration reports pending input and room again. If the library has not
   registered the socket yet, the call has no effect, and the library registers it next. */
static inline void reactord_report_again(int epoll, int socket,
                                         struct MHD_Connection *_Nonnull connection) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLET,
                              .data = {.ptr = connection}};
  epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event);
}

/* The descriptor of a connection, or -1. */
static inline int reactord_connection_socket(struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : (int)info->connect_fd;
}

/* The value that the callback for new connections stored. */
static inline void *_Nullable
reactord_connection_context(struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

/* The size of the request line and header fields, or 0 while they are incomplete. */
static inline size_t reactord_connection_head_size(struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}
